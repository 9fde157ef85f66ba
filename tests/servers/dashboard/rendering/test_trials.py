"""Variants side by side: what each came to, and which of them can be kept."""

from dataclasses import replace

from tests.contracts.taking import BAD, DEAD, GOOD, RESULTS, VARIANTS
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import LOOK, call, cell, shown

from hearth.core.views.status import TrialWaiting
from hearth.core.views.transcript import CellStanding, Tried
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import VariantResult
from hearth.servers.dashboard.rendering.trials import MOST_NAMES

C3 = CellId("c3")
TRIED = tuple(map(Tried, VARIANTS, RESULTS))
KEEPING = replace(LOOK, trial=TrialWaiting(C3, 3, (3,)))
TRIAL = cell("", variants=TRIED)


def test_each_variant_is_shown_with_its_code_and_what_came_of_it() -> None:
    html = shown(TRIAL)
    text = looked_at(html).text
    for number, code in enumerate(VARIANTS, 1):
        assert f"Variant {number}" in text
        assert code.replace(" ", "") in text.replace(" ", "")
    assert "NameError" in text
    assert "defines x" in text
    assert "it left" in text
    assert 'aria-label="variant 2, failed"' in html
    assert "keep_variant" not in html, "nothing can be kept now"


def test_what_a_variant_printed_stands_above_what_it_came_to_and_is_reached_by_keyboard() -> None:
    said = VariantResult(0.1, "42", "int", (StreamText("stdout", "printed\n"),))
    html = shown(cell("", variants=(Tried("print()", said), Tried("wait()"))))
    assert html.index("printed") < html.index("42")
    inside = html.split('aria-label="variant 1, finished"')[1]
    # `outputs` is turned upside down by the stylesheet, to stay at its end: it holds one element.
    assert 'class="outputs"' not in inside
    assert 'class="variant-out" tabindex="0" role="group" aria-label="output of variant 1"' in html
    assert "output of variant 2" not in html, "nothing came of it"


def test_a_trial_is_open_until_one_is_kept() -> None:
    assert "is-trial" in shown(TRIAL)
    assert "is-trial" not in shown(cell(VARIANTS[0], variants=TRIED, kept=1))


def test_what_lives_can_be_kept_and_none_too() -> None:
    html = shown(TRIAL, KEEPING)
    looked_at(html)
    for number in (0, 1, 2):
        assert f"&quot;variant&quot;:{number}" in html
    assert "&quot;variant&quot;:3" not in html
    assert "Its interpreter did not live on" in html
    other = replace(LOOK, trial=TrialWaiting(CellId("c9"), 3))
    assert "keep_variant" not in shown(TRIAL, other)


def test_the_one_that_was_kept_is_the_cell_and_the_others_are_folded() -> None:
    kept = cell(VARIANTS[0], value="1", value_type="int", variants=TRIED, kept=1)
    html = shown(kept)
    assert "3 variants tried, number 1 kept" in looked_at(html).text
    assert 'data-preserve-attr="open"' in html
    assert 'aria-label="variant 1, finished, kept"' in html
    assert 'aria-label="variant 2, failed"' in html


def test_what_runs_and_what_never_ran_are_told_apart() -> None:
    waiting = tuple(map(Tried, VARIANTS))
    running = cell("", variants=waiting, standing=CellStanding.RUNNING, duration=None)
    assert shown(running).count('running"') >= 3
    failed = shown(cell("", variants=waiting, standing=CellStanding.FAILED, notice="no copy"))
    assert 'aria-label="variant 1, not run"' in failed
    assert "no copy" in failed


def test_a_trial_of_the_agent_stands_in_its_call() -> None:
    html = shown(call("try_code", cell=TRIAL), KEEPING)
    looked_at(html)
    assert "Variant 3" in html
    assert "keep_variant" in html


def test_stopped_variants_and_many_names() -> None:
    names = tuple(f"n{number}" for number in range(MOST_NAMES + 2))
    stopped = VariantResult(0.1, stopped=True, names=names)
    html = shown(cell("", variants=(Tried("1", stopped), Tried("2", GOOD), Tried("3", BAD))))
    assert 'aria-label="variant 1, cancelled"' in html
    assert "and 2 more" in html
    assert DEAD.is_ok is False
