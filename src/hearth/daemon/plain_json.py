"""JSON by the interpreter's own parser, without the package around it.

`import json` brings regular expressions and enums along, which takes as long as all the rest of
`hearth status`. What is read and written is the same; where there is no such parser, or something
is wrong with the text, the package does it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

_BLANK = " \t\n\r"


class _Plainly:
    """How the parser is to read: as JSON is, with nothing of anybody's own."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the parser clears it after each text


def _parser() -> "Any":
    """The parser, and what writes a text; both None in another Python."""
    try:
        from _json import encode_basestring_ascii, make_scanner  # noqa: PLC0415 - it may not be there
    except ImportError:
        return None, None
    of_anything: Any = make_scanner  # says of itself that it takes one of its own kind
    return of_anything(_Plainly), encode_basestring_ascii


_scan, _write = _parser()


def loads(raw: bytes | str) -> "Any":
    """What a text says; bytes are UTF-8. ValueError, RecursionError."""
    if _scan is not None:
        try:
            text = (raw if isinstance(raw, str) else raw.decode("utf-8")).strip(_BLANK)
            value, end = _scan(text, 0)
        except (StopIteration, ValueError):
            pass
        else:
            if end == len(text):
                return value
    import json  # noqa: PLC0415 - says best what is wrong, and is met almost never

    return json.loads(raw)


def dumps(value: "Any") -> str:  # noqa: PLR0911 - one for each kind of value
    """A value as ASCII text on one line. TypeError, ValueError."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if _write is not None:
            return str(_write(value))
        case int():
            return int.__repr__(value)
        case dict() if all(type(key) is str for key in value):
            inside = [f"{dumps(key)}: {dumps(one)}" for key, one in value.items()]
            return "{" + ", ".join(inside) + "}"
        case list() | tuple():
            return "[" + ", ".join([dumps(one) for one in value]) + "]"
        case _:
            import json  # noqa: PLC0415 - floats, and what cannot be written

            return json.dumps(value)
