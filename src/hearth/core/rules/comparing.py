"""Whether a cell that was run again came out as it had before."""

import re
from typing import Final, TypeAlias

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.answers import Difference
from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText, Text
from hearth.core.vocabulary.failures import CodeRaised, Failure, TimedOut
from hearth.core.vocabulary.ids import CellId

Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled

SHORT: Final = 200
"""So many characters of what differs are told."""
AROUND: Final = 40
"""So many of them before the first that differs."""

_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_TIME: Final = re.compile(
    r"\b\d+(?:\.\d+)?(?:e-?\d+)?\s?(?:ns|[u\u00b5\u03bc]s|ms|s|secs?|seconds?|min|minutes?|hours?)\b"
    r"|\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b"
)
_STOPPED: Final = "stopped before its end"


def difference(cell: CellId, before: Closer, after: Closer) -> Difference | None:
    """How a cell's end differs from the recorded one; None if it does not.

    Where objects lie in memory and how long something took differs every time, and says nothing.
    """
    for then, now in (
        (_ending(before), _ending(after)),
        (_written(before.outputs, "stdout"), _written(after.outputs, "stdout")),
        (_written(before.outputs, "stderr"), _written(after.outputs, "stderr")),
        (_displayed(before.outputs), _displayed(after.outputs)),
    ):
        if (one := _lasting(then)) != (other := _lasting(now)):
            return Difference(cell, *_around(one, other))
    return None


def _ending(event: Closer) -> str:
    """How it ended, in words: its value, or its failure."""
    match event:
        case e.CellFinished():
            return _text(event.value)
        case e.CellFailed():
            return _failure(event.failure)
        case e.CellCancelled():
            return _STOPPED


def _failure(failure: Failure) -> str:
    match failure:
        case CodeRaised():
            return f"{failure.name}: {_text(failure.message)}"
        case TimedOut():
            return _STOPPED  # one that was cancelled is run again with a limit
        case _:
            return str(failure.__struct_config__.tag)


def _written(outputs: Outputs, stream: str) -> str:
    """All that was written to one stream, in however many pieces."""
    if isinstance(outputs, Blob):
        return _text(outputs) if stream == "stdout" else ""
    texts = (one for one in outputs if isinstance(one, StreamText) and one.stream == stream)
    return "".join(_text(one.text) for one in texts)


def _displayed(outputs: Outputs) -> str:
    """What was displayed: pictures are told by their kind, for no two have the same bytes."""
    if isinstance(outputs, Blob):
        return ""
    return "\n".join(
        _text(one.bundle.get("text/plain") or " ".join(sorted(one.bundle)))
        for one in outputs
        if isinstance(one, RichData) and not one.is_result
    )


def _text(text: Text) -> str:
    """The text; what is kept elsewhere is told by its beginning and its size."""
    return text if isinstance(text, str) else f"{text.head}… ({text.size} bytes)"


def _lasting(text: str) -> str:
    return _TIME.sub("(some time)", _ADDRESS.sub("0x…", text))


def _around(before: str, after: str) -> tuple[str, str]:
    """Short pieces of both, from a little before the first character that differs."""
    if max(len(before), len(after)) <= SHORT:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((place for place, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(0, first - AROUND)
    return _piece(before, start), _piece(after, start)


def _piece(text: str, start: int) -> str:
    piece = text[start : start + SHORT]
    return ("…" if start else "") + piece + ("…" if start + SHORT < len(text) else "")
