"""Markdown is shown lightly, code in colours, and nothing of it reaches the terminal as more."""

import re
from pathlib import Path

import pytest

from hearth.clients.repl import marking
from hearth.clients.repl.marking import LONGEST_FENCE, Markdown

EMPTY = re.compile(r"\x1b\[\d+m\x1b\[39;49;00m")
"""The colour of the end of a line, which nobody sees."""


def shown(*lines: str, colour: bool = True) -> list[str]:
    marks = Markdown(colour=colour)
    return [marks.line(line) for line in lines]


def test_headings_strong_words_and_code_stand_out() -> None:
    assert shown("## A *title* ##", "so **very** `good`", "#5 is no heading") == [
        "\x1b[1mA *title*\x1b[0m",
        "so \x1b[1mvery\x1b[0m \x1b[36mgood\x1b[0m",
        "#5 is no heading",
    ]
    assert shown("## A", "**b** `c`", colour=False) == ["## A", "**b** `c`"]


def test_stars_in_code_stay_code() -> None:
    assert shown("`**kwargs**`") == ["\x1b[36m**kwargs**\x1b[0m"]


def test_code_between_fences_is_coloured_and_is_no_markdown() -> None:
    opened, comment, code, closed, after = shown("```python", "# x", "def f(): pass", "```", "# y")
    assert opened == "\x1b[2m```python\x1b[0m"
    assert "# x" in comment
    assert comment != "\x1b[1mx\x1b[0m"
    assert "\x1b[" in code
    assert closed == "\x1b[2m```\x1b[0m"
    assert after == "\x1b[1my\x1b[0m"
    assert shown("```", "**x**", "```")[1] == "**x**"
    assert shown("```nobodys-language", "**x**")[1] == "**x**"
    assert shown("```python", "def f(): pass", colour=False)[1] == "def f(): pass"


def test_a_text_over_several_lines_of_code_keeps_its_colour() -> None:
    _, first, second, _, _ = shown("~~~py", 'x = """a', "for b", '"""', "~~~")
    keyword = shown("~~~py", "for b")[1]
    assert second != keyword
    assert "a" in first


def test_code_that_comes_line_by_line_looks_like_code_that_comes_at_once() -> None:
    code = Path(marking.__file__).read_text().rstrip("\n")
    lines = [*code.split("\n"), "x = '''", "for y", "'''", "for y in x: pass"]
    assert len(lines) < LONGEST_FENCE
    at_once = marking._coloured("\n".join(lines), "python")
    assert "\n".join(shown("```python", *lines)[1:]) == EMPTY.sub("", at_once)


def test_what_stands_above_a_line_of_code_is_not_coloured_again_with_every_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coloured = marking._coloured
    given: list[str] = []

    def counted(code: str, language: str) -> str:
        given.extend(code.split("\n"))
        return coloured(code, language)

    monkeypatch.setattr(marking, "_coloured", counted)
    block = [
        "def f(x):",
        "    '''Add one.",
        "",
        "    To what it is given.",
        "    '''",
        "    return x",
    ]
    lines = shown("```python", *block * 30)
    assert all("\x1b[" in line for line in lines[1:] if line)
    assert len(given) < 10 * len(lines)


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert shown("````", "```", "**x**", "````", "**y**")[2:] == [
        "**x**",
        "\x1b[2m````\x1b[0m",
        "\x1b[1my\x1b[0m",
    ]


def test_very_long_code_is_no_longer_coloured() -> None:
    lines = shown("```python", *["pass"] * (LONGEST_FENCE + 1))
    assert lines[LONGEST_FENCE] != "pass"
    assert lines[-1] == "pass"


def test_nothing_in_it_reaches_the_terminal() -> None:
    evil = "\x1b]52;c;AAAA\x07\x1b[2J\x1b[31mred"
    for line in shown(evil, f"# {evil}", "```python", evil, f"```{evil}", colour=False):
        assert "\x1b" not in line
    coloured = "".join(shown(f"**{evil}**", "```python", f"x = '{evil}'"))
    assert "\x1b]" not in coloured
    assert "\x1b[2J" not in coloured
    assert "\x1b[31mred" not in coloured


def test_a_whole_text_is_shown_line_by_line() -> None:
    assert Markdown(colour=False).lines("a\n\nb") == "a\n\nb"
