"""What is packed is unpacked within its room, and no further."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.fetching.unpacking import CannotUnpack, Unpacking

TEXT = b"much of the same " * 1000


def bare(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


@given(st.integers(1, 3000))
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        (" X-GZIP ", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
    ],
    ids=["none", "identity", "gzip", "x-gzip", "deflate"],  # what is packed holds the time
)
def test_what_comes_in_pieces_is_put_together(encoding: str, packed: bytes, size: int) -> None:
    unpacking = Unpacking(encoding, len(TEXT))
    for at in range(0, len(packed), size):
        unpacking.take(packed[at : at + size])
    assert bytes(unpacking.content) == TEXT
    assert not unpacking.is_full


def test_deflate_without_its_head_is_read_as_well() -> None:
    unpacking = Unpacking("deflate", len(TEXT))
    unpacking.take(bare(TEXT))
    assert bytes(unpacking.content) == TEXT


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_what_would_be_huge_stops_where_the_room_ends(encoding: str) -> None:
    huge = bytes(50_000_000)
    packed = {"": huge, "gzip": gzip.compress(huge), "deflate": zlib.compress(huge)}[encoding]
    unpacking = Unpacking(encoding, 1000)
    unpacking.take(packed)
    assert unpacking.is_full
    assert len(unpacking.content) == 1000


def test_what_just_fits_is_not_cut() -> None:
    unpacking = Unpacking("gzip", len(TEXT))
    unpacking.take(gzip.compress(TEXT))
    assert not unpacking.is_full
    cut = Unpacking("gzip", len(TEXT) - 1)
    cut.take(gzip.compress(TEXT))
    assert cut.is_full


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_is_not_packed_as_it_says_is_told(encoding: str) -> None:
    with pytest.raises(CannotUnpack, match="cannot be unpacked"):
        Unpacking(encoding, 1000).take(b"\xff\xff plain")


def test_what_ends_too_early_is_not_whole() -> None:
    packed = gzip.compress(TEXT)
    whole, part, nothing = (Unpacking("gzip", len(TEXT)) for _ in range(3))
    whole.take(packed)
    part.take(packed[:-10])
    assert whole.is_whole
    assert not part.is_whole
    assert nothing.is_whole


def test_an_encoding_that_was_not_asked_for_is_told() -> None:
    with pytest.raises(CannotUnpack, match="packed as 'br', which was not asked for"):
        Unpacking("br", 1000)
