"""Tool calls: one line each, and folded in it what was asked for and what came of it."""

import re
from typing import Final, NamedTuple

from hearth.core.views.timeline_items import CallItem, Placed
from hearth.core.vocabulary.blocks import ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob, RichData, Text
from hearth.core.vocabulary.ids import CallId
from hearth.core.vocabulary.permitting import Judged
from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import (
    Html,
    details,
    div,
    joined,
    li,
    p,
    pre,
    span,
    summary,
    ul,
)
from hearth.servers.dashboard.rendering.approvals import approval_card
from hearth.servers.dashboard.rendering.arguments import decoded, gist, written
from hearth.servers.dashboard.rendering.bounding import bounded, is_whole, note, text_of
from hearth.servers.dashboard.rendering.cells import asked, cell_pieces, stop_button
from hearth.servers.dashboard.rendering.diffs import changed, counts
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.outline import outlined
from hearth.servers.dashboard.rendering.outputs import Run, Showing, drawn_text
from hearth.servers.dashboard.rendering.pictures import KINDS, fetched
from hearth.servers.dashboard.rendering.results import shown_code, standing_mark
from hearth.servers.dashboard.rendering.rich import Kept
from hearth.servers.dashboard.rendering.taking_back import undo_button, undone_mark
from hearth.servers.dashboard.rendering.terminal import screen, stripped
from hearth.servers.dashboard.rendering.tool_kinds import CODE, SHELL, ToolKind, kind_of
from hearth.servers.dashboard.rendering.visible import one_line, visible
from hearth.servers.dashboard.rendering.wording import counted, seconds, short

MOST_PICTURES: Final = 8
_EXIT: Final = re.compile(r"Exit code (\d{1,3})\.")
_DOTS: Final = {
    "writing": "dot-running",
    "waiting for you": "dot-needs",
    "waiting": "dot-off",
    "running": "dot-running",
    "done": "dot-ready",
    "failed": "dot-bad",
    "refused": "dot-bad",
}
_UNFINISHED: Final = frozenset({"writing", "waiting for you", "waiting", "running"})


class Result(NamedTuple):
    """What came of a call: what was written, and of a command how it ended."""

    text: Text
    ending: str = ""
    exit_code: int | None = None


def drawn_call(placed: Placed, item: CallItem, look: Look) -> Drawn:
    """A call with everything that is known of it."""
    name = item_id(placed.key)
    kind = kind_of(item.name)
    state = state_of(item)
    is_open = (state in _UNFINISHED and kind.watched) or _has_picture(item)

    def around(inside: Html) -> tuple[Html | None, ...]:
        cell = item.cell.entry if item.cell is not None else None
        return (
            details(
                _line(item, kind, state),
                inside,
                class_=f"call call-{kind.name}",
                open=is_open,
                data_preserve_attr="open",
            ),
            asked(cell, look) if cell is not None else None,
            approval_card(look.session, item.approval, now=look.now) if item.approval else None,
        )

    return outlined(
        placed,
        f"call is-{state.split()[0]}",
        _pieces(item, kind, name, look),
        around,
        about=f"{short(item.name, 60)}, {state}",
    )


def _has_picture(item: CallItem) -> bool:
    """Whether its cell showed something that people would rather look at than read about."""
    outputs = item.cell.entry.outputs if item.cell is not None else ()
    if isinstance(outputs, Blob):
        return False
    shown = (one.bundle for one in outputs if isinstance(one, RichData))
    return any(kind.startswith("image/") for bundle in shown for kind in bundle)


def state_of(item: CallItem) -> str:
    """How far a call has come, in words."""
    if item.refused:
        return "refused"
    if item.result is not None:
        return "failed" if _block(item).is_error else "done"
    if item.approval is not None:
        return "waiting for you"
    if item.started is not None:
        return "running"
    return "writing" if item.call is None or item.asked is None else "waiting"


def result_of(block: ToolResultBlock) -> Result:
    """A result in its parts: those of commands end in a paragraph about how they ended."""
    if block.name != "run_shell" or not is_whole(block.result):
        return Result(block.result)
    body, _, ending = text_of(block.result).rstrip().rpartition("\n\n")
    found = _EXIT.search(ending)
    if not body:
        return Result(block.result)
    return Result(body, ending, int(found[1]) if found else None)


def _line(item: CallItem, kind: ToolKind, state: str) -> Html:
    arguments = _arguments(item)
    took = ""
    if item.started is not None and item.result is not None:
        took = seconds((item.result.at - item.started.at).total_seconds())
    result = result_of(_block(item)) if item.result is not None else None
    added = sum(one.added for one in item.changes)
    removed = sum(one.removed for one in item.changes)
    return summary(
        span(kind.sign, class_="call-sign mono", aria_hidden="true"),
        span(short(item.name, 60), class_="call-name"),
        span(gist(arguments), class_="call-gist mono") if arguments else None,
        span(class_="gap"),
        counts(added, removed) if added or removed else None,
        _exit_mark(result.exit_code) if result and result.exit_code is not None else None,
        _ended_badly(item) if state == "failed" and not item.cell else None,
        span(took, class_="muted mono took") if took else None,
        span(
            span(class_=f"dot {_DOTS[state]}", aria_hidden="true"),
            state,
            class_=f"state state-{state.split(maxsplit=1)[0]}",
        ),
        class_="line",
    )


def _ended_badly(item: CallItem) -> Html | None:
    words = stripped(text_of(_block(item).result)).strip()
    first = words.split("\n", 1)[0]
    return span(short(first, 80), class_="call-why") if first else None


