import pytest

from hearth.performers.judging.shell.looping import set_once
from hearth.performers.judging.shell.reading import read


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("for x in a; do ls $x; done", {"x"}),
        ("for x in a; do for y in b; do ls; done; done", {"x", "y"}),
        ("for x in a; do ls; done; y=1", {"x"}),
        ("echo read; for x in a; do ls; done", {"x"}),
        ("echo $(for x in a; do ls; done)", {"x"}),
    ],
)
def test_the_variable_of_one_loop_is_set_once(line: str, names: set[str]) -> None:
    assert set_once([read(line).sequence]) == names


@pytest.mark.parametrize(
    "line",
    [
        "for x in a; do ls; done; for x in b; do ls; done",
        "for x in a; do for x in b; do ls; done; done",
        "for x in a; do for \\\nx in b; do ls; done; done",
        "for x in a; do x=b; done",
        "for x in a; do x=b ls; done",
        "for x in a; do x+=b; done",
        "for x in a; do if x=b; then ls; fi; done",
        "for x in a; do echo $(x=b); done",
        "for x in a; do y=$(x=b); done",
        "for x in a; do ls > $(x=b); done",
        "for x in a; do read y; done",
        "for x in a; do r'ea'd x; done",
        "for x in a; do re?d x; done",
        "for x in a; do {read,x}; done",
        "for x in a; do $y x; done",
    ],
)
def test_one_that_anything_else_may_set_is_not(line: str) -> None:
    assert "x" not in set_once([read(line).sequence])


def test_what_here_documents_run_counts() -> None:
    found = read("for x in a; do ls; done\ncat <<E\n$(x=b)\nE")

    assert set_once([found.sequence]) == {"x"}
    assert set_once([found.sequence, *found.documented]) == set()
