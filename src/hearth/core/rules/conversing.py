"""How an event changes a conversation. The only place where a conversation's state is made."""

from datetime import timedelta
from typing import Final, assert_never

from msgspec.structs import replace

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.rules.compaction import chars_of
from hearth.core.rules.conversation_state import (
    COMPACTED,
    OVERFLOW,
    Conversation,
    Lookup,
    OpenApproval,
    OpenCall,
    OpenTurn,
    TurnPhase,
    Unrecorded,
    Waiting,
    calls_digest,
)
from hearth.core.rules.doing import done, need_key, said
from hearth.core.rules.lines import LineFold, carry_on
from hearth.core.rules.tooling import COMPACT
from hearth.core.rules.turn import FOLLOWS
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CallId, block_id
from hearth.core.vocabulary.prompting import ApprovalAnswer

MOST_FILES: Final = 200
MOST_GRANTS: Final = 500
"""Of a session; the oldest are asked for again."""


def converse(talk: Conversation, fact: Fact, event: t.TurnEvent, version: int) -> Conversation:
    """The conversation after this fact, which is at this version; IllegalEvent if it cannot be."""
    before = talk.phase
    leads_to = FOLLOWS[type(event)].get(before)
    if leads_to is None:
        raise IllegalEvent(f"{tag_of(fact)} cannot happen to an agent that is {before}")
    after = _apply(talk, fact, event, version)
    if leads_to is TurnPhase.CALLING and after.open is not None and after.open.approvals:
        leads_to = TurnPhase.WAITING
    if after.open is not None and after.open.phase is not leads_to:
        after = replace(after, open=replace(after.open, phase=leads_to))
    if after.phase is not leads_to:
        raise IllegalEvent(f"{tag_of(fact)} led from {before} to {after.phase}, not {leads_to}")
    return after


def _apply(talk: Conversation, fact: Fact, event: t.TurnEvent, version: int) -> Conversation:
    match event:
        case t.BlockSealed():
            return _sealed(talk, fact, event, version)
        case t.StepFinished():
            return _step_finished(talk, fact, event)
        case t.ModelAsked():
            return _asked(talk, fact, event)
        case t.ToolStarted():
            return _called(
                talk, fact, event.call, is_started=True, cell=event.cell, shares=event.shares
            )
        case t.RetryScheduled():
            due = fact.at + timedelta(seconds=event.delay)
            turn = replace(_turn(talk, fact, event.turn), retry_due=due, attempt=event.attempt - 1)
            return replace(talk, open=turn)
        case t.MessageQueued():
            waiting = Waiting(event.message, event.text, fact.cause, fact.origin, event.model)
            return replace(talk, messages=talk.messages + 1, queue=(*talk.queue, waiting))
        case t.MessageDelivered() | t.MessageWithdrawn():
            rest = tuple(one for one in talk.queue if one.message != event.message)
            agree(len(rest) < len(talk.queue), fact, f"{event.message} is not waiting")
            return replace(talk, queue=rest)
        case t.TurnStarted():
            agree(event.turn == f"t{talk.turns + 1}", fact, "a turn was skipped")
            opened = OpenTurn(
                event.turn,
                fact.cause,
                fact.origin,
                purpose=event.purpose,
                model=event.model,
                focus=event.focus,
            )
            return replace(talk, turns=talk.turns + 1, open=opened, repeats="", repeated=0)
        case t.PrefixStarted():
            agree(event.epoch == talk.epoch + 1, fact, "an epoch was skipped")
            return replace(
                talk,
                epoch=event.epoch,
                prefix=version,
                digest=event.digest,
                prefix_model=event.model,
                renew="",
                read_only=event.read_only,
                switched_off=event.switched_off,
            )
        case t.TurnPrepared():
            _turn(talk, fact, event.turn)
            return replace(talk, choice=event.choice, limits=event.limits)
        case t.ApprovalRequested():
            opened = _turn(talk, fact, event.turn)
            agree(event.approval == f"a{talk.approvals + 1}", fact, "an approval was skipped")
            asked = OpenApproval(
                event.approval, event.calls, event.judged, event.offers, event.inside
            )
            waits = replace(opened, approvals=(*opened.approvals, asked))
            return replace(talk, approvals=talk.approvals + 1, open=waits)
        case t.ApprovalAnswered():
            return _approval_answered(talk, fact, event)
        case t.TurnCancelRequested():
            _turn(talk, fact, event.turn)
            return talk
        case t.TurnFinished():
            _turn(talk, fact, event.turn)
            return replace(talk, open=None)
        case t.ModelChanged():
            return _carried_on(talk, event)
        case t.ServersChosen():
            return replace(talk, servers=event.servers)
        case t.BranchRequested():
            return _looked_for(talk, Lookup(fact.cause, fact.origin, event.to))
        case t.EditRequested():
            keep = event.rest == "keep"
            lookup = Lookup(fact.cause, fact.origin, event.block, event.text, keep)
            return _looked_for(talk, lookup)
        case t.LookupFailed():
            return _found(talk, fact)
        case t.BranchSwitched() | t.ConversationForked():
            return _switched(_found(talk, fact), event)
        case t.CompactionStarted():
            turn = _turn(talk, fact, event.turn)
            # What was asked and failed is asked again behind the summary: it is the same step.
            steps = turn.step if turn.phase is TurnPhase.ASKING else turn.steps
            shorter = replace(
                turn,
                steps=steps,
                shorter_at=steps,
                wants_shorter=False,
                overflowed=event.reason == OVERFLOW,
                focus=event.focus,
                attempt=0,
            )
            return replace(talk, open=shorter)
        case t.ConversationCompacted():
            return _compacted(talk, fact, event, version)
        case t.CompactionFailed():
            return replace(talk, open=replace(_turn(talk, fact, event.turn), request=None))
        case (
            d.ToolRefused()
            | d.GrantRecorded()
            | d.FilesKept()
            | d.FilesChanged()
            | d.TaskChanged()
            | d.RewindRequested()
            | d.FilesCompared()
            | d.FilesRewound()
            | d.RewindFailed()
        ):
            return done(talk, fact, event)
        case _:
            assert_never(event)


