"""What a cell showed, in order, as pieces: the same ids while it runs and for ever after."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, assert_never

from hearth.core.vocabulary.content import Blob, Output, Outputs, RichData, StreamText, Text
from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.html import Html, div, pre, span
from hearth.servers.dashboard.rendering.bounding import MOST, note, whole
from hearth.servers.dashboard.rendering.rich import Kept, plain, rich, typed, value
from hearth.servers.dashboard.rendering.terminal import (
    PART,
    PLAIN,
    drawn_part,
    parted,
    settled,
)

MOST_OUTPUTS: Final = 200
"""Objects and runs of text; of more, the last ones are shown."""
_HEAD: Final = 2 * PART


class Run(NamedTuple):
    """Text that was written to one stream without a break."""

    stream: Literal["stdout", "stderr"]
    text: str
    rest: Blob | None = None


class Showing(NamedTuple):
    """How the outputs of a cell are shown."""

    name: str
    """The id that the ids of the pieces begin with."""
    kept: Kept
    value_type: str = ""
    start: int = 0
    """So many characters before them are not known."""


def drawn_outputs(outputs: Outputs, showing: Showing) -> list[Piece]:
    """Pieces of everything that was shown."""
    if isinstance(outputs, Blob):
        name = f"{showing.name}-o0"
        link = whole(outputs, showing.kept.session)
        return [Piece(name, div(note("There is too much output for here: ", link), id_=name))]
    made: list[Piece] = []
    runs = list(_runs(outputs))
    first = max(0, len(runs) - MOST_OUTPUTS)
    if first:
        name = f"{showing.name}-skipped"
        about = f"… {first} outputs before these are not shown"
        made.append(Piece(name, div(note(about), id_=name)))
    for place, (number, one) in enumerate(runs[first:], first):
        name = f"{showing.name}-o{place}"
        match one:
            case Run():
                made += drawn_text(name, one, showing, 0 if place else showing.start)
            case RichData():
                made.append(Piece(name, div(_object(one, number, showing), id_=name)))
            case _:
                assert_never(one)
    return made


def has_result(outputs: Outputs) -> bool:
    """Whether what the cell came to is among them."""
    return not isinstance(outputs, Blob) and any(
        isinstance(one, RichData) and one.is_result for one in outputs
    )


def drawn_text(name: str, run: Run, showing: Showing, start: int = 0) -> list[Piece]:
    """The parts of a text, each a piece; of a long one its beginning and its end."""
    words, colours = run.text, PLAIN
    cut = len(words) - MOST
    made: list[Piece] = []
    if cut > 0:
        made.append(_part(name, "head", run.stream, drawn_part(settled(words[:_HEAD]))[0]))
        bound = (start + cut + _HEAD) // PART * PART - start
        bound = words.find("\n", bound, bound + PART) + 1 or bound
        left = note(f"… {bound - _HEAD:,} characters are left out here …")
        made.append(Piece(f"{name}-cut", div(left, id_=f"{name}-cut")))
        words, start = words[bound:], start + bound
    elif start:
        left = note("What stands before this is not known here.")
        made.append(Piece(f"{name}-cut", div(left, id_=f"{name}-cut")))
    for number, part in parted(settled(words), start):
        html, colours = drawn_part(part, colours)
        made.append(_part(name, str(number), run.stream, html, is_first=not made))
    if run.rest is not None:
        link = note("This is its beginning. ", whole(run.rest, showing.kept.session))
        made.append(Piece(f"{name}-rest", div(link, id_=f"{name}-rest")))
    return made


def _part(name: str, number: str, stream: str, words: Html, *, is_first: bool = True) -> Piece:
    """A part; the first one of what went to stderr says so in words."""
    called = f"{name}-{number}"
    is_error = stream == "stderr"
    label = span("stderr", class_="out-label") if is_error and is_first else None
    return Piece(
        called,
        div(label, pre(words, class_=f"out out-{stream}", tabindex="0"), id_=called, class_="part"),
    )


def _object(data: RichData, number: int, showing: Showing) -> Html:
    made = rich(data, number, showing.kept)
    kind = showing.value_type if data.is_result else ""
    if made is None:
        return value(plain(data), kind, showing.kept.session)
    return div(made, typed(kind), class_="rich")


def _runs(outputs: tuple[Output, ...]) -> Iterator[tuple[int, Run | RichData]]:
    """Outputs with their numbers; texts of one stream that follow each other are one."""
    open_run: tuple[int, list[str], Run] | None = None
    for number, one in enumerate(outputs):
        if isinstance(one, StreamText):
            words, rest = _parts(one.text)
            if open_run is not None and open_run[2].stream == one.stream and rest is None:
                open_run[1].append(words)
                continue
            yield from _closed(open_run)
            open_run = (number, [words], Run(one.stream, "", rest))
            if rest is None:
                continue
        yield from _closed(open_run)
        open_run = None
        if isinstance(one, RichData):
            yield number, one
    yield from _closed(open_run)


def _closed(run: tuple[int, list[str], Run] | None) -> Iterator[tuple[int, Run]]:
    if run is not None:
        yield run[0], run[2]._replace(text="".join(run[1]))


def _parts(words: Text) -> tuple[str, Blob | None]:
    return (words.head, words) if isinstance(words, Blob) else (words, None)
