"""Views as what they are, for endpoints that make something of them."""

from typing import TypeVar

import msgspec

from hearth.api import Hearth
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.http.answers import trouble_of
from hearth.servers.http.asked import Declined

_T = TypeVar("_T", bound=msgspec.Struct)


async def seen(
    hearth: Hearth, name: str, kind: type[_T], session: SessionId | None = None
) -> tuple[_T, int]:
    """A view and its cursor. Declined."""
    viewed = await hearth.view(name, session)
    if isinstance(viewed, Refused):
        raise Declined(trouble_of(viewed))
    if not isinstance(viewed.value, kind):
        raise TypeError(f"the view {name} is a {type(viewed.value).__name__}")
    return viewed.value, viewed.seq
