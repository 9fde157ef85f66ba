"""A letter is answered once, and only if someone still waits; a batch answers all of its own."""

import asyncio
from collections.abc import Sequence

from tests.contracts.facts import NOON
from tests.contracts.scenes import ANN

from hearth.api import Accepted
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold
from hearth.core.vocabulary.commands import (
    Command,
    CreateSession,
    RenameSession,
    RunCell,
    StopSession,
)
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.inputs import Asked, Told
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.reports import RestartDue
from hearth.engine.mailbox import Answer, Batch, Letter
from hearth.engine.refusing import shutting_down
from hearth.log.memory import MemoryBlobs, MemoryStore

S = SessionId("session-aaaaaa")
REPORT = Letter(Told(InputId("told"), NOON, RestartDue(0)))


async def test_the_first_answer_counts_and_nobody_is_disturbed_by_others() -> None:
    asked = Asked(InputId("i"), NOON, ANN, StopSession())
    waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    letter = Letter(asked, waiting)
    letter.reply(refusal := shutting_down())
    letter.reply(shutting_down())
    assert await waiting is refusal
    gone: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    gone.cancel()
    Letter(asked, gone).reply(refusal)
    Letter(asked).reply(refusal)
    assert gone.cancelled()


async def decided(commands: Sequence[Command]) -> tuple[Batch, list[asyncio.Future[Answer]]]:
    """These, each waited for, and a report behind them."""
    batch, waiting = Batch(SessionFold(SessionState(S))), []
    blobs = MemoryBlobs(MemoryStore())
    for number, command in enumerate(commands):
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        asked = Asked(InputId(f"i{number}"), NOON, ANN, command)
        await batch.take(Letter(asked, answer), None, blobs)
        waiting.append(answer)
    await batch.take(REPORT, None, blobs)
    return batch, waiting


async def test_each_that_is_accepted_hears_where_its_own_consequences_begin() -> None:
    batch, waiting = await decided([CreateSession(), RunCell("1"), RenameSession("two")])
    first, refused, last = waiting
    rows = [Stored(70 + n, S, n + 1, one.data) for n, one in enumerate(batch.drafts)]
    accepted = batch.accept(rows)
    assert [(one.id, one.seq) for one in accepted] == [
        ("i0", 70),
        ("i2", rows[-1].seq),
        ("told", 0),
    ]
    assert [first.result(), last.result()] == accepted[:2]
    assert isinstance(refused.result(), Refused)
    assert len(rows) > len(accepted[:2]), "the first has several consequences"


async def test_what_cannot_be_saved_is_refused_to_who_asked_and_a_report_of_it_waits() -> None:
    batch, (first, refused) = await decided([CreateSession(), RunCell("1")])
    trouble = shutting_down()
    assert batch.held(trouble) == [REPORT]
    assert first.result() is trouble
    assert isinstance(refused.result(), Refused)
    assert refused.result() is not trouble


async def test_when_nothing_of_it_will_be_all_are_told_the_same() -> None:
    batch, waiting = await decided([CreateSession(), RunCell("1")])
    trouble = shutting_down()
    batch.refuse(trouble)
    assert [one.result() for one in waiting] == [trouble, trouble]
    assert not any(isinstance(one.result(), Accepted) for one in waiting)
