"""The tool that asks a session's own agent, and a person for what that may not decide."""

from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.events import ApprovalRequested
from hearth.core.vocabulary.ids import ApprovalId, InputId, MessageId, TurnId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.prompting import (
    AnswerApproval,
    ApprovalAnswer,
    CancelTurn,
    SendMessage,
    WithdrawMessage,
)
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.turns import TurnEnd
from hearth.credentials.standing import Act
from hearth.servers.mcp import turns
from hearth.servers.mcp.callers import NobodyToAsk
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.running import LONGEST_WAIT, Wait
from hearth.servers.mcp.tools.said import Said, bounded, head_of, refused, trouble

WAIT: Final = 120.0
LONGEST: Final = 20_000
"""Characters of an agent's answer."""
DETAILS: Final = 3_000
"""Characters of what a person is shown; what is longer is not decided here."""


class AskAgent(Arguments, frozen=True):
    """What `ask_agent` takes."""

    message: Annotated[str, msgspec.Meta(max_length=200_000)] = ""
    model: Annotated[str, msgspec.Meta(max_length=300)] = ""
    turn: Annotated[str, msgspec.Meta(max_length=64)] = ""
    since: Annotated[int, msgspec.Meta(ge=0)] = 0
    wait: Wait = WAIT


async def ask_agent(call: Call, said: AskAgent) -> Said:
    """Say something to the agent and wait for its answer, or go on waiting for a turn."""
    asked = await _asked(call, said)
    if isinstance(asked, Said):
        return asked
    call.caller.doing.stop = lambda: _stopped(call, asked)
    answered: list[ApprovalId] = []
    while True:
        await turns.follow(
            call.hearth,
            call.session,
            asked,
            wait=call.patience(said.wait),
            tell=call.tell,
            answered=answered,
        )
        waiting = [one for one in asked.waits_for.values() if one.approval not in answered]
        if asked.is_over or not waiting:
            return _told(call, asked)
        why_not = await _decided(call, asked, waiting[0])
        if why_not is not None:
            return _waits(call, asked, why_not)
        answered.append(waiting[0].approval)


async def _asked(call: Call, said: AskAgent) -> turns.AskedTurn | Said:
    notes = call.caller.notes
    if "cause" in notes:
        # The client was asked something, and calls again: the message was sent before.
        return turns.AskedTurn(
            cause=InputId(notes["cause"]),
            turn=TurnId(notes["turn"]) if notes.get("turn") else None,
            cursor=int(notes["cursor"]),
        )
    if said.turn:
        if said.turn.startswith("m"):  # it waited for the agent when we last heard of it
            return turns.AskedTurn(message=MessageId(said.turn), cursor=said.since)
        return turns.AskedTurn(turn=TurnId(said.turn), cursor=said.since)
    if not said.message.strip():
        return trouble("malformed", "pass `message`, or `turn` to go on waiting", path="$.message")
    command = SendMessage(said.message, said.model)
    asked = await turns.ask(call.hearth, call.session, command, call.caller.origin)
    if isinstance(asked, Refused):
        return refused(asked)
    notes["cause"] = asked.cause or ""
    notes["cursor"] = str(asked.cursor)
    return asked


async def _decided(call: Call, asked: turns.AskedTurn, wanted: ApprovalRequested) -> str | None:
    """Have a person decide; why that cannot be done here, if so."""
    caller = call.caller
    if not caller.is_person:
        return "only a person can allow it, and this token is not a person's"
    details = head_of(wanted.details)
    if len(details) > DETAILS or isinstance(wanted.details, Blob):
        return "what it wants is too long to be shown here"
    if asked.turn is not None:
        caller.notes["turn"] = asked.turn
    message = f"The agent of {call.session} asks: {wanted.why}\n\n{details}".strip()
    try:
        answer = await caller.ask(wanted.approval, message, _FORM)
    except NobodyToAsk as why:
        return f"{why}"
    if answer.action == "cancel":
        return "the person has not decided"
    chosen = answer.content.get("answer") if answer.action == "accept" else "reject"
    command = AnswerApproval(
        wanted.approval,
        ApprovalAnswer.ONCE if chosen == "once" else ApprovalAnswer.REJECT,
        str(answer.content.get("text") or "")[:4000],
    )
    person = Origin(Actor.PERSON, caller.credential.name, Door.MCP)
    # Somebody else may have been faster; what was decided then is heard on the way.
    await call.hearth.submit(call.session, command, person)
    return None


