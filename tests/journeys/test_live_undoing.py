"""Cells are taken back in live interpreters, whoever else is there and whatever dies meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.daemons import started
from tests.journeys.live import (
    Live,
    S,
    assert_nothing_left,
    comes_true,
    daemon,
    end_all,
    living,
    marked,
    processes,
)
from tests.journeys.undoing_daemon import NOWHERE, POINTS
from tests.journeys.whole import EVERYONE, of_session

from hearth.api import Settled, Viewed, settle
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.refusals import DuplicateCommand, NotNow

CELLS: Final = ("xs = [0]", "xs.append(1)", "xs.append(2); y = 2", "xs.append(3); del y")
PATIENCE: Final = 60.0


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Path]:
    """A home that several daemons use, and of which nothing is left in the end."""
    with marked(tmp_path):
        yield tmp_path
        await end_all(tmp_path)
        assert_nothing_left(tmp_path)


def words(*commands: c.Command) -> list[str]:
    """Commands for a daemon in another process."""
    return [codec.encode(one).decode() for one in commands]


async def held(live: Live) -> dict[str, int | None]:
    """The names of the interpreter with their lengths; nothing is run for it."""
    listed = await live.settle(c.ListVariables())
    assert isinstance(listed, e.VariablesReturned), listed
    return {one.name: one.length for one in listed.variables}


async def status(live: Live) -> Status:
    """How the session stands."""
    viewed = await live.engine.view("status", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Status)
    return viewed.value


# -- daemons that are killed -----------------------------------------------------------------------


async def test_what_a_killed_daemon_kept_is_taken_back_by_the_next(home: Path) -> None:
    cells = [c.RunCell(code) for code in CELLS]
    with started("undoing_daemon", home, S, NOWHERE, *words(*cells, c.ListVariables())) as first:
        await asyncio.to_thread(first.hear_until, "begun")
    async with daemon(home) as live:
        await live.catch_up()
        assert (await status(live)).kept.cells == ("c1", "c2", "c3", "c4")
        pid = await live.pid()
        await live.settle(c.UndoCells())  # the cell that asked for it

        undone = await live.settle(c.UndoCells(count=2))

        assert isinstance(undone, e.CellsUndone), undone
        assert (undone.cells, undone.can_redo) == (("c3", "c4"), True)
        assert await held(live) == {"xs": 2}
    # And by yet another, what was taken back is brought back.
    async with daemon(home) as live:
        await live.catch_up()
        redone = await live.settle(c.RedoCells())
        assert isinstance(redone, e.CellsRedone), redone
        assert redone.kept.cells == ("c1", "c2", "c3", "c4")
        assert await held(live) == {"xs": 4}
        assert isinstance(await live.settle(c.UndoCells(cell=CellId("c2"))), e.CellsUndone)
        assert await live.value("xs") == "[0]"
        assert pid != await live.pid()  # another process, and the same interpreter to all
        assert len(live.of(e.SessionWarmUpStarted)) == 1
        assert not live.of(e.SessionFaulted)


@pytest.mark.parametrize("point", POINTS)
async def test_what_a_daemon_died_in_is_taken_back_exactly_once(home: Path, point: str) -> None:
    cells = [c.RunCell(code) for code in CELLS]
    undo = c.UndoCells(count=2)
    with started("undoing_daemon", home, S, point, *words(*cells, undo)) as first:
        await asyncio.to_thread(first.die)
    async with daemon(home) as live:
        undone = await live.seen(e.CellsUndone)
        assert (undone.cells, undone.kept.cells) == (("c3", "c4"), ("c1", "c2"))
        assert undone.can_redo
        assert await held(live) == {"xs": 2}
        assert of_session(live) == 1
        redone = await live.settle(c.RedoCells())
        assert isinstance(redone, e.CellsRedone), redone
        assert await held(live) == {"xs": 4}
        assert isinstance(await live.settle(c.UndoCells(cell=CellId("c3"))), e.CellsUndone)
        assert await live.value("xs") == "[0, 1]"
        assert len(live.of(e.UndoRequested)) == 3
        assert len(live.of(e.CellsUndone)) == 2
        assert not live.of(e.UndoFailed)
        # The interpreter, its guardian, a template, and copies before c1, c2 and the last.
        await comes_true(lambda: len(processes(home)) <= 7)


# -- two at once -----------------------------------------------------------------------------------


@pytest.mark.timeout(180)
async def test_one_undoes_while_another_asks_and_both_see_the_same(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create(config=EVERYONE)
        await live.run("class Held:\n    pass\nheld = Held()")
        enough = asyncio.Event()
        asked = answered = 0

        async def ask(command: c.Command, wanted: type[e.Event]) -> None:
            nonlocal asked, answered
            while not enough.is_set():
                asked += 1
                async with asyncio.timeout(PATIENCE):
                    got = await settle(live.engine, S, command, ANN)
                # It is answered, or told at once that the interpreter is being taken back.
                if isinstance(got, Settled):
                    answered += isinstance(got.outcome.event, wanted)
                else:
                    assert isinstance(got, NotNow), got

        async with asyncio.TaskGroup() as clients:
            clients.create_task(ask(c.CompleteCode("held.ap", 7), e.CompletionsReturned))
            clients.create_task(ask(c.InspectCode("held", 4), e.InspectionReturned))
            clients.create_task(ask(c.ListVariables(), e.VariablesReturned))
            for _ in range(5):
                before = answered
                await live.run("held.apple = 1; more = 1")
                undone = await live.settle(c.UndoCells())
                assert isinstance(undone, e.CellsUndone), undone
                await live.until(lambda: answered > before + 2)  # noqa: B023 - waited for here
            enough.set()

        # Whoever asks from now on, hears the same.
        completed = await live.settle(c.CompleteCode("held.ap", 7))
        assert isinstance(completed, e.CompletionsReturned)
        assert "apple" not in [one.label for one in completed.items]
        assert "more" not in await held(live)
        assert await live.value("hasattr(held, 'apple')") == "False"
        assert len(live.of(e.CellsUndone)) == 5
        assert not live.of(e.SessionFaulted)


async def test_of_two_that_undo_at_once_each_is_answered_and_nothing_is_taken_back_unasked(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create(config=EVERYONE)
        for code in CELLS:
            await live.run(code)

        async def undo(name: str) -> bool:
            async with asyncio.timeout(PATIENCE):
                got = await settle(live.engine, S, c.UndoCells(), ANN, input_id=InputId(name))
            assert isinstance(got, Settled | NotNow), got
            return isinstance(got, Settled) and isinstance(got.outcome.event, e.CellsUndone)

        names = ("ann", "bob", "eve")
        done = await asyncio.gather(*(undo(name) for name in names))

        # Whoever came while another was at it was told so; nobody else was left without an undo.
        assert 1 <= sum(done) <= len(names)
        assert len(live.of(e.CellsUndone)) == sum(done)
        left = {1: {"xs": 3, "y": None}, 2: {"xs": 2}, 3: {"xs": 1}}[sum(done)]
        assert await held(live) == left
        # Asked again under the name of one that was done, it is not done again. (What was declined
        # was never taken, so under its name it would be.)
        winner = InputId(names[done.index(True)])
        again = await live.engine.submit(S, c.UndoCells(), ANN, input_id=winner)
        assert isinstance(again, DuplicateCommand), again
        assert await held(live) == left
