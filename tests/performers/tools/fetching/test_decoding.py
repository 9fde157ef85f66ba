"""Bytes become text by what is said of them, and by what they are."""

import pytest

from hearth.performers.tools.fetching.decoding import decoded, is_html, is_text


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        ("größe".encode(), "", "größe"),
        ("größe".encode(), "utf-8", "größe"),
        ("größe".encode("latin-1"), "iso-8859-1", "größe"),
        ("größe: 5 €".encode("cp1252"), "latin1", "größe: 5 €"),
        ("größe".encode("latin-1"), "", "größe"),
        ("日本".encode("cp932"), "shift_jis", "日本"),
        ("привет".encode("koi8_r"), "koi8-r", "привет"),
        ("größe".encode("utf-16"), "", "größe"),
        (b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe", "iso-8859-1", "größe"),
        (b"ok \xff", "utf-8", "ok \ufffd"),
        ("größ".encode()[:-1], "", "grö\ufffd"),
        (b"a\r\nb\rc", "", "a\nb\nc"),
        (b"\x1b[31mred\x07 \x00null\tkept", "", "[31mred null\tkept"),
    ],
)
def test_text_is_read_as_it_was_written(content: bytes, charset: str, text: str) -> None:
    assert decoded(content, charset, looks_inside=False) == text


@pytest.mark.parametrize(
    "charset", ["zip", "bz2", "rot13", "unicode_escape", "idna", "nonsense", "hex"]
)
def test_encodings_that_are_none_of_text_are_not_used(charset: str) -> None:
    assert decoded(b"\\x41 abc", charset, looks_inside=False) == "\\x41 abc"


def test_a_page_may_say_itself_how_it_is_encoded() -> None:
    page = '<meta charset="koi8-r"> привет'.encode("koi8_r")
    assert "привет" in decoded(page, "", looks_inside=True)
    assert "привет" not in decoded(page, "", looks_inside=False)
    older = (
        b'<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\xef\xf0\xe8'
    )
    assert decoded(older, "", looks_inside=True).endswith("при")
    assert decoded(b'<meta charset="utf-16">hi', "", looks_inside=True).endswith("hi")


def test_what_a_server_says_comes_before_what_the_page_says() -> None:
    page = '<meta charset="koi8-r"> größe'.encode()
    assert "größe" in decoded(page, "utf-8", looks_inside=True)


@pytest.mark.parametrize(
    ("media_type", "content", "html", "text"),
    [
        ("text/html", b"x", True, True),
        ("application/xhtml+xml", b"x", True, True),
        ("text/plain", b"<html>", False, True),
        ("application/json", b"{}", False, True),
        ("application/ld+json", b"{}", False, True),
        ("image/svg+xml", b"<svg/>", False, True),
        ("application/pdf", b"%PDF", False, False),
        ("application/octet-stream", b"text", False, False),
        ("image/png", b"\x89PNG", False, False),
        ("", b"\n <!DOCTYPE html><p>", True, True),
        ("", b"<?xml version='1.0'?><html>", True, True),
        ("", b"plain", False, True),
        ("", b"\0\1", False, False),
    ],
)
def test_what_it_is_follows_from_its_type_and_without_one_from_its_beginning(
    media_type: str, content: bytes, *, html: bool, text: bool
) -> None:
    assert is_html(media_type, content) is html
    assert is_text(media_type, content) is text