def _approval_answered(talk: Conversation, fact: Fact, event: t.ApprovalAnswered) -> Conversation:
    opened = _open(talk, fact)
    asked = next((one for one in opened.approvals if one.approval == event.approval), None)
    if asked is None:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: nobody asked for {event.approval}")
    calls = opened.calls
    if event.answer is not ApprovalAnswer.REJECT and not asked.inside:
        keys = tuple(need_key(one.need) for one in asked.judged)
        calls = tuple(
            replace(one, granted=(*one.granted, *keys)) if one.call in asked.calls else one
            for one in calls
        )
    left = tuple(one for one in opened.approvals if one is not asked)
    opened = replace(opened, calls=calls, approvals=left)
    if event.answer is ApprovalAnswer.ALWAYS:
        waits = Unrecorded(event.approval, event.grants, said(asked.judged), fact.origin.name)
        opened = replace(opened, unrecorded=(*opened.unrecorded, waits))
    talk = replace(talk, open=opened)
    if event.answer is ApprovalAnswer.SESSION:
        new = tuple(one for one in event.grants if one not in talk.grants)
        talk = replace(talk, grants=(*talk.grants, *new)[-MOST_GRANTS:])
    return talk if asked.judged else replace(talk, repeats="", repeated=0)


def _open(talk: Conversation, fact: Fact) -> OpenTurn:
    if talk.open is None:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: no turn runs")
    return talk.open


def _turn(talk: Conversation, fact: Fact, turn: str) -> OpenTurn:
    opened = _open(talk, fact)
    agree(opened.turn == turn, fact, f"turn {opened.turn} runs")
    return opened


def _asked(talk: Conversation, fact: Fact, event: t.ModelAsked) -> Conversation:
    opened = _turn(talk, fact, event.turn)
    agree(event.request == f"r{talk.requests + 1}", fact, "a request was skipped")
    turn = replace(
        opened,
        request=event.request,
        asks_for=event.purpose,
        attempt=event.attempt,
        retry_due=None,
    )
    if event.purpose == "answer":
        turn = replace(turn, steps=event.step + 1, calls=())
    return replace(talk, requests=talk.requests + 1, open=turn)


