from pathlib import Path

import pytest

from hearth.settings.problems import Problem, SettingsError


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem("/f", "is wrong"), "/f: is wrong"),
        (Problem("/f", "is wrong", key="a.b"), "/f: a.b: is wrong"),
        (Problem("/f", "is wrong", "5", "a.b", 3), "/f:3: a.b: is wrong; right would be 5"),
        (Problem("$HEARTH_PORT", "is wrong", "5"), "$HEARTH_PORT: is wrong; right would be 5"),
    ],
)
def test_a_problem_says_where_what_and_what_would_be_right(problem: Problem, said: str) -> None:
    assert str(problem) == said


def test_an_error_and_its_problem_say_the_same() -> None:
    error = SettingsError(Path("/f"), "is wrong", "5", "a.b", 3)
    assert error.problem() == Problem("/f", "is wrong", "5", "a.b", 3)
    assert str(error) == str(error.problem())
