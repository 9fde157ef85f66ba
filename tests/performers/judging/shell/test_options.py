import pytest

from hearth.performers.judging.shell.options import given, table
from hearth.performers.judging.shell.proving import Unproven

_TABLE = table("lan n: f< c?", "--all --max: --file< --color?", numbers=True)


def test_options_values_and_operands_are_told_apart() -> None:
    found = given(
        ("-la", "x", "-n5", "-n", "6", "--max", "7", "--color", "--color=on", "-3", "--", "-z"),
        _TABLE,
    )

    assert found.operands == ("x", "-z")
    assert found.options == (
        ("-l", ""), ("-a", ""), ("-n", "5"), ("-n", "6"), ("--max", "7"), ("--color", ""),
        ("--color", "on"), ("-0", "3"),
    )  # fmt: skip
    assert found.has("--max")
    assert not found.has("--all")


def test_paths_behind_options_are_read() -> None:
    assert given(("-fa", "-f", "b", "--file=c", "--file", "d"), _TABLE).reads == (
        "a",
        "b",
        "c",
        "d",
    )


@pytest.mark.parametrize(
    "texts", [("-z",), ("-lz",), ("--al",), ("--all=x",), ("--output=x",), ("-n",), ("---",)]
)
def test_what_is_not_in_the_table_is_not_proven(texts: tuple[str, ...]) -> None:
    with pytest.raises(Unproven):
        given(texts, _TABLE)


def test_a_table_is_checked_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="more than one"):
        table("abc:")


def test_what_may_be_a_value_and_may_be_an_operand_counts_as_both() -> None:
    either = table("a n: U+", "--author+", is_wary=True)

    found = given(("--author", "ann", "-U", "3", "--author=-x", "-n", "5", "--author"), either)

    assert found.operands == ("ann", "3")
    assert found.options == (
        ("--author", "ann"), ("-U", "3"), ("--author", "-x"), ("-n", "5"), ("--author", ""),
    )  # fmt: skip


@pytest.mark.parametrize(
    "texts", [("--author", "-a"), ("-U", "-a"), ("-n", "-a"), ("-an", "5"), ("-aU3",), ("--", "-a")]
)
def test_what_looks_like_an_option_is_no_value_where_that_is_not_sure(
    texts: tuple[str, ...],
) -> None:
    with pytest.raises(Unproven):
        given(texts, table("a n: U+", "--author+", is_wary=True))
