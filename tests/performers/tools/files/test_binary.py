import struct
import zlib

import pytest

from hearth.performers.tools.files.binary import (
    Picture,
    is_binary,
    kind_of,
    picture_of,
    wide_encoding,
)

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10"
    + b"J" * 14
    + b"\xff\xff\xc2\x00\x11\x08"
    + struct.pack(">HH", 20, 30)
)
LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 99 | 49 << 14)
EXTENDED = b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x63\0\0" + b"\x31\0\0"
LOSSY = b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 100, 50)


@pytest.mark.parametrize(
    ("head", "picture"),
    [
        (PNG, Picture("image/png", 640, 480)),
        (b"GIF89a" + struct.pack("<HH", 7, 8), Picture("image/gif", 7, 8)),
        (JPEG, Picture("image/jpeg", 30, 20)),
        (LOSSLESS, Picture("image/webp", 100, 50)),
        (EXTENDED, Picture("image/webp", 100, 50)),
        (LOSSY, Picture("image/webp", 100, 50)),
    ],
)
def test_pictures_say_how_large_they_are(head: bytes, picture: Picture) -> None:
    assert picture_of(head) == picture


@pytest.mark.parametrize(
    "head", [PNG[:17], b"GIF87a", b"\xff\xd8\xff", JPEG[:-3], LOSSLESS[:18], b"RIFF1234WEBP"]
)
def test_a_picture_that_is_cut_short_is_one_without_a_size(head: bytes) -> None:
    found = picture_of(head)
    assert found is not None
    assert (found.width, found.height) == (0, 0)


def test_a_picture_is_not_known_by_its_name() -> None:
    assert picture_of(b"<svg width='1'>") is None
    assert picture_of(b"") is None


def test_a_hostile_picture_is_read_to_its_end_and_no_further() -> None:
    assert picture_of(b"\xff\xd8\xff" + b"\xff" * 100_000) is not None
    assert picture_of(b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50_000) is not None


def test_text_and_binary_are_told_apart() -> None:
    assert not is_binary(b"")
    assert not is_binary("caf\u00e9".encode())
    assert not is_binary("wide".encode("utf-16"))
    assert is_binary(b"a\0b")
    assert wide_encoding(b"\xff\xfea\0") == "utf-16-le"
    assert wide_encoding(b"\xfe\xff\0a") == "utf-16-be"
    assert not wide_encoding(b"plain")


def test_what_a_file_is_is_said_in_words() -> None:
    assert kind_of(b"%PDF-1.7\0") == "a PDF document"
    assert kind_of(b"\x1f\x8b" + zlib.compress(b"x")) == "gzip-compressed"
    assert kind_of(b"\0\0\0\x20ftypisom") == "a video or an image in an MP4 container"
    assert kind_of(b"\0" * 100) == "binary data, zeros as far as was looked"
    assert kind_of(b"\1\2\0") == "binary data"
