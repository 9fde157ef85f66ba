"""Text of others, made fit for a person's terminal.

Whatever a cell prints could hold control sequences that move the cursor, hide text, answer back as
if it were typed, or set the clipboard. Only colours are let through; the rest becomes visible.
"""

import re
from typing import Final

RESET: Final = "\x1b[0m"

_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<colour>[0-9;]{0,64})m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # any other control sequence
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # clipboard, title, links, images
    r"|\x1b[ -/]*[0-~]"
    r"|(?P<single>[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069"
    r"\ud800-\udfff])"
)
_HARMFUL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
_PLAIN_COLOURS: Final = frozenset(
    {0, 1, 2, 3, 4, 7, 21, 22, 23, 24, 27, 39, 49}
    | set(range(30, 38))
    | set(range(40, 48))
    | set(range(90, 98))
    | set(range(100, 108))
)
_EXTENDED: Final = {38, 48}


def clean(text: str, *, colour: bool = True) -> str:
    """The text without anything that a terminal would obey, but for colours if they are wanted.

    Sequences are dropped, single control characters become visible. A newline and a tab stay;
    so do indentation and everything else, to the byte. Colours end with the text.
    """
    if _HARMFUL.search(text) is None:
        return text
    cleaned = _SEQUENCE.sub(lambda found: _instead(found, colour=colour), text)
    return cleaned + RESET if "\x1b" in cleaned and not cleaned.endswith(RESET) else cleaned


def clean_line(line: str, *, colour: bool = True) -> str:
    """One line of output as it would look in the end: what was overwritten is gone."""
    return clean(_overwritten(line), colour=colour)


def _overwritten(line: str) -> str:
    """What a carriage return left: progress bars write the same line again and again."""
    if "\r" not in line:
        return line
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""


def _instead(found: re.Match[str], *, colour: bool) -> str:
    if found["colour"] is not None:
        return _colours(found["colour"]) if colour else ""
    if found["single"] is not None:
        return _visible(found["single"])
    return ""


def _visible(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _colours(parameters: str) -> str:
    """The sequence with what only colours; hidden and blinking text stays as it is."""
    numbers = [int(one[:4] or 0) for one in parameters.split(";")]
    kept: list[int] = []
    place = 0
    while place < len(numbers):
        number = numbers[place]
        if number in _EXTENDED:
            length = {5: 3, 2: 5}.get(numbers[place + 1] if place + 1 < len(numbers) else 0, 1)
            whole = numbers[place : place + length]
            if length > 1 and len(whole) == length:
                kept += whole
            place += length
            continue
        if number in _PLAIN_COLOURS:
            kept.append(number)
        place += 1
    return f"\x1b[{';'.join(map(str, kept))}m" if kept else ""
