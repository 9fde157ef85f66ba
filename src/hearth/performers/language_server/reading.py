"""What servers say about files, as findings. Whatever is not as it should be is left out."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server.findings import Finding

MOST_OF_A_FILE: Final = 500
LONGEST_MESSAGE: Final = 300
LONGEST_SOURCE: Final = 200
LONGEST_LINE: Final = 10_000
"""Columns behind so many characters stay as the server counts them: converting takes time."""
LARGEST_NUMBER: Final = 2**31 - 1
"""Of a line or a column, by the protocol."""

_SEVERITIES: Final[Mapping[Any, Severity]] = {
    1: Severity.ERROR,
    2: Severity.WARNING,
    3: Severity.INFO,
    4: Severity.HIDDEN,
}
_ENDS: Final = re.compile(r"\r\n|\n|\r")
"""The ends of lines of the protocol, which are not all of those that Python knows."""
_UNSAYABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What no log can hold or what steers terminals."""


class Reader:
    """Reads what one server says: its name is on each finding, its way of counting is undone."""

    def __init__(self, server: str, encoding: str = "utf-16") -> None:
        self.server = server
        self.encoding = encoding
        """What a server counts columns in: code units of this."""
        self._split: tuple[str, list[str]] = ("", [""])

    def findings(self, path: str, items: Any, text: str | None) -> tuple[Finding, ...]:
        """The findings in one file. `text`: what the server was shown, if it was shown it."""
        if not isinstance(items, list):
            return ()
        lines = self._lines(text) if text is not None and items else []
        found = (self._finding(path, one, lines) for one in items[:MOST_OF_A_FILE])
        return tuple(one for one in found if one is not None)

    def _lines(self, text: str) -> list[str]:
        """The lines of a text. Servers may tell of the same one over and over."""
        if text is not self._split[0]:
            self._split = (text, _ENDS.split(text))
        return self._split[1]

    def _finding(self, path: str, item: Any, lines: list[str]) -> Finding | None:
        match item:
            case {
                "message": str(message),
                "range": {"start": {"line": int(line), "character": int(character)}},
            } if 0 <= line < LARGEST_NUMBER and 0 <= character < LARGEST_NUMBER:
                pass
            case _:
                return None
        source = lines[line][:LONGEST_LINE] if line < len(lines) else ""
        rule = item.get("code")
        return Finding(
            path,
            line + 1,
            column(source, character, self.encoding) + 1,
            _severity(item.get("severity", 1)),
            _one_line(message)[:LONGEST_MESSAGE],
            rule=_sayable(str(rule)[:100]) if isinstance(rule, str | int) else "",
            server=self.server,
            source=source.strip()[:LONGEST_SOURCE],
        )


def column(line: str, character: int, encoding: str) -> int:
    """How many characters stand before a position that is counted in code units."""
    if line.isascii() or encoding == "utf-32" or character > LONGEST_LINE:
        return character
    codec, size = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    before = line.encode(codec, "surrogatepass")[: character * size]
    return len(before.decode(codec, "ignore"))


def uri_of(path: str) -> str:
    """The address of a file."""
    return Path(path).as_uri()


def path_of(uri: Any) -> str | None:
    """The file of an address; None for what is no file of this machine."""
    if not isinstance(uri, str):
        return None
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    path = unquote(parts.path)
    return path if path.startswith("/") and _is_text(path) else None


def reports_of(answer: Any) -> Iterable[tuple[str, Any]]:
    """The files of a report about a whole project, each with what is in it."""
    items = answer.get("items") if isinstance(answer, dict) else None
    for one in items if isinstance(items, list) else ():
        match one:
            case {"uri": uri, "items": list(found)}:
                path = path_of(uri)
                if path is not None:
                    yield path, found
            case _:
                pass  # it says that nothing has changed, or nothing that can be understood


def _severity(number: Any) -> Severity:
    return _SEVERITIES.get(number, Severity.ERROR) if isinstance(number, int) else Severity.ERROR


def _one_line(message: str) -> str:
    # What follows the first paragraph is for reading on a terminal.
    return _sayable(" ".join(message.partition("\n\n")[0].split()))


def _sayable(text: str) -> str:
    return _UNSAYABLE.sub("\ufffd", text)


def _is_text(path: str) -> bool:
    """Whether a path can be written down: half characters and NUL are of no file."""
    try:
        return b"\0" not in path.encode()
    except UnicodeEncodeError:
        return False
