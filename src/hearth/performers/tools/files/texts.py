"""Text as it stands in a file: its encoding, byte order mark and line ends outlive an edit."""

import codecs
from dataclasses import dataclass
from typing import Final

from hearth.performers.tools.files.binary import HEAD, is_binary, wide_encoding

_MARKS: Final = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}


@dataclass(frozen=True, slots=True)
class Form:
    """How text is written down."""

    encoding: str = "utf-8"
    has_mark: bool = False
    has_returns: bool = False
    """Every line ends in CR LF; the text that is worked on has LF alone."""

    def bytes(self, text: str) -> bytes:
        """Text in this form. UnicodeEncodeError for what is no text."""
        if self.has_returns:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        # What was not UTF-8 before is again what it was.
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        content = text.encode(self.encoding, errors)
        return _MARKS[self.encoding] + content if self.has_mark else content


def text_of(content: bytes) -> tuple[str, Form] | None:
    """The text of a file and how it is written; None for what is no text."""
    head = content[:HEAD]
    if is_binary(head):
        return None
    encoding = wide_encoding(head) or "utf-8"
    has_mark = content.startswith(_MARKS[encoding])
    rest = content[len(_MARKS[encoding]) :] if has_mark else content
    try:
        text = rest.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError:
        return None
    has_returns = "\r\n" in text and text.count("\r\n") == text.count("\n")
    if has_returns:
        text = text.replace("\r\n", "\n")
    return text, Form(encoding, has_mark, has_returns)


def is_text(text: str) -> bool:
    """Whether it can be written at all: half a character cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
