"""What counts as a difference between two runs of a cell, and what never does."""

import pytest
from hypothesis import given as whenever
from tests.contracts.words import strategy_for

from hearth.core.rules.comparing import SHORT, Closer, difference
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.answers import Difference
from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText, Text
from hearth.core.vocabulary.ids import CellId

C1 = CellId("c1")
NOTHING = f.CodeRaised("NameError", "name 'x' is not defined")


def finished(value: Text = "", outputs: Outputs = ()) -> e.CellFinished:
    return e.CellFinished(CellId("c9"), 0.1, value, outputs=outputs)


def printed(*texts: str) -> e.CellFinished:
    return finished(outputs=tuple(StreamText("stdout", text) for text in texts))


def displayed(**bundle: Text) -> e.CellFinished:
    named = {kind.replace("_", "/"): data for kind, data in bundle.items()}
    return finished(outputs=(RichData(named),))


BLOB = Blob("a" * 64, 100, head="begun")


@pytest.mark.promise("SF-REPLAY-03")
@pytest.mark.parametrize(
    ("before", "after", "then", "now"),
    [
        (finished("1"), finished("2"), "1", "2"),
        (finished("1"), e.CellFailed(C1, NOTHING), "1", "NameError: name 'x' is not defined"),
        (
            e.CellFailed(C1, NOTHING),
            e.CellFailed(C1, f.CodeRaised("NameError", "name 'y' is not defined")),
            "NameError: name 'x' is not defined",
            "NameError: name 'y' is not defined",
        ),
        (e.CellCancelled(C1), finished("1"), "stopped before its end", "1"),
        (printed("a"), printed("b"), "a", "b"),
        (
            finished(outputs=(StreamText("stderr", "careful"),)),
            finished(),
            "careful",
            "",
        ),
        (displayed(text_plain="[1]"), displayed(text_plain="[2]"), "[1]", "[2]"),
        (displayed(image_png="x"), finished(), "image/png", ""),
        (finished(BLOB), finished(Blob("b" * 64, 101, head="begun")), "begun… (100 bytes)",
         "begun… (101 bytes)"),
        (
            e.CellFailed(C1, NOTHING),
            e.CellFailed(C1, f.Interrupted("cut off")),
            "NameError: name 'x' is not defined",
            "interrupted",
        ),
    ],
)  # fmt: skip
def test_a_difference_says_how_it_was_and_how_it_is(
    before: Closer, after: Closer, then: str, now: str
) -> None:
    assert difference(C1, before, after) == Difference("c1", then, now)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (finished("<f at 0x7f3a2b4c>"), finished("<f at 0x7f99aabbcc>")),
        (printed("took 0.53 s\n"), printed("took 12.1 s\n")),
        (printed("1.2 ms \u00b1 3 \u00b5s per loop"), printed("999 us \u00b1 1 ns per loop")),
        (printed("at 12:30:59"), printed("at 9:01:02.5")),
        (printed("a", "b"), printed("ab")),
        (e.CellCancelled(C1, 5.0), e.CellFailed(C1, f.TimedOut(5.0, 5.1))),
        (e.CellFailed(C1, NOTHING, 0.1), e.CellFailed(C1, NOTHING, 9.0, names=("y",))),
        (displayed(image_png="x"), displayed(image_png="y")),
        (finished(outputs=BLOB), finished(outputs=BLOB)),
    ],
    ids=[
        "addresses", "timings", "units", "clocks", "pieces", "cancelled and timed out",
        "the same failure", "pictures", "kept elsewhere",
    ],
)  # fmt: skip
def test_what_differs_every_time_is_no_difference(before: Closer, after: Closer) -> None:
    assert difference(C1, before, after) is None


def test_numbers_that_are_no_times_count() -> None:
    assert difference(C1, printed("12 sheep"), printed("13 sheep")) is not None
    assert difference(C1, finished("0x12"), finished("0x13")) is not None


def test_of_long_texts_the_place_that_differs_is_told() -> None:
    before, after = "a" * 1000 + "b" * 1000, "a" * 1000 + "c" * 1000
    told = difference(C1, finished(before), finished(after))
    assert told is not None
    assert told.before == "…" + "a" * 40 + "b" * (SHORT - 40) + "…"
    assert told.after == "…" + "a" * 40 + "c" * (SHORT - 40) + "…"
    longer = difference(C1, finished("a" * 1000), finished("a" * 1001))
    assert longer is not None
    assert longer.before != longer.after


@whenever(strategy_for(e.CellFinished | e.CellFailed | e.CellCancelled))
def test_nothing_differs_from_itself(event: Closer) -> None:
    assert difference(C1, event, event) is None
