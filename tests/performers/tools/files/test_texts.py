import pytest

from hearth.performers.tools.files.texts import Form, is_text, text_of


@pytest.mark.parametrize(
    ("content", "text", "form"),
    [
        (b"a\nb\n", "a\nb\n", Form()),
        (b"", "", Form()),
        (b"a\r\nb\r\n", "a\nb\n", Form(has_returns=True)),
        (b"a\r\nb\n", "a\r\nb\n", Form()),
        (b"\xef\xbb\xbfa\r\n", "a\n", Form("utf-8", has_mark=True, has_returns=True)),
        ("\ufeffa\u00fc\n".encode("utf-16-le"), "a\u00fc\n", Form("utf-16-le", has_mark=True)),
        ("\ufeffa\n".encode("utf-16-be"), "a\n", Form("utf-16-be", has_mark=True)),
        (b"caf\xe9\n", "caf\udce9\n", Form()),
    ],
)
def test_text_is_taken_out_and_put_back_to_the_byte(content: bytes, text: str, form: Form) -> None:
    assert text_of(content) == (text, form)
    assert form.bytes(text) == content


def test_what_is_no_text_is_none() -> None:
    assert text_of(b"a\0b") is None
    assert text_of(b"\xff\xfea\0\0") is None


def test_line_ends_are_not_doubled() -> None:
    assert Form(has_returns=True).bytes("a\r\nb\n") == b"a\r\nb\r\n"


def test_half_a_character_is_no_text() -> None:
    assert is_text("\U0001f600\u00fc")
    assert not is_text("\ud83d")
