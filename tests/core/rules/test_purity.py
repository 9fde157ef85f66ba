"""Only what is proven to look, and nothing else, is taken for looking."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st

from hearth.core.rules.purity import LONGEST, only_looks, read_only
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob


@pytest.mark.promise("SF-REPLAY-02")
@pytest.mark.parametrize(
    "code",
    ["", "x", "x.y.z", "42", "'text'", "...", "x, y", "[x, 1]", "{'a': x}", "(x,\n y)", "x\ny.z",
     "# only a remark", "pass", "x  # and why"],
)  # fmt: skip
def test_names_literals_and_attributes_only_look(code: str) -> None:
    assert only_looks(code)


@pytest.mark.promise("SF-REPLAY-02")
@pytest.mark.parametrize(
    "code",
    ["x = 1", "x: int = 1", "x += 1", "(x := 1)", "del x", "import x", "from x import y",
     "def f(): pass", "class C: pass", "f()", "x.append(1)", "x[0]", "x + y", "-x", "not x",
     "x < y", "x if y else z", "await x", "[x for x in y]", "f'{x}'", "*x,", "{x}", "lambda: x",
     "x; y = 1", "assert x", "raise x", "with x: pass", "for x in y: pass", "x.y = 1",
     "{**x}", "global x", "print"+"(x)"],
)  # fmt: skip
def test_whatever_might_change_something_is_not_proven(code: str) -> None:
    assert not only_looks(code)


@pytest.mark.parametrize(
    "code", ["%matplotlib inline", "!ls", "ls -l", "x?", "def", "(", "\0", "x\ud800"]
)
def test_what_is_not_python_is_not_proven(code: str) -> None:
    assert not only_looks(code)


@pytest.mark.parametrize("code", ["exit", "quit", "cd", "reset", "x\nexit"])
def test_a_command_that_looks_like_a_name_is_not_proven(code: str) -> None:
    assert not only_looks(code)
    assert only_looks(code.replace("x\n", "").strip() + ".x")


def test_long_code_is_not_looked_at() -> None:
    assert only_looks("x" * LONGEST)
    assert not only_looks("x" * (LONGEST + 1))
    assert not only_looks("(" * LONGEST)


@whenever(st.text(st.characters(), max_size=30))
def test_any_text_is_judged(code: str) -> None:
    assert only_looks(code) in {True, False}


@pytest.mark.promise("SF-REPLAY-02")
def test_only_python_is_judged() -> None:
    assert read_only(SessionConfig(), "x")
    assert not read_only(SessionConfig(), "x()")
    assert not read_only(SessionConfig(interpreter="bash"), "x")
    assert not read_only(None, "x")


def test_code_kept_elsewhere_is_too_long_to_be_judged() -> None:
    assert not read_only(SessionConfig(), Blob("0" * 64, 10, head="x"))
