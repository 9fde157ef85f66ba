import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.sizes import PATTERN, shown_size, size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1B", 1),
        ("512 MiB", 512 << 20),
        ("2GiB", 2 << 30),
        ("1.5 kB", 1500),
        ("1 KB", 1000),
        ("3 TB", 3 * 10**12),
        ("0.5 KiB", 512),
    ],
)
def test_a_size_is_read_as_people_write_it(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "0 B",
        "0.1 B",
        "-1 B",
        "5 gib",
        "5  GiB",
        "5 GiB\n",
        " 5 GiB",
        "GiB",
        "1e3 B",
        "٣ B",
    ],
)
def test_whatever_else_is_no_size(text: str) -> None:
    assert size_of(text) is None


@given(st.from_regex(PATTERN))
def test_what_has_the_form_is_read_without_an_error(text: str) -> None:
    size = size_of(text)
    assert size is None or size > 0


@given(st.integers(0, 2**60))
def test_a_shown_size_is_short_and_can_be_written_again(size: int) -> None:
    shown = shown_size(size)
    assert len(shown) < 14
    assert re.match(PATTERN, shown)


def test_round_sizes_are_shown_round() -> None:
    assert [shown_size(one) for one in (7, 1 << 10, 3 << 19, 8 << 30)] == [
        "7 B",
        "1 KiB",
        "1.5 MiB",
        "8 GiB",
    ]
