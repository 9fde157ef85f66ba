"""Enter runs what is complete, and begins a new line where more is to come."""

from collections.abc import Iterator

import pytest

from hearth.clients.repl.completeness import Verdict, next_indent, statements, verdict


@pytest.mark.parametrize(
    "code",
    [
        "1+1",
        "x = 1",
        "",
        "   ",
        "def f(): return 1",
        "for i in range(3):\n    print(i)\n",
        "x = [\n    1,\n]",
        "await thing()",
        "%timeit 1+1",
        "!ls -l",
        "?print",
        "print?",
        "%%time\n1+1\n",
        "1 +* 2",
        "return",
        "x = 'unclosed",
        "s = '''a\n  b'''",
        "a = 1\nb = 2",
        "if x:\n    pass\n\nprint(1)",
    ],
)
def test_what_is_complete_or_broken_is_run(code: str) -> None:
    assert verdict(code) is Verdict.RUN


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(3):",
        "for i in range(3):\n    print(i)",
        "def f(",
        "x = [1,",
        "s = '''a",
        "@decorated",
        "try:\n    x()",
        "x = 1 + \\",
        "%%time",
        "%%time\n1+1",
        "class A:\n    def f(self):\n        %time g()",
    ],
)
def test_what_goes_on_is_not_run(code: str) -> None:
    assert verdict(code) is Verdict.MORE


def test_another_language_goes_on_only_where_its_line_says_so() -> None:
    assert verdict("for i in 1 2; do", python=False) is Verdict.RUN
    assert verdict("echo \\", python=False) is Verdict.MORE
    assert next_indent("  echo:", python=False) == "  "


@pytest.mark.parametrize(
    ("before", "indent"),
    [
        ("x = 1", ""),
        ("if x:", "    "),
        ("if x:  # why: because", "    "),
        ("x = 1  # see:", ""),
        ("    y = ':'", "    "),
        ("f(", "    "),
        ("    return x", ""),
        ("        raise E", "    "),
        ("passing = 1", ""),
        ("def f():\n    if x:", "        "),
        ("", ""),
    ],
)
def test_the_next_line_begins_where_it_should(before: str, indent: str) -> None:
    assert next_indent(before) == indent


def test_statements_are_told_apart_without_running_ahead() -> None:
    text = [
        "x = 1",
        "for i in range(2):",
        "    print(i)",
        "else:",
        "    print('over')",
        "y = [",
        "  2,",
        "]",
        "",
        "def f():",
        "    a = 1",
        "",
        "1 +* 2",
        "try:",
        "    f()",
        "finally:",
        "    pass",
    ]
    assert list(statements(iter(text))) == [
        "x = 1",
        "for i in range(2):\n    print(i)\nelse:\n    print('over')",
        "y = [\n  2,\n]",
        "def f():\n    a = 1",
        "1 +* 2",
        "try:\n    f()\nfinally:\n    pass",
    ]


def test_a_statement_is_given_before_the_next_line_is_asked_for() -> None:
    asked: list[str] = []

    def lines() -> Iterator[str]:
        for line in ("x = 1", "y = 2"):
            asked.append(line)
            yield line

    given = statements(lines())
    assert next(given) == "x = 1"
    assert asked == ["x = 1"]


def test_what_never_ends_is_given_at_the_end() -> None:
    assert list(statements(iter(["def f(", "   "]))) == ["def f("]
    assert list(statements(iter([]))) == []


def test_what_stands_between_statements_is_taken_apart() -> None:
    def apart(line: str) -> str | None:
        return line.upper() if line.startswith(".") else None

    lines = iter(["(x", ".no", ")", ".yes", "if x:", "    y", ".too"])
    assert list(statements(lines, apart=apart)) == ["(x\n.no\n)", ".YES", "if x:\n    y", ".TOO"]
