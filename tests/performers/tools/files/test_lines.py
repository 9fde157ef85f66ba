import tracemalloc
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.files.lines import LINES, LONGEST, ROOM, Lines, Span, numbered, taken


def read(content: bytes, span: Span | None = None, step: int = 1000) -> Lines:
    return taken((content[at : at + step] for at in range(0, len(content), step)), span or Span())


@given(
    st.text(st.sampled_from("a\u00fc\n\r\U0001f600"), max_size=60),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(1, 7),
)
def test_lines_are_the_same_however_they_come_in(
    text: str, offset: int, limit: int, column: int, step: int
) -> None:
    found = read(text.encode(), Span(offset, limit, column, 3), step)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    assert found.total == len(lines)
    expected = [line.removesuffix("\r") for line in lines[offset - 1 : offset - 1 + limit]]
    assert [one.text for one in found.lines] == [line[column - 1 :][:3] for line in expected]
    assert [one.length for one in found.lines] == [len(line) for line in expected]
    assert [one.number for one in found.lines] == [offset + one for one in range(len(expected))]
    assert not found.is_damaged


def test_a_long_line_is_cut_and_says_so() -> None:
    found = read(b"x" * 1_000_000 + b"\nshort\n", step=65536)
    assert [len(one.text) for one in found.lines] == [LONGEST, 5]
    assert [one.length for one in found.lines] == [1_000_000, 5]
    assert [one.is_cut(Span()) for one in found.lines] == [True, False]
    [rest] = read(b"x" * 2500, Span(1, 1, 2001)).lines
    assert (len(rest.text), rest.is_cut(Span(1, 1, 2001))) == (500, False)


def test_no_more_is_taken_than_there_is_room_for() -> None:
    found = read((b"y" * 1500 + b"\n") * 600)
    assert 5 < len(found.lines) < LINES
    assert sum(len(one.text) for one in found.lines) <= ROOM
    assert found.total == 600
    assert len(read(b"z\n" * 600).lines) == LINES


def test_a_line_that_is_longer_than_the_room_is_shown_all_the_same() -> None:
    assert len(read(b"x" * 100, Span(room=10)).lines) == 1


def test_what_is_no_utf_8_is_told_and_what_only_looks_like_it_is_not() -> None:
    assert read(b"caf\xe9\n").is_damaged
    assert read(b"cut \xf0\x9f").is_damaged
    assert not read("\ufffd\n".encode()).is_damaged
    assert read(b"a\0b").lines[0].text == "a\u2400b"


def test_carriage_returns_are_counted_and_not_shown() -> None:
    found = read(b"a\r\nb\n", step=2)
    assert [one.text for one in found.lines] == ["a", "b"]
    assert found.carriage_returns == 1


def test_a_large_stream_is_never_held() -> None:
    def stream() -> Iterator[bytes]:
        for _ in range(100):
            yield b"some line of text\n" * 50_000

    tracemalloc.start()
    try:
        found = taken(stream(), Span(offset=3_000_000, limit=2))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.total == 5_000_000
    assert [one.number for one in found.lines] == [3_000_000, 3_000_001]
    assert peak < 10_000_000


def test_numbers_stand_below_each_other() -> None:
    assert list(numbered([(9, "a"), (10, "b")])) == [" 9→a", "10→b"]
