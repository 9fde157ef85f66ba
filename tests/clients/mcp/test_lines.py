from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.mcp.lines import Lines


@given(st.binary(max_size=200), st.integers(1, 7))
def test_lines_are_the_same_however_they_are_cut(data: bytes, size: int) -> None:
    lines = Lines()
    found: list[bytes | None] = []
    for start in range(0, len(data), size):
        found += lines.feed(data[start : start + size])
    found += lines.ended()
    stripped = [line.strip(b" \t\r") for line in data.split(b"\n")]
    assert found == [line for line in stripped if line]


def test_a_line_that_is_too_long_is_none_and_the_next_is_whole() -> None:
    lines = Lines(longest=5)
    assert lines.feed(b"12345\n1234") == [b"12345"]
    assert lines.feed(b"56") == []
    assert lines.feed(b"789") == []
    assert lines.feed(b"0\nnext\n") == [None, b"next"]
    assert lines.feed(b"123456") == []
    assert lines.ended() == [None]
    assert lines.ended() == []


def test_what_was_thrown_away_is_not_kept() -> None:
    lines = Lines(longest=5)
    for _ in range(100):
        lines.feed(b"x" * 4)
    assert lines._pieces == []
