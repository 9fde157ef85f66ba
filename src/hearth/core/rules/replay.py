"""Which recorded cells are run again to bring a session's names back, and which are not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from hearth.core.rules.validity import Standing, missing, standing
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, VariantResult

Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled

SHORTEST: Final = 1.0
"""Seconds that a cell which was cancelled gets at least, when it is run again."""


class Action(StrEnum):
    """What becomes of a recorded cell."""

    RUN = "run"
    SKIP = "skip"
    """Running it again would bring nothing back."""
    REPORT = "report"
    """What it used is gone, so it cannot be run."""


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded cell, and what becomes of it."""

    cell: CellId
    action: Action
    standing: Standing
    code: Text
    script: str
    reload: bool
    time_limit: float | None
    end: Closer
    """How it ended when it was recorded."""
    missing: tuple[str, ...] = ()
    """What it used and is not there any more."""

    @property
    def partial(self) -> bool:
        """It did not come to its end then; what it had bound by then stayed bound."""
        return not isinstance(self.end, e.CellFinished)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A cell as the log tells it."""

    session: SessionId
    """Whose log tells it: a copy goes on from cells of another one, named like its own."""
    cell: CellId
    is_copy: bool
    """It was itself run by a replay of this session, and stands for an earlier cell."""
    started: e.CellStarted
    end: Closer
    fingerprint: str | None


class History:
    """A session's log, folded to the cells that built what its user would want back.

    That is its newest life with cells: an interpreter that crashed, was stopped or replaced is
    rebuilt; one whose variables were dropped on purpose while it was healthy is not. A life that
    only repeated an earlier one counts as that one, so that half a replay loses nothing.
    """

    def __init__(self) -> None:
        self._life: list[_Recorded] = []
        self._before: list[_Recorded] = []
        """The newest earlier life that is worth rebuilding."""
        self._open: e.CellStarted | None = None
        self._repeats = False
        self._faulted = False
        self._undone: list[list[_Recorded]] = []
        """What was taken back and may be brought back, the latest last."""
        self._tried: tuple[e.TrialStarted, Envelope] | None = None
        self._results: e.TrialEnded | None = None
        self._goes_on = False
        """The interpreter that starts now is a copy, and holds what the other one held."""

    def take(self, envelope: Envelope) -> None:
        """Go on with the next event of the session."""
        event = envelope.event
        match event:
            case e.SessionStarted():
                fork = event.config.forked_from
                self._goes_on = fork is not None and fork.how is ForkHow.COPY
            case e.CellStarted():
                self._open = event
                self._undone = []
            case e.CellsUndone() | e.CellsRedone():
                self._take_back(envelope, event)
            case e.TrialStarted() | e.TrialEnded() | e.VariantKept():
                self._try(envelope, event)
            case e.VariantsDropped():
                # It may have been kept, and have ended before it was there.
                dropped = (envelope.session, event.cell)
                self._life = [one for one in self._life if (one.session, one.cell) != dropped]
            case e.CellFinished() | e.CellFailed() | e.CellCancelled():
                self._close(envelope, event)
            case e.ReplayStarted():
                # What is run again in part is what there is from now on.
                self._repeats = event.source == envelope.session and not event.before
            case e.SessionReady():
                self._faulted = False
            case e.SessionFaulted():
                self._faulted = True
            case e.SessionReset() if not self._faulted:
                self._life, self._before = [], []
            case e.SessionWarmUpStarted() if self._goes_on:
                self._goes_on = False
            case e.SessionWarmUpStarted():
                self._before, self._life = self._newest(), []
                self._undone = []
            case _:
                pass

    def plan(self, environment: Mapping[str, str], fingerprint: str) -> tuple[Step, ...]:
        """What becomes of each cell, in their order, where this is loaded now."""
        return tuple(_step(cell, environment, fingerprint) for cell in self._newest())

    def _close(self, envelope: Envelope, event: Closer) -> None:
        started, self._open = self._open, None
        # A log that is read from its middle may begin with an end.
        if started is None or started.cell != event.cell:
            return
        if not isinstance(event, e.CellFinished) and event.undone:
            return  # all that it did was taken back at once
        is_copy = self._repeats and started.replays is not None
        cell = (started.replays if is_copy else None) or started.cell
        self._life.append(
            _Recorded(envelope.session, cell, is_copy, started, event, envelope.fingerprint)
        )

    def _take_back(self, envelope: Envelope, event: e.CellsUndone | e.CellsRedone) -> None:
        if isinstance(event, e.CellsRedone):
            self._life.extend(self._undone.pop() if self._undone else ())
            return
        gone = frozenset((envelope.session, cell) for cell in event.cells)
        taken = [one for one in self._life if (one.session, one.started.cell) in gone]
        self._life = [one for one in self._life if (one.session, one.started.cell) not in gone]
        if event.can_redo:
            self._undone.append(taken)
        else:
            self._undone = []

    def _try(
        self, envelope: Envelope, event: e.TrialStarted | e.TrialEnded | e.VariantKept
    ) -> None:
        match event:
            case e.TrialStarted():
                self._tried, self._results, self._undone = (event, envelope), None, []
            case e.TrialEnded():
                self._results = event
            case e.VariantKept() if self._tried is not None and self._results is not None:
                tried, result = self._tried[0], self._results.results[event.variant - 1]
                code = tried.variants[event.variant - 1]
                started = e.CellStarted(event.cell, code, time_limit=tried.time_limit)
                end = _variant_end(event.cell, result)
                fingerprint = self._tried[1].fingerprint
                self._life.append(
                    _Recorded(
                        session=envelope.session,
                        cell=event.cell,
                        is_copy=False,
                        started=started,
                        end=end,
                        fingerprint=fingerprint,
                    )
                )
            case _:
                pass  # a log that is read from its middle

    def _newest(self) -> list[_Recorded]:
        has_own = any(not cell.is_copy for cell in self._life)
        return self._life if has_own or not self._before else self._before


def _variant_end(cell: CellId, result: VariantResult) -> Closer:
    """The end of a variant, as if it had been a cell."""
    if result.stopped:
        return e.CellCancelled(cell, result.duration, result.outputs, result.names)
    if result.failure is not None:
        return e.CellFailed(cell, result.failure, result.duration, result.outputs, result.names)
    return e.CellFinished(
        cell, result.duration, result.value, result.value_type, result.outputs, result.names
    )


def plan(
    envelopes: Iterable[Envelope], environment: Mapping[str, str], fingerprint: str
) -> tuple[Step, ...]:
    """What becomes of the cells of this log, where this is loaded now."""
    history = History()
    for envelope in envelopes:
        history.take(envelope)
    return history.plan(environment, fingerprint)


def _step(cell: _Recorded, environment: Mapping[str, str], fingerprint: str) -> Step:
    stands = standing(cell.end.uses, cell.fingerprint, environment, fingerprint)
    return Step(
        cell=cell.cell,
        action=_action(cell, stands),
        standing=stands,
        code=cell.started.code,
        script=cell.started.script,
        reload=cell.started.reload,
        time_limit=_time_limit(cell),
        end=cell.end,
        missing=missing(cell.end.uses, environment) if stands is Standing.INVALID else (),
    )


def _action(cell: _Recorded, stands: Standing) -> Action:
    if not isinstance(cell.end, e.CellFinished) and not cell.end.names:
        return Action.SKIP  # it failed before it had bound a name, or took its interpreter along
    if stands is Standing.INVALID:
        return Action.REPORT
    if cell.started.read_only and stands is Standing.VALID:
        return Action.SKIP
    return Action.RUN


def _time_limit(cell: _Recorded) -> float | None:
    """One that had to be cancelled may never end by itself, so it gets as long as it had."""
    if isinstance(cell.end, e.CellCancelled):
        return max(SHORTEST, cell.end.duration)
    return cell.started.time_limit
