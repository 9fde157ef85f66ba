"""JSON with comments and trailing commas, read strictly and with the line of every value.

The line is what the readers on PyPI do not give, and what a person needs who has to mend a file.
"""

import json
import re
from typing import Final, NamedTuple, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Place: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

_DEEPEST: Final = 100
_SKIPPED: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\w.])", re.ASCII)
_STRINGS: Final = json.JSONDecoder()
_WORD: Final = re.compile(r"[\w.+-]+")
_NAMES: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


class NotJson(ValueError):
    """The text is not what this reader takes. `line` and `column` count from 1."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = text.count("\n", 0, position) + 1
        self.column = position - text.rfind("\n", 0, position)


class Span(NamedTuple):
    """Where a value stands in a text, and whether a comma follows the last of its parts."""

    start: int
    end: int
    ends_in_comma: bool = False


class Document(NamedTuple):
    """What a text says, and where each part of it stands."""

    value: Json
    lines: dict[Place, int]
    """The line of a key, or of a value that has none."""
    spans: dict[Place, Span]
    """The text of each value."""
    keys: dict[Place, int]
    """Where each key begins."""


def read_jsonc(text: str) -> Document:
    """Read `text`: JSON, // and /* */ comments, a comma before a closing bracket. NotJson.

    Refused although some readers take it: a key that is given twice, NaN and infinities.
    """
    return _Reader(text).document()


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._lines: dict[Place, int] = {}
        self._spans: dict[Place, Span] = {}
        self._keys: dict[Place, int] = {}
        self._counted = (0, 1)

    def document(self) -> Document:
        value = self._value(())
        if self._next():
            raise self._error("there is more after the end of the value")
        return Document(value, self._lines, self._spans, self._keys)

    def _value(self, place: Place) -> Json:
        first = self._next()
        self._lines.setdefault(place, self._line(self._position))
        if len(place) > _DEEPEST:
            raise self._error(f"nested more than {_DEEPEST} deep")
        start, comma = self._position, False
        value: Json
        match first:
            case "{":
                value, comma = self._object(place)
            case "[":
                value, comma = self._array(place)
            case '"':
                value = self._string()
            case "":
                raise self._error("the text ends where a value should be")
            case _:
                value = self._scalar()
        self._spans[place] = Span(start, self._position, comma)
        return value

    def _object(self, place: Place) -> tuple[dict[str, Json], bool]:
        found: dict[str, Json] = {}
        comma = False
        self._position += 1
        while self._next() != "}":
            if self._next() != '"':
                raise self._error('expected a key in "double quotes", or }')
            began = self._position
            key = self._string()
            if key in found:
                raise NotJson(f'the key "{key}" is given twice', self._text, began)
            self._lines[(*place, key)] = self._line(began)
            self._keys[(*place, key)] = began
            if self._next() != ":":
                raise self._error(f'expected : after the key "{key}"')
            self._position += 1
            found[key] = self._value((*place, key))
            comma = self._comma("}")
        self._position += 1
        return found, comma

    def _array(self, place: Place) -> tuple[list[Json], bool]:
        found: list[Json] = []
        comma = False
        self._position += 1
        while self._next() != "]":
            found.append(self._value((*place, len(found))))
            comma = self._comma("]")
        self._position += 1
        return found, comma

    def _comma(self, closing: str) -> bool:
        """Step over a comma; without one, the closing bracket must follow."""
        if self._next() == ",":
            self._position += 1
            return True
        if self._next() != closing:
            raise self._error(f"expected a comma or {closing}")
        return False

    def _string(self) -> str:
        try:
            # The standard library's own: it refuses raw line breaks and bad escapes.
            value, self._position = _STRINGS.raw_decode(self._text, self._position)
        except json.JSONDecodeError as error:
            raise NotJson(error.msg.lower(), self._text, error.pos) from None
        return str(value)

    def _scalar(self) -> Json:
        if number := _NUMBER.match(self._text, self._position):
            return self._number(number)
        word = _WORD.match(self._text, self._position)
        said = word[0] if word else self._text[self._position]
        if said not in _NAMES:
            raise self._error(f"{said} is not a JSON value; text needs double quotes")
        self._position += len(said)
        return _NAMES[said]

    def _number(self, number: re.Match[str]) -> Json:
        try:
            value = float(number[0]) if number[1] or number[2] else int(number[0])
        except ValueError:  # Python refuses whole numbers of thousands of digits
            raise self._error("a number with too many digits") from None
        if value in {float("inf"), float("-inf")}:
            raise self._error(f"{number[0]} is too large a number")
        self._position = number.end()
        return value

    def _next(self) -> str:
        """The next character that means something; "" at the end."""
        skipped = _SKIPPED.match(self._text, self._position)
        self._position = skipped.end() if skipped else self._position
        if self._text.startswith("/*", self._position):
            raise self._error("a comment that begins with /* is never closed")
        return self._text[self._position : self._position + 1]

    def _line(self, position: int) -> int:
        """The line of a place that lies behind all those asked for before."""
        # From the last one on: a long file must not be counted from its start for every value.
        at, line = self._counted
        self._counted = (position, line + self._text.count("\n", at, position))
        return self._counted[1]

    def _error(self, message: str) -> NotJson:
        return NotJson(message, self._text, self._position)
