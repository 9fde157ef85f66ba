"""What programs write for terminals, as text that can be read anywhere.

Colours and other escape sequences go, a line that was written over and over is its last state, and
what else steers a terminal is dropped: none of it may reach a model, or a person's screen.
"""

import codecs
import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[PX^_][^\x1b\n]{0,4096}\x1b\\"  # strings for devices
    r"|\x1b[ -/]*[0-~]"
)
_BEGUN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]{0,4096}\x1b?|[ -/]*)\Z")
"""A sequence whose end is still to come."""
_OVERSTRUCK: Final = re.compile("[^\n\x08]\x08")
"""How manuals are made bold."""
_STEERING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LONGEST_BEGUN: Final = 4200


def readable(content: bytes) -> str:
    """All of what a program wrote."""
    return _plain(content.decode("utf-8", "replace"))


class Reading:
    """The same, piece by piece: what is cut in two is put together again."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._is_in_line = False

    def piece(self, content: bytes) -> str:
        """What can be read with this piece; what is not complete waits for the next."""
        text = self._held + self._decoder.decode(content)
        begun = _BEGUN.search(text, max(0, len(text) - _LONGEST_BEGUN))
        end = begun.start() if begun else len(text)
        if text[:end].endswith("\r"):  # half of an end of line, or the beginning of a new state
            end = len(text[:end].rstrip("\r"))
        self._held = text[end:]
        return self._given(text[:end])

    def rest(self) -> str:
        """What still waited, when nothing more comes."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return self._given(text)

    def _given(self, text: str) -> str:
        # What was given cannot be taken back: a line that begins anew is one more line.
        is_anew = text.startswith("\r") and text.lstrip("\r")[:1] not in {"", "\n"}
        plain = ("\n" if is_anew and self._is_in_line else "") + _plain(text)
        if plain:
            self._is_in_line = not plain.endswith("\n")
        return plain


def complete(content: bytes) -> int:
    """How much of it ends with a whole character."""
    for back in range(1, min(3, len(content)) + 1):
        byte = content[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            return len(content) - back if back < needed else len(content)
    return len(content)


def _plain(text: str) -> str:
    if text.isprintable():
        return text
    text = _OVERSTRUCK.sub("", _ESCAPE.sub("", text))
    if "\r" in text:
        text = "\n".join(map(_last_state, text.split("\n")))
    return _STEERING.sub("", text)


def _last_state(line: str) -> str:
    """What is to be seen of a line that went back to its beginning, perhaps many times."""
    return line.rstrip("\r").rpartition("\r")[2]
