"""Taking the files of a project back to what they were: looked at first, done, undone."""

from collections.abc import Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled
from hearth.core.vocabulary.deeds import FilesCompared, FilesRewound, RewindFailed
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.prompting import RewindFiles
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.http.agents.shapes import Rewind, Rewound
from hearth.servers.http.answers import Trouble, answer, refused, troubled
from hearth.servers.http.asked import body_of, said_session
from hearth.servers.http.commanding import WAITED, ask
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.streams.routes import meant

USUAL_WAIT = 60.0
"""So long is waited for the files, if the client does not say."""


class Rewinding:
    """The route that leads files back."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", "/sessions/{id}/rewind"): self.rewind}

    async def rewind(self, request: Request) -> Response:
        """Have files as they were, or know what that would change."""
        wanted = await body_of(request, Rewind)
        session = await meant(self._hearth, said_session(request))
        if isinstance(session, Refused):
            return refused(session)
        command = RewindFiles(wanted.to, wanted.preview)
        answered = await ask(self._hearth, request, session, command, usual=USUAL_WAIT)
        match answered:
            case Settled():
                return _told(answered.outcome.event)
            case Accepted():
                return answer(answered, 202)
            case _:
                return refused(answered)


def _told(event: Event) -> Response:
    match event:
        case FilesCompared():
            shown = Rewound(
                done=False, changes=event.changes, left_out=event.left_out, can_undo=False
            )
            return answer(shown, 200, WAITED)
        case FilesRewound():
            is_kept = event.before is not None
            shown = Rewound(
                done=True, changes=event.changes, left_out=event.left_out, can_undo=is_kept
            )
            return answer(shown, 200, WAITED)
        case RewindFailed():
            changes = msgspec.to_builtins(event.changes)
            hint = "`changes` lists the files that were changed all the same"
            what = f"the files stay as they are: {event.why}"
            return troubled(Trouble(409, "not_rewound", what, hint, {"changes": changes}))
        case _:
            raise TypeError(f"a rewind ended with a {type(event).__name__}")
