import pytest

from hearth.performers.judging.shell.proving import Argument
from hearth.performers.judging.shell.wrapping import Wrapped, unwrapped


def _unwrapped(*texts: str | None) -> Wrapped | None:
    words = tuple(Argument(text or "$x", text) for text in texts)
    return unwrapped(texts[0] or "", words[1:])


def _inner(found: Wrapped | None) -> list[list[str | None]]:
    assert found is not None
    return [[word.text for word in one] for one in found.inner]


@pytest.mark.parametrize(
    "words",
    [
        ("timeout", "5", "rm", "x"), ("timeout", "-k", "1", "--signal=9", "5s", "rm", "x"),
        ("nice", "-n", "5", "rm", "x"), ("nice", "-5", "rm", "x"), ("env", "rm", "x"),
        ("env", "A=1", "rm", "x"), ("stdbuf", "-oL", "rm", "x"), ("time", "-p", "rm", "x"),
        ("ionice", "-c3", "rm", "x"),
    ],
)  # fmt: skip
def test_what_only_runs_something_is_taken_away(words: tuple[str, ...]) -> None:
    found = _unwrapped(*words)

    assert _inner(found) == [["rm", "x"]]
    assert found is not None
    assert found.is_transparent
    assert not found.doubt


@pytest.mark.parametrize(
    "words",
    [
        ("sudo", "-u", "root", "rm", "x"), ("sudo", "--", "rm", "x"), ("doas", "rm", "x"),
        ("builtin", "rm", "x"), ("flock", "-n", "rm", "x"),
    ],
)  # fmt: skip
def test_what_does_more_than_that_is_doubted_and_still_seen_through(words: tuple[str, ...]) -> None:
    found = _unwrapped(*words)

    assert _inner(found) == [["rm", "x"]]
    assert found is not None
    assert found.doubt


def test_what_is_read_from_elsewhere_is_not_known() -> None:
    assert _inner(_unwrapped("xargs", "-n1", "rm", "-f")) == [["rm", "-f", None]]
    assert _inner(_unwrapped("find", ".", "-exec", "rm", "{}", ";")) == [["rm", None]]


def test_lines_within_words_are_lines() -> None:
    bash = _unwrapped("bash", "-c", "ls; pwd")
    assert bash is not None
    assert (bash.script, bash.is_transparent, bash.doubt) == ("ls; pwd", True, "")
    for words in (("sh", "-c", "ls"), ("bash", "-lc", "ls"), ("eval", "ls"), ("su", "-c", "ls")):
        found = _unwrapped(*words)
        assert found is not None
        assert found.script == "ls"
        assert found.doubt


@pytest.mark.parametrize(
    "words",
    [
        ("timeout", None, "ls"), ("timeout", "--unknown", "5", "ls"), ("env", "-i", "ls"),
        ("env", None),
        ("bash", "x.sh"), ("bash",), ("bash", "-c", None), ("xargs", "--unknown"), ("eval", None),
        ("source", "x"), (".", "x"), ("exec", "ls"), ("alias", "a=b"),
        ("trap", "x", "EXIT"), ("hash", "-p", "x", "y"), ("export", "A=1"), ("set", "-e"),
        ("docker", "run", "x"), ("ssh", "h"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_doubted(words: tuple[str | None, ...]) -> None:
    found = _unwrapped(*words)

    assert found is not None
    assert found.doubt
    assert not found.is_transparent


def test_what_runs_nothing_else_is_left_alone() -> None:
    for words in (
        ("ls", "-l"),
        ("find", ".", "-name", "x"),
        ("bash", "--version"),
        ("docker", "ps"),
    ):
        assert _unwrapped(*words) is None
