"""What a model is told of how its cell or question ended."""

import pytest

from hearth.core.rules.rendering import NOTHING, Closed, Rendered, failure, rendered, shortened
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Blob, Diagnostic, RichData, Severity, StreamText
from hearth.core.vocabulary.ids import CellId

C1 = CellId("c1")
FINDING = Diagnostic("undefined name `ys`", Severity.ERROR, 1, 4, 1, 6, "undefined-name")
PLOT = RichData({"text/plain": "<Figure>", "image/png": "aGk="})


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (e.CellFinished(C1, 0.1), NOTHING),
        (e.CellFinished(C1, 0.1, "2", "int"), "Out: 2"),
        (
            e.CellFinished(C1, 0.1, "2", outputs=(StreamText("stdout", "a\n"),), dropped=7),
            "a\nOut: 2\n(7 bytes of output were too many to be kept.)",
        ),
        (e.CellFinished(C1, 0.1, outputs=(PLOT,)), "<Figure>\n[shown to people: image/png]"),
        (
            e.CellFinished(C1, 0.1, "2", outputs=(RichData({"text/plain": "2"}, is_result=True),)),
            "Out: 2",
        ),
        (e.CellFinished(C1, 0.1, outputs=Blob("a" * 64, 9000)), "(9000 bytes of output)"),
        (e.CellFinished(C1, 0.1, Blob("a" * 64, 9000, head="long")), "Out: long…"),
        (e.DiagnosticsChecked("k"), "No errors found."),
        (
            e.DiagnosticsChecked("k", (FINDING,)),
            "1:5: error: undefined name `ys` [undefined-name]",
        ),
        (e.InspectionReturned(Inspection()), "There is no such name."),
        (
            e.InspectionReturned(
                Inspection(
                    found=True,
                    name="turn",
                    kind="function",
                    signature="(wheel)",
                    doc="Turn it.",
                    file="wheels.py",
                    line=3,
                )
            ),
            "turn function\n(wheel)\nTurn it.\nwheels.py:3",
        ),
    ],
)
def test_what_went_well_is_told_as_it_was_shown(event: Closed, text: str) -> None:
    assert rendered(event) == Rendered(text)


@pytest.mark.parametrize(
    ("event", "part"),
    [
        (e.CellFailed(C1, f.CodeRaised("ZeroDivisionError", "by zero", "line 1")), "line 1"),
        (e.CellFailed(C1, f.CodeRaised("ZeroDivisionError", "by zero")), "ZeroDivisionError: by"),
        (e.CellFailed(C1, f.TimedOut(2.0, 2.1)), "longer than 2 seconds"),
        (e.CellFailed(C1, f.Interrupted("cut off")), "Interrupted, effects unknown: cut off"),
        (e.CellFailed(C1, f.WorkerCrashed("signal 9")), "lost with all its names (signal 9)"),
        (e.CellFailed(C1, f.WarmUpFailed("no python")), "effects unknown"),
        (e.CellFailed(C1, f.ProjectNotFound("/p")), "/p is not there"),
        (e.CellFailed(C1, f.CheckFailed((FINDING,))), "undefined name"),
        (
            e.CellCancelled(C1, 0.1, (StreamText("stdout", "half"),)),
            "half\nThe cell was cancelled.",
        ),
        (e.CellWithdrawn(C1, "the session was reset"), "Not run: the session was reset."),
        (e.QuestionAbandoned("the daemon was restarted"), "No answer: the daemon was restarted."),
    ],
)
def test_what_went_wrong_is_an_error_and_says_how(event: Closed, part: str) -> None:
    result = rendered(event)
    assert result.is_error
    assert part in result.text
    assert failure("x") == Rendered("x", is_error=True)


def test_what_is_too_long_keeps_its_head_and_its_tail() -> None:
    short = shortened("a" * 100 + "z" * 100, 40, "in the file f")
    assert short.startswith("a" * 30 + "\n…")
    assert short.endswith("…\n" + "z" * 10)
    assert "160 characters" in short
    assert "in the file f" in short
    assert shortened("short", 40, "nowhere") == "short"