def _told(call: Call, asked: turns.AskedTurn) -> Said:
    ending = asked.ending
    fields: dict[str, Any] = {"turn": asked.turn or ""}
    if asked.withdrawn is not None:
        return trouble("withdrawn", asked.withdrawn or "the message was taken back")
    if ending is None:
        next_ = {"turn": asked.turn or asked.message or "", "cursor": asked.cursor}
        told = {"said": bounded(asked.said, LONGEST)} if asked.said else {}
        how = "ask_agent with turn and since=cursor goes on waiting"
        return Said({**next_, **told, "running": True, "next": how})
    used = ending.usage
    fields |= {
        "answer": bounded(asked.said, LONGEST),
        "usage": {"in": used.input, "out": used.output, "steps": ending.steps},
    }
    if ending.end is TurnEnd.DONE:
        return Said(fields)
    why = ending.why or asked.trouble or ending.end.value
    error = {"type": f"turn_{ending.end.value}", "message": bounded(why, 2000)}
    return Said({**fields, "error": error}, is_error=True, session=call.session)


def _waits(call: Call, asked: turns.AskedTurn, why_not: str) -> Said:
    waits = [
        {
            "approval": f"{call.session}/{one.approval}",
            "tool": one.name,
            "why": bounded(one.why, 500),
            "details": bounded(head_of(one.details), 1000),
        }
        for one in asked.waits_for.values()
    ]
    first = waits[0]["approval"]
    return Said(
        {
            "error": {"type": "waits_for_person", "message": why_not},
            "waits_for": waits,
            "turn": asked.turn or "",
            "cursor": asked.cursor,
            "remedy": [
                f"a person answers: hearth approve {first} (hearth approvals shows all)",
                "then ask_agent with turn and since=cursor goes on",
            ],
        },
        is_error=True,
    )


async def _stopped(call: Call, asked: turns.AskedTurn) -> None:
    """Whoever asked wants it stopped; a message that still waits for the agent is taken back."""
    if asked.is_over:
        return
    if asked.turn is not None:
        await call.hearth.submit(call.session, CancelTurn(asked.turn), call.caller.origin)
    elif asked.message is not None:
        await call.hearth.submit(call.session, WithdrawMessage(asked.message), call.caller.origin)


_FORM: Final = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "Let it do this?",
            "enum": ["once", "reject"],
            "enumNames": ["Yes, this once", "No"],
        },
        "text": {"type": "string", "title": "What the agent is told", "maxLength": 4000},
    },
    "required": ["answer"],
}

TOOLS: Final = (
    Tool(
        name="ask_agent",
        title="Ask the session's agent",
        description=(
            "Say something to hearth's own agent of this session and wait for its answer. It has "
            "tools of its own; what a person must allow is asked of the person. A busy agent hears "
            "it next."
        ),
        act=Act.WORK,
        takes=AskAgent,
        properties={
            "message": {"type": "string", "maxLength": 200_000},
            "model": s.described({"type": "string", "maxLength": 300}, "For this turn alone"),
            "turn": s.described(
                {"type": "string", "maxLength": 64}, "Instead of a message: wait for this turn"
            ),
            "since": s.described(s.CURSOR, "The cursor of the answer that named the turn"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        gives={
            "answer": s.TEXT,
            "said": s.TEXT,
            "turn": s.TEXT,
            "usage": s.an_object(**{"in": s.INTEGER, "out": s.INTEGER, "steps": s.INTEGER}),
            "cursor": s.CURSOR,
            "running": s.BOOLEAN,
            "next": s.TEXT,
            "waits_for": s.list_of(s.OBJECT),
            **s.TROUBLE,
        },
        hints=Hints(destructive=True, open_world=True),
        answer=ask_agent,
        is_long=True,
    ),
)
