"""What is built on the three verbs."""

from collections.abc import Sequence

import pytest
from tests.contracts.facts import NOON, new_cause, renamed
from tests.contracts.scenes import ANN

from hearth.api import Accepted, Following, Item, Settled, Shown, Viewed, each, settle
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.codec import draft, envelope_json
from hearth.core.vocabulary.envelope import Fact, Stored
from hearth.core.vocabulary.events import Event, SessionReady
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId, event_id
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import EventUnsaved, WarmUpStep
from hearth.core.vocabulary.prompting import SwitchBranch
from hearth.core.vocabulary.refusals import Refusal, UnknownSession
from hearth.core.vocabulary.turns import LookupFailed

S = SessionId("session-aaaaaa")
MISSING = LookupFailed(BlockId("b9"), "there is no such block")
READY = SessionReady()


class Recorded:
    """A hearth that gives back what it was made with."""

    def __init__(self, answer: Accepted | Refusal, *batches: Sequence[Item]) -> None:
        self._answer = answer
        self._batches = list(batches)
        self.is_closed = False

    async def submit(
        self,
        session: SessionId,
        command: c.Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        del session, command, origin, input_id
        return self._answer

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        raise NotImplementedError(name, session)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        assert (session, after) == (S, None)
        return self

    async def batch(self) -> Sequence[Item]:
        return self._batches.pop(0) if self._batches else ()

    def close(self) -> None:
        self.is_closed = True


def row(seq: int = 1) -> tuple[Stored, InputId]:
    told = renamed()
    return Stored(seq, S, 1, told.data), InputId(told.id.partition(".")[0])


def led_to(seq: int, accepted: Accepted, event: Event) -> Stored:
    id_ = event_id(accepted.id, seq)
    fact = Fact(id=id_, at=NOON, origin=ANN, cause=accepted.id, event=event)
    return Stored(seq, S, seq, draft(fact).data)


async def test_a_refusal_settles_at_once_and_the_stream_is_closed() -> None:
    refusal = UnknownSession(session=S, why="there is none")
    hearth = Recorded(refusal)
    assert await settle(hearth, S, c.RenameSession("x"), ANN) == refusal
    assert hearth.is_closed


async def test_others_events_and_progress_do_not_settle_it() -> None:
    mine, cause = row(2)
    accepted = Accepted(id=cause, session=S, seq=2)
    hearth = Recorded(accepted, [row(1)[0], Shown(S, WarmUpStep("x"))], [mine, row(3)[0]])
    done = await settle(hearth, S, c.RenameSession("x"), ANN)
    assert isinstance(done, Settled)
    assert [envelope.seq for envelope in done.envelopes] == [2]
    assert hearth.is_closed


async def test_an_unsaved_outcome_counts_and_is_not_counted_again() -> None:
    mine, cause = row(0)
    unsaved = Shown(S, EventUnsaved(envelope_json(mine).decode()))
    done = await settle(
        Recorded(Accepted(id=cause, session=S, seq=0), [unsaved, mine]),
        S,
        c.RenameSession("x"),
        ANN,
    )
    assert isinstance(done, Settled)
    assert len(done.envelopes) == 1


async def test_a_session_that_branches_off_from_nothing_is_waited_for_all_the_same() -> None:
    accepted = Accepted(id=new_cause(), session=S, seq=1)
    hearth = Recorded(accepted, [led_to(1, accepted, MISSING)], [led_to(2, accepted, READY)])
    done = await settle(hearth, S, c.CreateSession(), ANN)
    assert isinstance(done, Settled)
    assert [envelope.event for envelope in done.envelopes] == [MISSING, READY]


async def test_a_block_that_is_not_there_is_the_outcome_for_whoever_looked_for_it() -> None:
    accepted = Accepted(id=new_cause(), session=S, seq=1)
    hearth = Recorded(accepted, [led_to(1, accepted, MISSING)])
    done = await settle(hearth, S, SwitchBranch(MISSING.block), ANN)
    assert isinstance(done, Settled)
    assert done.outcome.event == MISSING


async def test_a_stream_that_ends_too_early_is_an_error() -> None:
    hearth = Recorded(Accepted(id=InputId("i"), session=S, seq=1), [row()[0]])
    with pytest.raises(ConnectionError, match="ended before"):
        await settle(hearth, S, c.RenameSession("x"), ANN)
    assert hearth.is_closed


async def test_each_gives_the_items_one_by_one() -> None:
    hearth = Recorded(
        Accepted(id=InputId("i"), session=S, seq=1), [row(1)[0], row(2)[0]], [row(3)[0]]
    )
    seqs = [item.seq async for item in each(hearth) if isinstance(item, Stored)]
    assert seqs == [1, 2, 3]
