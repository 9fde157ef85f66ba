"""Bytes of a page as text: by what the server says, what the page says, and what they look like."""

import codecs
import re
from typing import Final

HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = frozenset(
    {
        "application/json",
        "application/javascript",
        "application/ecmascript",
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-sh",
        "application/x-ndjson",
        "application/sql",
        "application/graphql",
        "message/rfc822",
    }
)
_HEAD: Final = 1024
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-z0-9_:.-]{1,40})", re.IGNORECASE
)
_HTML_START: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!doctype html|<html)", re.IGNORECASE
)
_STEERING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Only encodings of text that the web knows: Python has others, which unpack or run over.
_ENCODINGS: Final = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("utf-16", "utf-16le"), "utf-16-le"),
    "utf-16be": "utf-16-be",
    # Whoever says these means the one that has more characters.
    **dict.fromkeys(("ascii", "us-ascii", "iso-8859-1", "latin1", "windows-1252"), "cp1252"),
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (*range(2, 12), 13, 14, 15, 16)},
    **{f"windows-{number}": f"cp{number}" for number in (1250, 1251, *range(1253, 1259), 874)},
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "macintosh": "mac_roman",
}


def is_html(media_type: str, content: bytes) -> bool:
    """Whether it is a page for people."""
    return media_type in HTML or (not media_type and bool(_HTML_START.match(content[:_HEAD])))


def is_text(media_type: str, content: bytes) -> bool:
    """Whether it can be shown as it is."""
    if not media_type:
        return b"\0" not in content[:_HEAD]
    kind = media_type.partition("/")[0]
    return kind == "text" or media_type in _TEXTS or media_type.endswith(("+json", "+xml"))


def decoded(content: bytes, charset: str, *, looks_inside: bool) -> str:
    """The text, without what would steer a terminal; what cannot be read is shown as \ufffd.

    `looks_inside`: a page for people may say itself how it is encoded.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _clean(content[len(mark) :].decode(encoding, "replace"))
    said = charset
    if not said and looks_inside and (found := _META.search(content[:_HEAD])):
        said = found[1].decode().lower()
        if said.startswith("utf-16"):
            said = "utf-8"  # or one could not have read that it says so
    if known := _ENCODINGS.get(said):
        return _clean(content.decode(known, "replace"))
    try:
        return _clean(content.decode())
    except UnicodeDecodeError as error:
        # A page that was cut may end within a character.
        encoding = "utf-8" if error.reason == "unexpected end of data" else "cp1252"
        return _clean(content.decode(encoding, "replace"))


def _clean(text: str) -> str:
    return _STEERING.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
