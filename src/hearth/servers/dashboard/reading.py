"""Reads the pages that the searches of `core.views` ask for, through the door's own window."""

import logging
from typing import Final, TypeVar

from hearth.core.views.looking_back import Looking
from hearth.core.views.status import Status
from hearth.core.views.talking import Talking
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, StoreUnavailable
from hearth.servers.http.around import Around, Rows

NOT_READ: Final = "what is stored cannot be read at the moment"
AGAIN: Final = "it is tried again; `hearth doctor` says how the store is"

_said = logging.getLogger(__name__)
_T = TypeVar("_T")


async def found(looking: Looking[_T], rows: Rows) -> _T | Refusal:
    """What a search comes to; or that the log cannot be read now."""
    try:
        page = next(looking)
        while True:
            try:
                read = await rows(*page)
            except Exception as error:  # noqa: BLE001 - whatever it is, it means: not now
                _said.warning("the log could not be read: %s", error)
                return StoreUnavailable(why=NOT_READ, remedy=(AGAIN,))
            page = looking.send(read)
    except StopIteration as end:
        value: _T = end.value
        return value


async def standing(around: Around, session: SessionId) -> tuple[Status, int] | Refusal:
    """How a session stands, and the cursor of that."""
    viewed = await around.hearth.view("status", session)
    if isinstance(viewed, Refused):
        return viewed
    if not isinstance(viewed.value, Status):
        raise TypeError(f"a status is a {type(viewed.value).__name__}")
    return viewed.value, viewed.seq


async def conversing(around: Around, session: SessionId) -> Talking | Refusal:
    """How its conversation stands, and what is being written."""
    viewed = await around.hearth.view("talking", session)
    if isinstance(viewed, Refused):
        return viewed
    if not isinstance(viewed.value, Talking):
        raise TypeError(f"a conversation stands as a {type(viewed.value).__name__}")
    return viewed.value
