"""Code, values and objects as they are shown: bounded, with a hint how to see all of it."""

from typing import Final

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, Words, is_whole, picture_in, readable, text_of
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Outputs, RichData, Text
from hearth.core.vocabulary.ids import CellId

MOST_LINES: Final = 200
MOST_CHARACTERS: Final = 20_000


def bounded(text: str, cell: CellId, paint: Paint) -> str:
    """Text that was cleaned, cut where it is too long to be shown unasked."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        more = f"{len(lines) - MOST_LINES} more lines"
        kept = "\n".join(lines[:MOST_LINES])
    elif len(text) > MOST_CHARACTERS:
        more = f"{len(text) - MOST_CHARACTERS} more characters"
        kept = clean(text[:MOST_CHARACTERS], colour=paint.colour)
    else:
        return text
    return f"{kept}\n{hint(more, cell, paint)}"


def hint(more: str, cell: CellId, paint: Paint) -> str:
    """What was left out, and how to see it."""
    return paint.dim(f"{paint.more} {more}; .show {cell} shows all")


def code_of(cell: CellId, who: str, code: Text, paint: Paint) -> Words:
    """A cell of somebody else: who sent it, and its code exactly as it was sent."""
    sent = clean(text_of(code), colour=False).rstrip("\n")
    shown = bounded(sent, cell, paint)
    if not is_whole(code):
        shown = f"{shown}\n{hint('there is more', cell, paint)}"
    return Words(f"{paint.rule(f'{cell}  {who}')}\n{shown}")


def object_of(cell: CellId, data: RichData, name: str, paint: Paint) -> Piece:
    """An object that a cell showed: a picture, or text."""
    picture = picture_in(data, name)
    return picture or Words(bounded(readable(data, colour=paint.colour), cell, paint))


def value_of(cell: CellId, event: e.CellFinished, paint: Paint) -> list[Piece]:
    """What a cell came to, with its type beside it where there is room."""
    result = _result(event.outputs)
    if result is not None and (
        picture_in(result, "") is not None or "text/markdown" in result.bundle
    ):
        return [object_of(cell, result, f"{cell}-result", paint)]
    kind = clean(event.value_type, colour=False).replace("\n", " ")
    if not event.value or kind == "NoneType":
        return []
    value = bounded(clean(text_of(event.value), colour=paint.colour), cell, paint)
    if not is_whole(event.value):
        value = f"{value}\n{hint('there is more', cell, paint)}"
    has_note = bool(kind) and "\n" not in value and paint.notes
    return [Words(value + (paint.dim(f"  # {kind}") if has_note else ""))]


def _result(outputs: Outputs) -> RichData | None:
    if isinstance(outputs, Blob):
        return None
    results = [one for one in outputs if isinstance(one, RichData) and one.is_result]
    return results[-1] if results else None
