"""What a file is that is not text: by its first bytes, whatever its name says."""

import struct
from dataclasses import dataclass
from typing import Final

HEAD: Final = 8192
"""So much of a file is looked at."""

_KINDS: Final = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive (or a document made of one)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"BZh", "bzip2-compressed"),
    (b"\xfd7zXZ\x00", "xz-compressed"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "an ELF program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O library"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"PAR1", "a Parquet table"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"OggS", "Ogg media"),
    (b"ID3", "an MP3 sound"),
    (b"fLaC", "a FLAC sound"),
    (b"wOFF", "a web font"),
    (b"wOF2", "a web font"),
    (b"\0\0\1\0", "an icon"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
)
_WIDE: Final = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that models can see."""

    media_type: str
    width: int
    height: int
    """Both 0 if the file does not say."""


def wide_encoding(head: bytes) -> str:
    """The encoding of text of two bytes to a character; "" if it is none."""
    return next((name for mark, name in _WIDE if head.startswith(mark)), "")


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is no text."""
    return b"\0" in head and not wide_encoding(head)


def kind_of(head: bytes) -> str:
    """What a file is that begins so, in words."""
    for start, kind in _KINDS:
        if head.startswith(start):
            return kind
    if head[4:8] == b"ftyp":
        return "a video or an image in an MP4 container"
    return "binary data" if head.strip(b"\0") else "binary data, zeros as far as was looked"


def picture_of(head: bytes) -> Picture | None:
    """Which picture begins so; None if it is none that models can see."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Picture("image/png", *_numbers(">II", head, 16))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return Picture("image/gif", *_numbers("<HH", head, 6))
    if head.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", *_jpeg_size(head))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Picture("image/webp", *_webp_size(head))
    return None


def _numbers(form: str, data: bytes, at: int) -> tuple[int, int]:
    if len(data) < at + struct.calcsize(form):
        return 0, 0
    width, height = struct.unpack_from(form, data, at)
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:  # it has no length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = _numbers(">HH", data, at + 5)
            return width, height
        at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X" if len(data) >= 30:
            return (
                1 + int.from_bytes(data[24:27], "little"),
                1 + int.from_bytes(data[27:30], "little"),
            )
        case b"VP8L" if len(data) >= 25:
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = _numbers("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case _:
            return 0, 0
