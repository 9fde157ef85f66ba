"""The route by which one branch is kept: the interpreters of the others end."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.core.views.session_tree import branch_tree
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.commands import StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import NotNow, Quarantined, Refused, UnknownSession
from hearth.servers.dashboard.shapes import KEEP, BranchKept
from hearth.servers.dashboard.sidebar.answering import go_to, markup
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, trouble_of
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of, origin_of
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.seeing import seen

REASON: Final = "another branch was kept"
ENDED: Final = "is stopped, so there is nothing of it to keep; no other was ended"
HELPS: Final = "look at the branches again: another may have been kept meanwhile"


class Keeping:
    """How one of several branches is kept."""

    def __init__(self, around: Around) -> None:
        self._hearth = around.hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", KEEP): self.keep}

    async def keep(self, request: Request) -> Response:
        """End the others of its tree, and have the tab go to it. Declined."""
        said = await body_of(request, BranchKept)
        kept = SessionId(said.keep)
        listed, _ = await seen(self._hearth, "sessions", Sessions)
        tree = branch_tree(listed.rows, kept, len(listed.rows) + 1)
        if not tree.branches:
            why, remedy = f"{kept} is no session", ("look at the list of sessions",)
            raise Declined(trouble_of(UnknownSession(session=kept, why=why, remedy=remedy)))
        if any(one.session == kept and one.stopped for one in tree.branches):
            # Somebody else kept another one: to end that, too, would leave nothing.
            raise Declined(Trouble(409, "not_kept", f"{kept} {ENDED}", HELPS))
        for one in tree.branches:
            if one.session == kept or one.stopped:
                continue
            telling.on(one.session)
            stop = StopSession(REASON)
            answered = await self._hearth.submit(one.session, stop, origin_of(request))
            # One that ended meanwhile, or is set aside, need not be ended.
            if isinstance(answered, Refused) and not isinstance(answered, NotNow | Quarantined):
                raise Declined(trouble_of(answered))
        return markup(go_to(kept))
