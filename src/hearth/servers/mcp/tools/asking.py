"""Asking an interpreter something on behalf of a tool, and what is said if it does not answer."""

from typing import Final

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.mcp.tools.call import Call
from hearth.servers.mcp.tools.said import Said, refused, trouble
from hearth.servers.mcp.waiting import carried_out

WAIT: Final = 60.0


async def asked(
    call: Call, command: c.Command, session: SessionId | None = None
) -> e.Event | Refused | None:
    """The event that answers; None if none came in time. Of the call's session, or of another."""
    waited = await carried_out(
        call.hearth, session or call.session, command, call.caller.origin, wait=WAIT, tell=None
    )
    return waited if isinstance(waited, Refused) else waited.ending


def otherwise(event: e.Event | Refused | None) -> Said:
    """What is said if it was not answered."""
    match event:
        case Refused():
            return refused(event)
        case e.QuestionAbandoned():
            return trouble("abandoned", event.reason, "ask again")
        case _:
            what = f"the interpreter did not answer within {WAIT:g} s"
            return trouble("eval_timeout", what, "ask again when the running cell has ended")
