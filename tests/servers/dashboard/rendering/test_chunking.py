from hypothesis import given
from hypothesis import strategies as st

from hearth.servers.dashboard.rendering.chunking import (
    LONGEST_LINE,
    MOST,
    Chunk,
    chunks,
    is_fenced,
)

LINES = st.sampled_from(
    [
        *("text", "- a", "  more", "1. b", "   three", "```", "```py", "~~~", "", "", "  ", "# h"),
        *("| a |", "|---|", "> q", "    code", "    ```", "- ```", "***", "x" * 900, "`a` ``b"),
    ]
)


def test_chunks_end_at_blank_lines_outside_of_fences() -> None:
    made = [one.text for one in chunks("a\nb\n\n```py\nx\n\ny\n```\n\nc")]
    assert made == ["a\nb", "```py\nx\n\ny\n```", "c"]


def test_an_item_of_a_list_keeps_what_is_set_in_below_it() -> None:
    made = [one.text for one in chunks("1. a\n\n   more\n\n2. b\n- c\n\nend")]
    assert made == ["1. a\n\n   more", "2. b\n- c", "end"]


def test_an_open_fence_says_so() -> None:
    assert [one.is_open for one in chunks("a\n\n```py\nx\n\ny")] == [False, True]


@given(st.lists(LINES, max_size=40).map("\n".join), st.integers(0, 2000))
def test_a_growing_text_changes_none_but_its_last_two_chunks(text: str, end: int) -> None:
    before, after = chunks(text[:end]), chunks(text)
    kept = max(0, len(before) - 2)
    assert before[:kept] == after[:kept]


@given(st.lists(LINES, max_size=40).map("\n".join))
def test_no_word_is_lost(text: str) -> None:
    words = "".join(one.text for one in chunks(text))
    for line in set(text.split()) - {"```", "```py", "~~~"}:
        assert words.count(line) >= text.count(line) - 1


def test_whatever_is_long_is_cut() -> None:
    for text in (
        "x" * 1_000_000,
        "word\n" * 100_000,
        f"```py\n{'x = 1' * 100_000}",
        "- a\n" * 50_000,
    ):
        assert max(len(one.text) for one in chunks(text)) <= 3 * MOST + LONGEST_LINE + 10


def test_a_long_fence_goes_on_as_code() -> None:
    made = chunks("```py\n" + "x = 1\n" * 10_000 + "```\n\nend")
    assert len(made) > 2
    assert all(one.text.startswith("```py\n") for one in made[:-1])
    assert made[-1] == Chunk("end")


def test_only_what_is_nothing_but_code_is_taken_for_it() -> None:
    assert is_fenced(Chunk("```py\nx\n```")) is not None
    assert is_fenced(Chunk("```py\nx")) is not None
    assert is_fenced(Chunk("```py\nx\n```\nmore")) is None
    assert is_fenced(Chunk("x")) is None
