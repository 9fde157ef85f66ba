from dataclasses import replace

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import BUSY, LOOK, SHA, cell, placed, running, shown

from hearth.core.views.transcript import CellStanding
from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.servers.dashboard.rendering.items import drawn

OUT = (StreamText("stdout", "hello\n"),)


def test_a_cell_says_what_it_is_who_ran_it_how_it_went_and_when() -> None:
    html = shown(cell("x = 1"))
    seen = looked_at(html).text
    for words in ("c3", "person ada", "finished", "0.5 s", "12:00", "x = 1"):
        assert words in seen
    assert '<article id="i-x1" class="item item-cell is-finished"' in html
    assert "<button" not in html


@pytest.mark.parametrize("standing", CellStanding)
def test_its_state_is_told_in_words(standing: CellStanding) -> None:
    assert f"{standing.value}</span>" in shown(cell(standing=standing))


def test_what_does_not_hold_any_more_says_so() -> None:
    assert "run it again" in shown(cell(), stale=True)
    assert "stale" not in shown(cell())


@pytest.mark.promise("DP-UI-05")
def test_live_and_sealed_output_are_the_same_pieces() -> None:
    live, sealed = drawn(placed(running(OUT)), LOOK), drawn(placed(cell(outputs=OUT)), LOOK)
    assert live.pieces == sealed.pieces
    assert "hello" in live.pieces[0].html


def test_a_running_cell_grows_by_its_last_piece_alone() -> None:
    text = "line\n" * 3000
    first = drawn(placed(running((StreamText("stdout", text),))), LOOK)
    later = drawn(placed(running((StreamText("stdout", f"{text}more\n"),))), LOOK)
    assert first.before == later.before
    assert first.after == later.after
    assert first.pieces[:-1] == later.pieces[: len(first.pieces) - 1]


def test_what_has_not_ended_can_be_stopped() -> None:
    stop, withdraw = shown(running()), shown(cell(standing=CellStanding.WAITING))
    command = (
        'data-command="{&quot;type&quot;:&quot;cancel_cell&quot;,&quot;cell&quot;:&quot;c3&quot;}"'
    )
    for html, words in ((stop, "Stop"), (withdraw, "Withdraw")):
        assert f">{words}<" in html
        assert command in html
        assert " disabled" not in html
    assert 'disabled title="The interpreter does not take this' in shown(running(), BUSY)


def test_what_it_asks_can_be_answered() -> None:
    html = shown(running(question="name? "))
    assert "name?" in html
    assert "answer_input" in html
    assert 'data-fills="text"' in html
    assert "answer_input" not in shown(cell(question="name? "))


def test_a_value_is_shown_once() -> None:
    result = RichData({"text/plain": "4242"}, is_result=True)
    assert shown(cell(outputs=(result,), value="4242", value_type="int")).count("4242") == 1
    assert shown(cell(value="4242", value_type="int")).count("4242") == 1
    assert "None" not in shown(cell(value="None", value_type="NoneType"))


def test_failures_losses_and_what_came_late_are_told() -> None:
    html = shown(cell(failure=CodeRaised("KeyError", "'a'"), dropped=5_000_000, late=(OUT,)))
    assert "KeyError" in html
    assert "5.0 MB of output were too much" in html
    assert "after it had ended" in html
    looked_at(html)


def test_code_that_is_kept_apart_has_a_link() -> None:
    assert "whole (90.0 kB)" in shown(cell(Blob(SHA, 90_000, head="x = 1")))


def test_html_has_an_address_only_once_the_cell_has_ended() -> None:
    table = (RichData({"text/html": "<table></table>"}),)
    assert "/frame/7/c3/0" in shown(cell(outputs=table))
    assert "<iframe" not in shown(running(table))


def test_nothing_is_offered_that_the_interpreter_does_not_take() -> None:
    none = replace(LOOK, allowed=frozenset())
    html = shown(running(question="?"), none)
    assert html.count(" disabled") == 3