def _exit_mark(number: int) -> Html:
    return span(f"exit {number}", class_=f"exit mono {'exit-ok' if number == 0 else 'exit-no'}")


def _pieces(item: CallItem, kind: ToolKind, name: str, look: Look) -> list[Piece]:
    # What a person is asked about stands in the card, in full; it need not be there twice.
    shown = _asked_for(item, kind, look) if item.approval is None else None
    made = [_piece(f"{name}-args", shown)]
    if item.refused:
        made.append(_piece(f"{name}-refused", _refused(item.refused)))
    if item.cell is not None:
        made += _cell(item, name, look)
    if item.live and item.result is None:
        made += drawn_text(f"{name}-live", Run("stdout", item.live), _showing(name, look))
    if item.changes:
        made.append(_piece(f"{name}-files", joined(*changed(item.changes, look.session))))
    if item.result is not None:
        made += _result(item, name, look)
    return made


def _asked_for(item: CallItem, kind: ToolKind, look: Look) -> Html | None:
    """What the tool was called with, as that kind of tool is best read."""
    arguments = _arguments(item)
    said = decoded(arguments)
    if item.cell is not None and item.cell.entry.variants:
        return None  # they are shown with what came of them
    if kind is CODE and item.cell is not None:
        return shown_code(item.cell.entry.code, look)
    if kind is SHELL and said is not None and isinstance(said.get("command"), str):
        rest = {key: one for key, one in said.items() if key != "command"}
        more = ", ".join(f"{key}: {one}" for key, one in rest.items())
        return joined(
            pre(
                span("$ ", class_="prompt", aria_hidden="true"),
                visible(said["command"][:65536]),
                class_="term",
                tabindex="0",
            ),
            note(short(more, 300)) if more else None,
        )
    if kind is CODE and said is not None and isinstance(said.get("code"), str):
        return shown_code(said["code"], look)
    if item.changes and said is not None:
        return None  # what became of the files is shown as a diff
    return written(arguments, look.session)


def _refused(refused: tuple[Judged, ...]) -> Html:
    return div(
        p("A rule forbids it:"),
        ul(
            *(
                li(
                    span(f"{short(one.need.permission, 60)} ", class_="mono"),
                    span(one_line(one.need.target[:1000]), class_="mono"),
                    f" {one_line(one.by[:1000])}" if one.by else None,
                )
                for one in refused[:20]
            )
        ),
        class_="refusal",
    )


def _cell(item: CallItem, name: str, look: Look) -> list[Piece]:
    if item.cell is None:
        return []
    entry = item.cell.entry
    head = div(
        span(short(entry.cell, 20), class_="cell-id mono"),
        standing_mark(entry.standing),
        undone_mark(entry),
        span(seconds(entry.duration), class_="muted mono") if entry.duration is not None else None,
        span(class_="gap"),
        stop_button(entry, look),
        undo_button(entry, look),
        class_="line",
    )
    return [_piece(f"{name}-cell", head), *cell_pieces(item.cell, f"{name}-c", look)]


def _result(item: CallItem, name: str, look: Look) -> list[Piece]:
    block = _block(item)
    made: list[Piece] = []
    shares = item.started is not None and item.started.shares is not None
    if shares:
        made.append(
            _piece(f"{name}-shares", note("An equal call of this step has the same result."))
        )
    result = result_of(block)
    if item.cell is None or block.is_error:
        words, about = bounded(result.text, look.session)
        kind = "term" if kind_of(item.name) is SHELL else "out"
        kind += " out-bad" if block.is_error else ""
        shown = pre(screen(words.strip("\n")), class_=kind, tabindex="0") if words.strip() else None
        # The same id as what was written live, so that it is the same for whoever reads it.
        made.append(_piece(f"{name}-live-0", joined(shown, about)))
    if result.ending and not _EXIT.fullmatch(result.ending.strip()):  # that is said in the line
        made.append(_piece(f"{name}-ending", _ending(result)))
    if block.spilled:
        made.append(_piece(f"{name}-spilled", note(f"All of it is in {short(block.spilled, 300)}")))
    made += [
        _piece(f"{name}-p{number}", _picture(one, number, look))
        for number, one in enumerate(block.pictures[:MOST_PICTURES])
    ]
    if len(block.pictures) > MOST_PICTURES:
        more = counted(len(block.pictures) - MOST_PICTURES, "more picture")
        made.append(_piece(f"{name}-pictures", note(f"… and {more}")))
    return made


def _ending(result: Result) -> Html:
    mark = _exit_mark(result.exit_code) if result.exit_code is not None else None
    return div(mark, span(short(result.ending, 400), class_="muted"), class_="ending line")


def _picture(blob: Blob, number: int, look: Look) -> Html:
    if blob.media_type not in KINDS or not blob.sha256.isalnum():
        return note(f"picture {number + 1}: {short(blob.media_type, 60)}")
    kind = blob.media_type.removeprefix("image/")
    address = f"/dashboard/s/{look.session}/blob/{blob.sha256}?type={kind}"
    return fetched(address, f"picture {number + 1} of the result")


def _showing(name: str, look: Look) -> Showing:
    return Showing(name, Kept(look.session))


def _arguments(item: CallItem) -> Text:
    content = item.asked.content if item.asked is not None else None
    return content.arguments if isinstance(content, ToolCallBlock) else ""


def _block(item: CallItem) -> ToolResultBlock:
    content = item.result.content if item.result is not None else None
    if isinstance(content, ToolResultBlock):
        return content
    return ToolResultBlock(call=item.call or CallId(""), name=item.name, result="")


def _piece(name: str, html: Html | None) -> Piece:
    return Piece(name, div(html, id_=name))
