"""Changing one key of a settings file: everything else in it stays as it was written."""

import json
import re
from pathlib import Path
from typing import Final

from hearth.settings.atomic import write_whole
from hearth.settings.checking import Wrong, checked
from hearth.settings.jsonc import Document, Json, Place, Span
from hearth.settings.keys import KEYS, nearest
from hearth.settings.layers import parsed_layer
from hearth.settings.problems import SettingsError
from hearth.settings.reading import parse, read_bytes

INDENT: Final = "  "
_BOM: Final = "\ufeff"
_SKIPPED: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST: Final = re.compile(r"[ \t]*(?://[^\n]*)?\r?\n")
"""What may stand behind something that has a line for itself."""


def write_setting(path: Path, name: str, value: Json) -> None:
    """Give a key of a file another value, whole or not at all; the file is made if need be.

    Comments and layout stay. SettingsError if the key or the value is wrong, or if the file is
    wrong as it is: then it has to be mended first. OSError if it cannot be written.
    """
    if name not in KEYS:
        raise SettingsError(path, "is no key that hearth knows", nearest(name), name)
    try:
        checked(name, value)
    except Wrong as wrong:
        raise SettingsError(path, wrong.what, wrong.right, name) from None
    content = read_bytes(path)
    old = "{}\n" if content is None else _text(content, path)
    new = with_value(old, path, tuple(name.split(".")), value)
    # A file that hearth writes must be one that hearth reads.
    parsed_layer(new.encode(), path, None)
    write_whole(path, new.encode())


def remove_setting(path: Path, name: str) -> bool:
    """Take a key out of a file, whole or not at all; False if it is not in it.

    Comments and layout of all else stay. SettingsError, OSError as of `write_setting`.
    """
    content = read_bytes(path)
    if content is None:
        return False
    old, place = _text(content, path), tuple(name.split("."))
    if place not in parse(content, path).keys:
        return False
    new = without_value(old, path, place)
    parsed_layer(new.encode(), path, None)
    write_whole(path, new.encode())
    return True


def without_value(text: str, path: Path, place: Place) -> str:
    """The text of a document from which a key was taken that is in it. SettingsError."""
    document = parse(text.encode(), path)
    body = text.removeprefix(_BOM)
    return text[: len(text) - len(body)] + _Edit(body, document).without_value(place)


def with_value(text: str, path: Path, place: Place, value: Json) -> str:
    """The text of a document in which a value was set. SettingsError for one that is none."""
    document = parse(text.encode(), path)
    body = text.removeprefix(_BOM)
    edit = _Edit(body, document)
    return text[: len(text) - len(body)] + edit.with_value(place, value, path)


class _Edit:
    """One change of one document."""

    def __init__(self, text: str, document: Document) -> None:
        self._text = text
        self._document = document
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._step = "\t" if "\n\t" in text else INDENT

    def with_value(self, place: Place, value: Json, path: Path) -> str:
        known = place
        while known not in self._document.spans:
            known = known[:-1]
        span = self._document.spans[known]
        if known == place:
            written = self._written(value, self._indent_at(self._start_of(place)))
            return self._text[: span.start] + written + self._text[span.end :]
        if self._text[span.start] != "{":
            name = ".".join(map(str, known))
            line = self._document.lines.get(known)
            raise SettingsError(path, "is not an object", "an object: { … }", name, line)
        key, *rest = place[len(known) :]
        for one in reversed(rest):
            value = {str(one): value}
        return self._inserted(known, span, str(key), value)

    def without_value(self, place: Place) -> str:
        start, end = self._document.keys[place], self._document.spans[place].end
        comma = self._next(end)
        if self._text[comma] == ",":
            start, end = self._whole_lines(start, comma + 1)
            return self._text[:start] + self._text[end:]
        start, end = self._whole_lines(start, end)
        siblings = [one for one in self._document.keys if one[:-1] == place[:-1] and one != place]
        if not siblings:
            return self._text[:start] + self._text[end:]
        # It was the last one: now the comma of the one before has nothing to part.
        comma = self._next(self._document.spans[siblings[-1]].end)
        return self._text[:comma] + self._text[comma + 1 : start] + self._text[end:]

    def _next(self, position: int) -> int:
        """Where the text goes on behind blanks and comments."""
        found = _SKIPPED.match(self._text, position)
        return found.end() if found else position

    def _whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The same part with all of its lines, if nothing else is on them but a comment."""
        line = self._text.rfind("\n", 0, start) + 1
        rest = _REST.match(self._text, end)
        if self._text[line:start].strip() or rest is None:
            return start, end
        return line, rest.end()

    def _inserted(self, place: Place, span: Span, key: str, value: Json) -> str:
        """A member behind the last one of an object."""
        members = [one for one in self._document.keys if one[:-1] == place]
        close = span.end - 1
        head, tail = self._text[:close], self._text[close:]
        if members and not span.ends_in_comma:
            last = self._document.spans[members[-1]].end
            head = f"{head[:last]},{head[last:]}"
        before = head[head.rfind("\n") + 1 :]
        is_own_line = not before.strip() and "\n" in head[span.start :]
        outer = self._indent_at(span.start)
        inner = self._inner(members, outer)
        comma = "," if span.ends_in_comma else ""
        if is_own_line:
            member = f"{inner}{json.dumps(key)}: {self._written(value, inner)}{comma}"
            line = head.rfind("\n") + 1
            return f"{head[:line]}{member}{self._newline}{before}{tail}"
        if members:
            member = f"{json.dumps(key)}: {self._written(value, outer)}{comma}"
            return f"{head.rstrip()} {member}{head[len(head.rstrip()) :]}{tail}"
        member = f"{inner}{json.dumps(key)}: {self._written(value, inner)}{comma}"
        return f"{head.rstrip()}{self._newline}{member}{self._newline}{outer}{tail}"

    def _inner(self, members: list[Place], outer: str) -> str:
        """How far the members of an object are indented."""
        for one in members:
            start = self._document.keys[one]
            if not self._text[self._text.rfind("\n", 0, start) + 1 : start].strip():
                return self._indent_at(start)
        return outer + self._step

    def _start_of(self, place: Place) -> int:
        return self._document.keys.get(place, self._document.spans[place].start)

    def _indent_at(self, position: int) -> str:
        line = self._text[self._text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _written(self, value: Json, indent: str) -> str:
        """A value as text: objects over several lines, all else on one."""
        if not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        inner = indent + self._step
        members = [
            f"{inner}{json.dumps(key)}: {self._written(one, inner)}" for key, one in value.items()
        ]
        joined = f",{self._newline}".join(members)
        return f"{{{self._newline}{joined}{self._newline}{indent}}}"


def _text(content: bytes, path: Path) -> str:
    parse(content, path)  # what is wrong with the bytes is told in the usual words
    return content.decode("utf-8")
