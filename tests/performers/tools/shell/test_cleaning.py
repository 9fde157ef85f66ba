import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.shell.cleaning import Reading, complete, readable


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"plain\n", "plain\n"),
        (b"\x1b[1;31mred\x1b[0m and \x1b[38;5;9mpink\x1b[m", "red and pink"),
        (b"\x1b]0;a title\x07after", "after"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPdevice\x1b\\x", "x"),
        (b"\x1b(Bcharset", "charset"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"10%\r 50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"only\r", "only"),
        (b"N\x08NA\x08AM\x08ME\x08E", "NAME"),
        (b"bell\x07 nul\x00 tab\t back\x08\x08", "bell nul tab\t bac"),
        ("schön ✓ 😀".encode(), "schön ✓ 😀"),
        (b"half \xe2\x9c", "half �"),
        (b"\xff\xfe", "��"),
        ("\x9b31mold".encode(), "31mold"),
    ],
)
def test_what_is_for_terminals_is_gone_and_the_rest_is_there(written: bytes, read: str) -> None:
    assert readable(written) == read


def test_a_sequence_without_an_end_does_not_hide_what_comes_after_its_line() -> None:
    text = readable(b"a\x1b]0;never ends\nthe next line\n" + b"x" * 10_000)
    assert "the next line\n" in text
    assert "\x1b" not in text
    assert text.endswith("x")


@given(st.binary(max_size=400))
def test_nothing_that_steers_a_terminal_is_left_whatever_was_written(written: bytes) -> None:
    text = readable(written)
    steering = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}
    assert not steering & set(text)


@given(
    st.lists(st.sampled_from([b"a", b"\xe2\x9c\x93", b"\x1b[31m", b"\n", b"\x1b]0;t\x07", b"\r\n"]))
)
def test_pieces_read_as_the_whole_does_wherever_they_are_cut(parts: list[bytes]) -> None:
    written = b"".join(parts)
    reading = Reading()
    text = "".join(reading.piece(bytes([byte])) for byte in written) + reading.rest()
    assert text == readable(written)


def test_a_line_that_is_written_anew_is_a_new_line_where_the_old_one_was_shown_already() -> None:
    reading = Reading()
    pieces = [reading.piece(one) for one in (b"10%\r", b"20%\r", b"\n", b"done\n")]
    assert pieces == ["10%", "\n20%", "\n", "done\n"]
    assert not reading.rest()


@pytest.mark.parametrize(
    ("content", "whole"),
    [
        (b"", 0),
        (b"abc", 3),
        ("aé".encode(), 3),
        ("aé".encode()[:-1], 1),
        ("😀".encode()[:3], 0),
        ("a😀".encode()[:2], 1),
        ("😀".encode(), 4),
        (b"\x80\x80\x80\x80", 4),
    ],
)
def test_half_a_character_is_not_complete(content: bytes, whole: int) -> None:
    assert complete(content) == whole


@pytest.mark.parametrize(
    "hostile",
    [b"\x1b]" * 200_000, b"x" * 500_000 + b"\ry", b"\x1b[" + b"0;" * 250_000, b"\r" * 500_000],
)
def test_what_is_made_to_take_long_does_not(hostile: bytes) -> None:
    began = time.process_time()
    readable(hostile)
    assert time.process_time() - began < 5
