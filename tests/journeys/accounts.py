"""What a log must say of itself, whatever happened to those who wrote it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.contracts.event_log import assert_sound, read_all
from tests.journeys.daemons import Ack

from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import decode_fact, envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.log.event_log import EventLog

Cell = tuple[SessionId, CellId]


async def account_of(log: EventLog) -> list[Envelope]:
    """Every event of a log that is sound."""
    assert not await log.check()
    rows = await read_all(log)
    assert_sound(rows)
    events = [envelope(row) for row in rows]
    assert max(Counter(one.id for one in events).values(), default=1) == 1
    return events


def assert_kept(events: Sequence[Envelope], acks: Iterable[Ack]) -> None:
    """Each accepted command stands where it was said to stand, once, with all that followed."""
    by_id = {one.id: one for one in events}
    batches: dict[str, list[Envelope]] = {}
    for one in events:
        batches.setdefault(one.id.rpartition(".")[0], []).append(one)
    for ack in acks:
        assert f"{ack.id}.0" in by_id, f"{ack} is lost"
        batch = batches[ack.id]
        assert [one.id for one in batch] == [f"{ack.id}.{place}" for place in range(len(batch))]
        assert {one.session for one in batch} == {ack.session}
        versions = [one.version for one in batch]
        assert versions == list(range(versions[0], versions[0] + len(batch)))
        assert ack.seq in {0, batch[0].seq}


def assert_executed_once(events: Sequence[Envelope], executed: Sequence[Cell]) -> None:
    """No cell ran twice, none ran that the log did not know of first, none ended without one."""
    assert max(Counter(executed).values(), default=1) == 1
    started = Counter(
        (one.session, one.event.cell) for one in events if isinstance(one.event, e.CellStarted)
    )
    assert max(started.values(), default=1) == 1
    assert set(executed) <= started.keys()
    finished = {
        (one.session, one.event.cell) for one in events if isinstance(one.event, e.CellFinished)
    }
    assert finished <= set(executed)


def open_cells(events: Iterable[Envelope]) -> dict[Cell, Envelope]:
    """The cells that were admitted and are not closed; each was closed once at most."""
    found: dict[Cell, Envelope] = {}
    closed: set[Cell] = set()
    for one in events:
        match one.event:
            case e.CellQueued(cell=cell) | e.CellStarted(cell=cell):
                found[one.session, cell] = one
            case (
                e.CellFinished(cell=cell)
                | e.CellFailed(cell=cell)
                | e.CellCancelled(cell=cell)
                | e.CellWithdrawn(cell=cell)
            ):
                assert (one.session, cell) not in closed
                closed.add((one.session, cell))
                del found[one.session, cell]
            case _:
                pass
    return found


def open_questions(events: Iterable[Envelope]) -> set[tuple[SessionId, str]]:
    """The checks that nobody has answered; none is answered twice."""
    found: set[tuple[SessionId, str]] = set()
    for one in events:
        match one.event:
            case e.CheckRequested():
                found.add((one.session, one.cause))
            case e.DiagnosticsChecked() | e.QuestionAbandoned():
                found.remove((one.session, one.cause))
            case _:
                pass
    return found


def folded(session: SessionId, rows: Iterable[Stored]) -> SessionFold:
    """A session from the first event on, without any snapshot."""
    current = SessionFold(SessionState(session))
    for row in rows:
        current = fold(current, decode_fact(row.data))
    return current
