"""What is typed to be tried is taken apart as it was meant."""

import pytest

from hearth.clients.repl.trial import gathered, is_over, is_trial, piece_at, variants_of


@pytest.mark.parametrize(
    ("said", "variants"),
    [
        ("", ()),
        ("---", ()),
        ("f(1)", ("f(1)",)),
        ("f(1) --- f(2) --- f(3)", ("f(1)", "f(2)", "f(3)")),
        ("x---y", ("x---y",)),
        ("x = 1\nx\n---\nx = 2\nx", ("x = 1\nx", "x = 2\nx")),
        ("    x = 1\n    x\n-----\n\n  y", ("x = 1\nx", "y")),
        ("x = 1 --- 2\nx", ("x = 1 --- 2\nx",)),
        ("if a:\n    b\n\n---\nc\n", ("if a:\n    b", "c")),
    ],
)
def test_variants_are_what_stands_between_dividers(said: str, variants: tuple[str, ...]) -> None:
    assert variants_of(said) == variants


def test_only_a_trial_is_one() -> None:
    assert is_trial(".try")
    assert is_trial(":try x --- y")
    assert is_trial(".try\nx")
    assert not is_trial(".tree")
    assert not is_trial("try:")
    assert not is_trial("x")


@pytest.mark.parametrize(
    ("text", "over"),
    [
        (".try", False),
        (".try f(1) --- f(2)", True),
        (".try f(", False),
        (".try\nx", False),
        (".try\nx\n", True),
        (".try\n", False),
        (".try\n\n", False),
        (".try\nif a:\n", False),
        (".try\nx\n---\ny\n", True),
        (".try x\n---\ny\n", True),
    ],
)
def test_an_empty_line_ends_variants_of_several_lines(text: str, *, over: bool) -> None:
    assert is_over(text) is over


def test_lines_are_gathered_until_it_is_over() -> None:
    rest = iter(["x = 1\n", "---\n", "x = 2\n", "\n", "1+1\n"])
    assert gathered(".try\n", rest) == ".try\nx = 1\n---\nx = 2"
    assert next(rest) == "1+1\n"
    assert gathered(".try 1 --- 2", iter(["3"])) == ".try 1 --- 2"
    assert gathered(".try", iter([])) == ".try"


def test_the_variant_at_the_cursor_is_what_is_asked_about() -> None:
    text = ".try\nxs.ap\n---\nys.po"
    assert piece_at(text, text.index("ap") + 2) == ("xs.ap\n", 5)
    assert piece_at(text, len(text)) == ("ys.po", 5)
    assert piece_at(".try xs", 7) == ("xs", 2)
    assert piece_at(" :try  xs.ap --- ys.po --- z", 12) == ("xs.ap", 5)
    assert piece_at(".try xs.ap --- ys.po --- z", 20) == (" ys.po", 6)
    assert piece_at(".try xs", 3) == (".try xs", 3)
