"""Looking at all sessions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.quick_agent import QuickAgent
from tests.servers.dashboard.sidebar.mounted import A, B, mounted
from tests.servers.http.agents.asking_agent import asking

from hearth.api import Following, Hearth, Item, Viewed
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, UnknownView
from hearth.servers.dashboard.sidebar.glancing import Glancing, needing
from hearth.servers.dashboard.sidebar.lines import State

BROKEN = UnknownView(why="the store is down", name="x")


class Failing:
    """A hearth of which some views cannot be had."""

    def __init__(self, hearth: Hearth) -> None:
        self._hearth = hearth
        self.fails: dict[str, Refusal | Exception] = {}
        self.asked: list[str] = []

    async def submit(self, *about: Any, **more: Any) -> Any:
        return await self._hearth.submit(*about, **more)

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        self.asked.append(name)
        failure = self.fails.get(name)
        if isinstance(failure, Exception):
            raise failure
        return failure or await self._hearth.view(name, session)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        return self._hearth.follow(session, after=after)


async def test_sessions_are_seen_and_only_what_is_other_is_told(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A, B)
        glancing = Glancing(opened.daemon.engine)
        assert await glancing.look()
        assert not await glancing.look()
        assert {line.session: line.state for line in glancing.lines} == {
            A: State.READY,
            B: State.READY,
        }
        await opened.ask(A, {"type": "run_cell", "code": "1+1"})
        assert await glancing.look()
        one = next(line for line in glancing.lines if line.session == A)
        assert [author.name for author in one.authors] == [opened.person]


async def test_an_agent_at_work_is_known_by_asking_and_by_hearing(tmp_path: Path) -> None:
    agent = QuickAgent(lambda _: None)
    async with mounted(tmp_path, agent=agent) as opened:
        await opened.begin(A)
        heard = Glancing(opened.daemon.engine)
        following = opened.daemon.engine.follow(None)
        await heard.look()
        answer = await opened.post(f"/sessions/{A}/commands", type="send_message", text="hello")
        assert answer.status_code == 202
        await _until(heard, following.batch, lambda: heard.lines[0].state is State.WORKING)
        came_late = Glancing(opened.daemon.engine)
        await came_late.look()
        assert came_late.lines[0].state is State.WORKING
        answer = await opened.post(f"/sessions/{A}/commands", type="cancel_turn")
        assert answer.status_code == 202
        await _until(heard, following.batch, lambda: heard.lines[0].state is State.READY)
        following.close()


async def _until(glancing: Glancing, batch: Callable[[], Any], holds: Callable[[], bool]) -> None:
    while not holds():
        glancing.hear(await batch())
        await glancing.look()


async def test_what_waits_for_a_person_is_counted(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened:
        await opened.ask()
        glancing = Glancing(opened.daemon.engine)
        await glancing.look()
        assert needing(glancing.lines) == 1
        assert glancing.lines[0].state is State.NEEDS
        await opened.answer("once")
        await opened.rest()
        await glancing.look()
        assert needing(glancing.lines) == 0


def test_what_is_being_written_changes_no_list() -> None:
    items: list[Item] = []
    assert not Glancing(Failing(None)).hear(items)  # type: ignore[arg-type] # nobody is asked


@pytest.mark.promise("DP-BG-06")
@pytest.mark.parametrize("failure", [BROKEN, RuntimeError("boom")])
@pytest.mark.parametrize("name", ["sessions", "approvals", "activity", "talking"])
async def test_a_view_that_cannot_be_had_leaves_what_was_known(
    name: str, failure: Refusal | Exception, tmp_path: Path
) -> None:
    async with mounted(tmp_path, agent=QuickAgent()) as opened:
        await opened.begin(A)
        await opened.ask(A, {"type": "send_message", "text": "hello"})
        failing = Failing(opened.daemon.engine)
        glancing = Glancing(failing)
        await glancing.look()
        before = [line.session for line in glancing.lines]
        failing.fails[name] = failure
        glancing.begin()
        await opened.ask(A, {"type": "run_cell", "code": "1+1"})
        await glancing.look()
        assert [line.session for line in glancing.lines] == before == [A]
        assert name in failing.asked
        if name != "talking" or isinstance(failure, Exception):
            assert glancing.trouble
        failing.fails.clear()
        glancing.begin()
        await opened.ask(A, {"type": "run_cell", "code": "1+1"})
        await glancing.look()
        assert not glancing.trouble


@pytest.mark.promise("DP-BG-06")
async def test_a_list_that_fails_at_first_is_empty_and_says_why(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        failing = Failing(opened.daemon.engine)
        failing.fails["sessions"] = BROKEN
        glancing = Glancing(failing)
        assert await glancing.look()
        assert glancing.lines == ()
        assert glancing.trouble == "the store is down"
