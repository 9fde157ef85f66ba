"""Texts that must not become too long, and code that has a name."""

import pytest

from hearth.performers.interpreter.inside.shell import HearthCompiler, cut, error_text


def test_a_text_is_cut_where_it_is_too_long_and_says_how_much_is_missing() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcdef", 3) == "abc\n... 3 more characters were not sent"


def test_an_exception_that_cannot_say_what_it_is_gets_words() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert error_text(ValueError("why")) == "why"
    assert error_text(Mute()) == "(its text could not be made: ValueError)"


@pytest.mark.parametrize("script", [None, "/x/report.py"])
def test_code_is_known_by_its_name(script: str | None) -> None:
    compiler = HearthCompiler()
    compiler.script = script
    name = compiler.cache("1 + 1", 5, raw_code="1 + 1")
    assert compiler.names == {name}
    if script is None:
        assert compiler.format_code_name(name) == ("Cell", "In[5]")
    else:
        assert name == script
        assert compiler.format_code_name(name) is None
