"""What happens around an agent's answers, in one line each: queue, retries, branches, endings."""

from collections.abc import Sequence
from typing import Final

from hearth.clients.repl.painting import Paint, author, seconds
from hearth.clients.repl.pieces import text_of
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ErrorBlock, NoticeBlock, NoticeKind, Usage
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.lines import Purpose

LONGEST: Final = 100

_ENDS: Final = {
    t.TurnEnd.DONE: "done",
    t.TurnEnd.CANCELLED: "cancelled",
    t.TurnEnd.FAILED: "failed",
    t.TurnEnd.REFUSED: "refused",
    t.TurnEnd.LIMIT: "stopped",
    t.TurnEnd.CUT_OFF: "cut off",
}
_HELPS: Final[dict[Purpose, str]] = {
    "answer": ".regenerate tries again; .model NAME asks another model",
    "summary": ".compress tries again; the conversation is as it was",
}
_CAREFUL: Final = {
    NoticeKind.CANCELLED,
    NoticeKind.LIMIT,
}


def turn_noticed(  # noqa: C901, PLR0911, PLR0912 - one case for each kind of event
    envelope: Envelope, paint: Paint, *, is_mine: bool
) -> str:
    """The line for an event of a conversation that is no block; empty if it needs none."""
    event, who = envelope.event, author(envelope.origin)
    match event:
        case t.MessageQueued() if is_mine:
            return paint.dim(
                f"{event.message} queued for the agent's next step; "
                f".unqueue {event.message} takes it back"
            )
        case t.MessageQueued():
            return paint.dim(f"{event.message} of {who} queued: {one_line(event.text)}")
        case t.MessageWithdrawn():
            by = "" if is_mine else f" by {who}"
            return paint.dim(f"{event.message} was taken back{by}")
        case t.PrefixStarted() if event.epoch > 1:
            return paint.dim(f"the provider reads everything anew: {_flat(event.reason)}")
        case t.TurnCancelRequested() if not is_mine:
            return paint.dim(f"{who} asks the agent to stop")
        case t.ModelChanged():
            return _done(_changed(event), who, paint, is_mine=is_mine)
        case t.ServersChosen():
            return _done(_chosen(event), who, paint, is_mine=is_mine)
        case t.BranchSwitched() if event.reason != "edit":
            where = _flat(event.line.leaf) or "the beginning"
            again = event.reason == "regenerate"
            what = "is answered anew" if again else "is where the conversation goes on from"
            return _done(f"{where} {what}", who, paint, is_mine=is_mine)
        case t.LookupFailed():
            if not event.block:
                return ""  # a fork of a session in which nothing was said: it lacks nothing
            return paint.warning(f"{_flat(event.block)} cannot be gone on from: {_flat(event.why)}")
        case t.ConversationForked():
            block, source = _flat(event.block.partition("@")[0]), _flat(event.source)
            return paint.dim(f"the conversation goes on from {block} of {source}")
        case t.CompactionStarted():
            return paint.dim(f"making the conversation shorter: {_flat(event.reason)}")
        case t.ConversationCompacted():
            before = f" ({count(event.tokens_before)} tokens)" if event.tokens_before else ""
            return paint.dim(
                f"a summary stands for what was said before{before}; .show {event.block} shows it"
            )
        case _:  # of what could not be made shorter, the block behind it tells
            return ""


def _done(what: str, who: str, paint: Paint, *, is_mine: bool) -> str:
    return paint.dim(what if is_mine else f"{what} ({who})")


def _changed(event: t.ModelChanged) -> str:
    said = [f"the model is {_flat(event.model)}"] if event.model else []
    said += [f"the effort is {event.effort.value}"] if event.effort is not None else []
    return f"{' and '.join(said) or 'the model is the one of the settings'} from the next step on"


def _chosen(event: t.ServersChosen) -> str:
    chosen = event.servers
    servers = "those of the settings" if chosen is None else servers_said(chosen)
    return f"the MCP servers of this session are {servers} from the next turn on"


def servers_said(servers: Sequence[str]) -> str:
    """The names of MCP servers on a line."""
    return _flat(", ".join(servers)) or "none"


def retrying(event: t.RetryScheduled, paint: Paint, *, was_begun: bool) -> str:
    """An attempt failed. What was shown of it cannot be taken back, so that it is said."""
    what = "the answer was cut off" if was_begun else "no answer"
    status = f", status {event.status}" if event.status is not None else ""
    when = f" in {seconds(event.delay)}" if event.delay else ""
    return paint.warning(f"{what} ({_flat(event.why)}{status}); asking again{when}")


def error_of(block: ErrorBlock, paint: Paint, purpose: Purpose | None = None) -> str:
    """Why a turn failed, and what helps one of this purpose."""
    status = f" (status {block.status})" if block.status is not None else ""
    said = clean(text_of(block.message), colour=False).strip()
    hint = f"\n  {_HELPS[purpose]}" if purpose is not None else ""
    return f"{paint.trouble(f'{said}{status}')}{hint}"


def notice_of(block: NoticeBlock, paint: Paint) -> str:
    """Something that people should know."""
    said = clean(block.text, colour=False).strip()
    said = said.replace("continue_turn goes on", ".continue goes on")
    return paint.warning(said) if block.kind in _CAREFUL else paint.dim(said)


def ended(event: t.TurnFinished, took: float | None, paint: Paint) -> str:
    """The last line of a turn: how it ended and what it took."""
    steps = f"{event.steps} step{'' if event.steps == 1 else 's'}"
    did = (steps,) if event.steps else ()
    parts = [f"{event.turn} {_ENDS[event.end]}", *did, *used(event.usage)]
    if took is not None:
        parts.append(seconds(took))
    return paint.dim(f"# {paint.dot.join(parts)}")


def used(usage: Usage) -> list[str]:
    """Tokens for people; nothing where none were counted."""
    if not usage.input and not usage.output:
        return []
    cached = f", {count(usage.cache_read)} of them cached" if usage.cache_read else ""
    return [f"{count(usage.input)} tokens in{cached}", f"{count(usage.output)} out"]


def count(tokens: int) -> str:
    """A number of tokens, short."""
    if tokens < 1000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if tokens < 100_000 else f"{tokens / 1000:.0f}k"


def one_line(text: Text) -> str:
    """How a text begins."""
    line = _flat(text_of(text)[: 4 * LONGEST])
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _flat(text: str) -> str:
    return " ".join(clean(text, colour=False).split())
