"""What follows from a summary, or from there being none."""

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.lines import kept
from hearth.core.rules.prompted import end_cancelled
from hearth.core.rules.tooling import ADD_KNOWLEDGE
from hearth.core.rules.turning import ask, fail, finish, happen, notice, opened, prepare
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeKind
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import CallId, block_id


def summed_up(then: Consequences, report: m.SummaryMade) -> None:
    """Put it in the place of what it sums up, and go on."""
    talk, turn = then.state.talk, opened(then)
    if turn.phase is TurnPhase.STOPPING:
        end_cancelled(then)
        return
    if not report.summary:
        not_summed_up(then, "the model wrote no summary", None)
        return
    version = then.state.version + 1
    compacted = t.ConversationCompacted(
        turn=turn.turn,
        block=block_id(version),
        summary=report.summary,
        keeps=report.keeps,
        line=kept(talk.line, report.keeps, version, then.state.version),
        files=talk.files,
        tokens_before=talk.tokens,
        usage=report.usage,
        notes=report.notes,
    )
    happen(then, compacted)
    for place, note in enumerate(report.notes):
        # Nobody waits for how it goes: it is no part of the conversation.
        then.do(note_down(then, CallId(f"n{version}-{place}"), note))
    if turn.purpose == "summary":
        finish(then, t.TurnEnd.DONE)
    else:
        prepare(then)


def not_summed_up(then: Consequences, why: str, status: int | None) -> None:
    """Go on without, if that is possible."""
    turn = opened(then)
    happen(then, t.CompactionFailed(turn.turn, why))
    if turn.purpose == "summary" or turn.overflowed:
        fail(then, f"no summary could be made: {why}", status)
    else:
        notice(then, NoticeKind.NOTICE, f"no summary could be made: {why}")
        ask(then)


def note_down(then: Consequences, call: CallId, arguments: Text) -> m.RunTool:
    """Have something remembered for later sessions."""
    limits = then.state.talk.limits
    config = then.state.config or SessionConfig()
    return m.RunTool(call, ADD_KNOWLEDGE, arguments, config, limits.result_chars)
