from dataclasses import replace

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import (
    BUSY,
    LOOK,
    NOON,
    ended,
    entry,
    row,
    shown,
    summary,
)

from hearth.core.views.timeline_items import ErrorItem, NoticeItem
from hearth.core.vocabulary.blocks import ErrorBlock, Role, Usage
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.core.vocabulary.turns import TurnEnd
from hearth.servers.dashboard.rendering.notes import tokens_in_words


@pytest.mark.promise("DP-UI-01")
def test_an_error_is_a_card_with_its_status() -> None:
    html = shown(ErrorItem(row(ErrorBlock("overloaded", 529), Role.SYSTEM)))
    assert "item-error" in html
    assert "overloaded" in html
    assert "status 529" in html
    assert "status" not in looked_at(shown(ErrorItem(row(ErrorBlock("x"), Role.SYSTEM)))).text


def test_a_notice_is_a_thin_line_and_may_tell_a_failure() -> None:
    assert "variables dropped" in shown(NoticeItem(NOON, "variables dropped"))
    lost = entry(cell="", standing=None, failure=WorkerCrashed("killed", "", ("frame",)))
    html = shown(NoticeItem(NOON, "interpreter lost", lost))
    assert "the interpreter died" in html
    assert "frame" in html
    looked_at(html)


def test_a_summary_is_folded() -> None:
    html = shown(summary("**all** so far", ("a.py",)))
    assert 'data-preserve-attr="open"' in html
    assert "<strong>all</strong>" in html
    assert "a.py" in html
    assert " open " not in html


@pytest.mark.parametrize("end", TurnEnd)
def test_every_end_of_a_turn_has_its_words(end: TurnEnd) -> None:
    html = shown(ended(end=end, seconds=42.4, why="because <x>"))
    seen = looked_at(html).text
    assert "2 steps · 2,150 tokens in (2,000 cached) · 300 out · 42 s" in seen
    # Of one that failed, the card above it says why.
    assert ("because <x>" in seen) is (end is not TurnEnd.FAILED)


def test_tokens_that_nobody_counted_are_not_told() -> None:
    assert tokens_in_words(Usage()) == []
    assert tokens_in_words(Usage(fresh=5, output=1)) == ["5 tokens in", "1 out"]


def test_only_the_last_turn_can_be_answered_anew_and_only_now() -> None:
    html = shown(ended())
    assert "regenerate_turn" in html
    assert "continue_turn" in html
    for look in (
        BUSY,
        replace(LOOK, last_turn="t2"),
        replace(LOOK, last_turn=""),
        replace(LOOK, can_talk=False),
    ):
        assert "<button" not in shown(ended(), look)