def _step_finished(talk: Conversation, fact: Fact, event: t.StepFinished) -> Conversation:
    opened = _turn(talk, fact, event.turn)
    agree(opened.request == event.request, fact, "another request was made")
    repeats = calls_digest(opened.calls)
    counted = event.usage.input + event.usage.output
    return replace(
        talk,
        repeats=repeats,
        repeated=talk.repeated + 1 if repeats == talk.repeats else 1,
        # Some servers count nothing: then all that was said is what there is to go by.
        tokens=counted or talk.tokens,
        fresh_chars=0 if counted else talk.fresh_chars,
        open=replace(opened, usage=opened.usage + event.usage, retry_due=None),
    )


def _sealed(talk: Conversation, fact: Fact, event: t.BlockSealed, version: int) -> Conversation:
    agree(event.block == block_id(version), fact, f"it is at version {version}")
    content = event.content
    talk = _carried_on(replace(talk, fresh_chars=talk.fresh_chars + chars_of(content)), event)
    if isinstance(content, ToolCallBlock) and not event.partial and talk.open is not None:
        called = OpenCall(content.call, content.name, content.arguments)
        calls = (*talk.open.calls, called)
        return replace(talk, calls=talk.calls + 1, open=replace(talk.open, calls=calls))
    if isinstance(content, ToolResultBlock) and event.replaces is None:
        talk = _told(_called(talk, fact, content.call, is_done=True), chars_of(content))
        if content.files:
            files = (*(one for one in talk.files if one not in content.files), *content.files)
            talk = replace(talk, files=files[-MOST_FILES:])
        if content.name == COMPACT and not content.is_error and talk.open is not None:
            return replace(talk, open=replace(talk.open, wants_shorter=True))
    return talk


def _called(talk: Conversation, fact: Fact, call: CallId, **changes: object) -> Conversation:
    opened = _open(talk, fact)
    known = next((one for one in opened.calls if one.call == call), None)
    if known is None or known.is_done:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: nobody waits for {call}")
    calls = tuple(replace(one, **changes) if one is known else one for one in opened.calls)
    return replace(talk, open=replace(opened, calls=calls))


def _told(talk: Conversation, chars: int) -> Conversation:
    if talk.open is None:
        return talk
    return replace(talk, open=replace(talk.open, told=talk.open.told + chars))


def _looked_for(talk: Conversation, lookup: Lookup) -> Conversation:
    return replace(talk, lookups=(*talk.lookups, lookup))


def _found(talk: Conversation, fact: Fact) -> Conversation:
    rest = tuple(one for one in talk.lookups if one.cause != fact.cause)
    return replace(talk, lookups=rest)


def _switched(talk: Conversation, event: t.BranchSwitched | t.ConversationForked) -> Conversation:
    reason = "fork" if isinstance(event, t.ConversationForked) else event.reason
    talk = _carried_on(talk, event)
    return replace(talk, renew=talk.renew or reason, tokens=0, fresh_chars=0)


def _compacted(
    talk: Conversation, fact: Fact, event: t.ConversationCompacted, version: int
) -> Conversation:
    opened = _turn(talk, fact, event.turn)
    agree(event.block == block_id(version), fact, f"it is at version {version}")
    usage = opened.usage + event.usage
    return replace(
        _carried_on(talk, event),
        renew=COMPACTED,
        summary=event.block,
        tokens=0,
        fresh_chars=0,
        files=event.files,
        open=replace(opened, usage=usage, request=None, overflowed=False, told=0),
    )


def _carried_on(talk: Conversation, event: t.TurnEvent) -> Conversation:
    """Where it goes on, and with which model: as whoever looks back in the log finds it."""
    fold = carry_on(LineFold(talk.line, talk.model, talk.effort), event)
    return replace(talk, line=fold.line, model=fold.model, effort=fold.effort)
