"""Notices of the timeline: what happened beside cells and turns, a line each."""

from hearth.core.views.timeline_items import NoticeItem
from hearth.core.views.transcript import Transcript, carry_on
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope


def noticed(envelope: Envelope) -> NoticeItem | None:
    """The line about an event; None: there is nothing to be said of it."""
    event = envelope.event
    about = event if isinstance(event, e.UndoEvent) else None
    for entry in carry_on(Transcript(), envelope).entries:
        return NoticeItem(envelope.at, entry.notice, entry, about)
    words = _words(event)
    return NoticeItem(envelope.at, words, None, about) if words else None


def notice_key(envelope: Envelope) -> str:
    """Under which key it stands: what becomes of a fork takes the place of the wish for it."""
    match envelope.event:
        case e.ForkRequested(to=to) | e.SessionForked(to=to) | e.ForkFailed(to=to):
            return f"fork-{to}"
        case _:
            return f"n{envelope.version}"


def _words(event: e.Event) -> str:
    """Of what the transcript passes over, because it soon ends or changes nothing."""
    match event:
        case e.ForkRequested(to=to):
            return f"a fork is being made: {to}"
        case e.CopiesDropped(cells=cells, why=why):
            return f"{', '.join(cells)} can no longer be taken back" + (f": {why}" if why else "")
        case _:
            return ""
