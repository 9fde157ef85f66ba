"""What begins with > is for the agent, and nothing that is code does."""

import pytest

from hearth.clients.repl.completeness import Verdict, verdict
from hearth.clients.repl.messages import gathered, is_bare, is_message, is_over, message_of


@pytest.mark.parametrize("text", ["> hi", ">hi", ">", "> ", "  > hi", ">\nhi", "> > quoted"])
def test_what_begins_with_the_sign_is_a_message(text: str) -> None:
    assert is_message(text)


@pytest.mark.parametrize("text", ["", "x > 1", ">>> 1+1", ">>", "(a\n> b)", "hi"])
def test_code_is_none(text: str) -> None:
    assert not is_message(text)


def test_no_code_that_can_be_run_is_a_message() -> None:
    for text in ("> 1", ">x"):
        with pytest.raises(SyntaxError):
            compile(text, "<cell>", "exec")
    assert verdict(">>> 1") is Verdict.RUN


@pytest.mark.parametrize(
    ("text", "over", "said"),
    [
        ("> hi", True, "hi"),
        (">hi  ", True, "hi"),
        ("> a\\", False, "a\\"),
        ("> a\\\nb", True, "a\nb"),
        ("> pasted\nover\nlines", True, "pasted\nover\nlines"),
        (">", False, ""),
        (">\n", True, ""),
        (">\nfirst", False, "first"),
        (">\nfirst\n\n", True, "first"),
        (">\npath\\\nx\n", True, "path\\\nx"),
        ("> > quoted", True, "> quoted"),
    ],
)
def test_a_message_is_over_where_it_says_so(text: str, over: bool, said: str) -> None:  # noqa: FBT001 - a table
    assert is_over(text) is over
    assert message_of(text) == said


def test_the_sign_alone_says_nothing() -> None:
    assert is_bare("> ")
    assert is_bare("")
    assert not is_bare("> x")


def test_a_message_is_gathered_out_of_lines_up_to_its_end() -> None:
    lines = iter(["one\n", "two\r\n", "\n", "1+1\n"])
    assert message_of(gathered(">", lines)) == "one\ntwo"
    assert next(lines) == "1+1\n"
    assert gathered("> at once", lines) == "> at once"
    assert gathered("> goes on\\", iter(["to the end"])) == "> goes on\\\nto the end"
    assert gathered(">", iter(["cut off"])) == ">\ncut off"
