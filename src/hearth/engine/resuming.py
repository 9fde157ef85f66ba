"""Watches a session that was taken up until it is up again, and announces it once."""

import logging
from collections.abc import Callable, Iterable
from typing import Final

from hearth.core.rules.resuming import SUPERSEDED
from hearth.core.rules.session import SessionState
from hearth.core.vocabulary.commands import Command, StopSession
from hearth.core.vocabulary.inputs import Input, Told
from hearth.core.vocabulary.phases import Evaluating, Faulted, Ready
from hearth.core.vocabulary.progress import Progress, SessionResumed
from hearth.core.vocabulary.reports import (
    RevertFailed,
    VariantGone,
    WorkerLost,
    WorkerReady,
    WorkerReverted,
)

_said = logging.getLogger(__name__)
_UP: Final = WorkerReady | WorkerReverted | RevertFailed | VariantGone
"""One in which cells were being taken back is up when that has come to its end."""


class Resuming:
    """One session on its way back. A session that does not come back is never announced."""

    def __init__(
        self,
        state: SessionState,
        *,
        superseded: bool,
        show: Callable[[Progress], None],
        ask: Callable[[Command], None],
    ) -> None:
        self._generation = state.generation
        self._superseded = superseded
        self._show = show
        self._ask = ask
        if superseded and isinstance(state.phase, Faulted):
            self._stop()  # it has no interpreter that could have lived on

    def heard(self, inputs: Iterable[Input], state: SessionState) -> bool:
        """What came in, and how the session stands after it; whether we are done with it."""
        for one in inputs:
            if state.stopped:
                return True
            if not isinstance(one, Told):
                continue
            if isinstance(one.report, WorkerLost) and self._superseded:
                self._stop()
                return True
            up = isinstance(state.phase, Ready | Evaluating)
            if isinstance(one.report, _UP) and up:
                self._announce(state)
                return True
        return False

    def _announce(self, state: SessionState) -> None:
        # One that went back to the generation before is the one that was there all the time.
        adopted = state.generation <= self._generation
        how = "its interpreter had lived on" if adopted else "with a new interpreter"
        _said.info("%s is up again, %s", state.session, how)
        self._show(SessionResumed(adopted))

    def _stop(self) -> None:
        self._ask(StopSession(SUPERSEDED))
