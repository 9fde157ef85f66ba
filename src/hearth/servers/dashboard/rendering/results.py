"""What was run and what it came to: code with its colours, a standing in a word, all results."""

from typing import Final, NamedTuple, Self

from hearth.core.views.transcript import CellStanding, Entry
from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.undoing import VariantResult
from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.html import Html, code, div, joined, pre, span
from hearth.servers.dashboard.rendering.bounding import bounded, note
from hearth.servers.dashboard.rendering.failing import failed
from hearth.servers.dashboard.rendering.highlighting import highlighted
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.outputs import Showing, drawn_outputs, has_result
from hearth.servers.dashboard.rendering.rich import Kept, value
from hearth.servers.dashboard.rendering.wording import in_bytes

_DOTS: Final = {
    CellStanding.WAITING: "dot-off",
    CellStanding.RUNNING: "dot-running",
    CellStanding.FINISHED: "dot-ready",
    CellStanding.FAILED: "dot-bad",
    CellStanding.CANCELLED: "dot-off",
    CellStanding.WITHDRAWN: "dot-off",
}


class CameTo(NamedTuple):
    """What something that was run showed, and how it ended."""

    outputs: Outputs
    value: Text = ""
    value_type: str = ""
    failure: Failure | None = None
    dropped: int = 0
    start: int = 0
    """So many characters before the outputs are not known."""

    @classmethod
    def of(cls, ran: Entry | VariantResult) -> Self:
        """Of a cell, or of a variant of one."""
        return cls(ran.outputs, ran.value, ran.value_type, ran.failure, ran.dropped)


def came_to(ran: CameTo, name: str, kept: Kept) -> list[Piece]:
    """All of it as pieces; their ids begin with `name`."""
    made = drawn_outputs(ran.outputs, Showing(name, kept, ran.value_type, ran.start))
    if ran.value and ran.value_type != "NoneType" and not has_result(ran.outputs):
        made.append(piece(f"{name}-value", value(ran.value, ran.value_type, kept.session)))
    if ran.failure is not None:
        made.append(piece(f"{name}-failure", failed(ran.failure, kept.session)))
    if ran.dropped:
        lost = f"{in_bytes(ran.dropped)} of output were too much and are not kept."
        made.append(piece(f"{name}-dropped", note(lost)))
    return made


def piece(name: str, html: Html | None) -> Piece:
    """Something as a piece of its own."""
    return Piece(name, div(html, id_=name))


def shown_code(words: Text, look: Look, language: str = "python") -> Html | None:
    """Code with its colours."""
    shown, about = bounded(words, look.session)
    if not shown:
        return None
    lines = shown.strip("\n")
    return joined(pre(code(highlighted(lines, language)), class_="code", tabindex="0"), about)


def standing_mark(standing: CellStanding | None) -> Html:
    """How a cell stands: a dot and a word."""
    if standing is None:
        return span("known in part", class_="muted")
    dot = span(class_=f"dot {_DOTS[standing]}", aria_hidden="true")
    return span(dot, standing.value, class_=f"state state-{standing.value}")
