"""`/diagnostics`: what the newest checks found, by file."""

from typing import Any

import msgspec

from hearth.core.views.diagnostics import Diagnostics, diagnose
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope, Fact
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.progress import Progress
from hearth.servers.http.editors.signals import Signals


class Diagnosed:
    """Findings by key: the path of a file, or a hash of code that has none."""

    name = "diagnostics"

    def __init__(self, session: SessionId, view: Diagnostics) -> None:
        self._session = session
        self._view = view
        self._asked: set[InputId] = set()
        self._newest: dict[str, Any] = {"request": None, "key": None, "abandoned": None}

    @property
    def now(self) -> Signals:
        """All of it."""
        files = {
            key: [msgspec.to_builtins(one) for one in checked.diagnostics]
            for key, checked in self._view.by_key.items()
        }
        count = sum(len(found) for found in files.values())
        return {"session": self._session, **self._newest, "count": count, "files": files}

    async def happened(self, envelope: Envelope) -> bool:
        """A check was answered, or nothing of it holds any more."""
        event = envelope.event
        match event:
            case e.CheckRequested():
                self._asked.add(envelope.cause)
                return False
            case e.DiagnosticsChecked():
                self._newest = {"request": envelope.cause, "key": event.key, "abandoned": None}
            case e.DiagnosticsCleared():
                self._newest = {"request": envelope.cause, "key": None, "abandoned": None}
            case e.QuestionAbandoned() if envelope.cause in self._asked:
                reason = event.reason
                self._newest = {"request": envelope.cause, "key": None, "abandoned": reason}
            case _:
                return False
        self._asked.discard(envelope.cause)
        self._view = diagnose(self._view, _fact(envelope))
        return True

    def shown(self, progress: Progress) -> bool:
        """Nothing of that is shown here."""
        del progress
        return False


def _fact(envelope: Envelope) -> Fact:
    return Fact(
        id=envelope.id,
        at=envelope.at,
        origin=envelope.origin,
        cause=envelope.cause,
        event=envelope.event,
    )
