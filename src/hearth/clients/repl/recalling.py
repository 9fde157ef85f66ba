"""A cell of the past in full, wherever in the log it is and wherever its content is kept."""

import msgspec

from hearth.api import Viewed
from hearth.clients.repl.failing import failed
from hearth.clients.repl.host import Host
from hearth.clients.repl.painting import Paint, author, seconds
from hearth.clients.repl.pieces import Piece, Words, picture_in, readable
from hearth.clients.repl.sanitising import clean
from hearth.core.views.transcript import CellStanding, Entry, Transcript, carry_on
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Blob, Output, Outputs, RichData, StreamText, Text
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import Refusal


async def recalled(host: Host, session: SessionId, cell: CellId) -> Entry | Refusal | None:
    """What became of a cell; None if the session has no such cell."""
    viewed = await host.view("transcript", session)
    if not isinstance(viewed, Viewed):
        return viewed
    if isinstance(viewed.value, Transcript):
        found = next((one for one in viewed.value.entries if one.cell == cell), None)
        if found is not None:
            return found
    return await _out_of_the_log(host, session, cell, viewed.seq)


async def whole(host: Host, entry: Entry, paint: Paint) -> list[Piece]:
    """A cell with its author, its code and all that it showed."""
    who = paint.rule(f"{entry.cell}  {author(entry.author)}")
    code = clean(await text_in_full(host, entry.code), colour=False).rstrip("\n")
    pieces: list[Piece] = [Words(f"{who}\n{code}"), Words(paint.rule())]
    for outputs in (entry.outputs, *entry.late):
        pieces += [
            piece
            for place, output in enumerate(await _outputs(host, outputs), 1)
            if (piece := await _shown(host, output, f"{entry.cell}-{place}", paint)) is not None
        ]
    if entry.value:
        pieces.append(Words(clean(await text_in_full(host, entry.value), colour=paint.colour)))
    if isinstance(entry.failure, CodeRaised) and isinstance(entry.failure.traceback, Blob):
        trace = await text_in_full(host, entry.failure.traceback)
        pieces.append(Words(clean(trace, colour=paint.colour).rstrip("\n")))
    elif entry.failure is not None:
        pieces.append(Words(failed(entry.failure, paint)))
    took = f" after {seconds(entry.duration)}" if entry.duration is not None else ""
    standing = entry.standing.value if entry.standing is not None else CellStanding.RUNNING.value
    return [*pieces, Words(paint.rule(f"{entry.cell} {standing}{took}"))]


async def _shown(host: Host, output: Output, name: str, paint: Paint) -> Piece | None:
    match output:
        case StreamText():
            text = clean((await text_in_full(host, output.text)).rstrip("\n"), colour=paint.colour)
            return Words(text) if text else None
        case RichData():
            if (picture := picture_in(output, name)) is not None:
                return picture
            if output.is_result and "text/markdown" not in output.bundle:
                return None  # the value is told at the end
            there = {kind: await text_in_full(host, one) for kind, one in output.bundle.items()}
            return Words(readable(RichData({**there}), colour=paint.colour))


async def _out_of_the_log(host: Host, session: SessionId, cell: CellId, until: int) -> Entry | None:
    """A cell that is further back than a transcript reaches."""
    following = host.follow(session, after=0)
    view = Transcript()
    try:
        while items := await following.batch():
            rows = [item for item in items if isinstance(item, Stored)]
            for one in map(envelope, rows):
                if getattr(one.event, "cell", None) == cell:
                    view = carry_on(view, one, 1)
            if rows and rows[-1].seq >= until:
                break
    finally:
        following.close()
    return view.entries[0] if view.entries else None


async def text_in_full(host: Host, text: Text) -> str:
    """A text, fetched if it is kept apart."""
    if not isinstance(text, Blob):
        return text
    try:
        return (await host.fetch(text.sha256)).decode("utf-8", "replace")
    except KeyError:
        return f"{text.head}\n(the rest is no longer kept)"


async def _outputs(host: Host, outputs: Outputs) -> tuple[Output, ...]:
    if not isinstance(outputs, Blob):
        return outputs
    try:
        return msgspec.json.decode(await host.fetch(outputs.sha256), type=tuple[Output, ...])
    except KeyError:
        return (StreamText("stdout", "(what it showed is no longer kept)\n"),)
