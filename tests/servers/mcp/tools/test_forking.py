"""Tools that let another session go on from one, and compare the two."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.http.serving import PATIENCE, Served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.scene import Scene
from hearth.servers.mcp.tools.forking import MOST, _failed

S = "session-aaaaaa"
MANY = "many"


@pytest.fixture
def copying() -> CopyingInterpreter:
    names = tuple(f"n{number:03}" for number in range(MOST + 3))
    more = {"x = 2": Scene(names=("x",)), MANY: Scene(names=names)}
    return CopyingInterpreter({**SCENES, **more})


@pytest.fixture
async def daemon(tmp_path: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    async with copied(tmp_path, copying) as one:
        await one.begin()
        await one.command({"type": "run_cell", "code": "x = 1"})
        yield one


@pytest.mark.parametrize("era", ERAS)
async def test_a_fork_goes_on_with_a_copy_and_the_caller_stays(
    daemon: Served, copying: CopyingInterpreter, era: str
) -> None:
    async with connected(daemon, era) as client:
        said = await call(client, "fork_session", name="second try", session=S)
        assert not said.is_error
        assert (said["interpreter"], said["session"]) == ("copied", S)
        assert "notice" not in said.fields
        there = said["forked"]
        assert there in said["next"]
        assert copying.holds(there) == {"x": "x = 1"}
        listed = await call(client, "list_sessions")
        assert {"second try"} <= {one["name"] for one in listed["sessions"]}


async def test_the_answer_says_what_its_interpreter_was_made_of(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    async with connected(daemon) as client:
        rebuilt = await call(client, "fork_session", how="replay", session=S)
        assert rebuilt["interpreter"] == "rebuilt by replay"
        assert copying.holds(rebuilt["forked"]) == {"x": "x = 1"}
        empty = await call(client, "fork_session", how="new", session=S)
        assert empty["interpreter"] == "new and empty"
        assert copying.holds(empty["forked"]) == {}


async def test_what_is_in_the_way_is_said_with_the_ways_out(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    copying.obstacles = ("the thread 'pump' runs", "the socket 7 is open")
    async with connected(daemon) as client:
        said = await call(client, "fork_session", session=S)
        assert said.is_error
        assert said["error"]["type"] == "fork_failed"
        assert said["error"]["obstacles"] == list(copying.obstacles)
        assert [("how=replay" in one, "how=new" in one) for one in said["remedy"]] == [
            (True, False),
            (False, True),
        ]
        out = await call(client, "fork_session", how="replay", session=S)
        assert out["interpreter"] == "rebuilt by replay"


async def test_a_running_cell_is_not_copied_and_a_block_that_is_none_is_refused(
    daemon: Served,
) -> None:
    async with connected(daemon) as client:
        wrong = await call(client, "fork_session", block="b999", session=S)
        assert "no block b999" in wrong["error"]["message"]
        await call(client, "run_code", code="hang", wait=0.1, session=S)
        busy = await call(client, "fork_session", session=S)
        assert busy["error"]["type"] == "not_now"
        assert any("how=replay" in one for one in busy["remedy"])


async def test_one_that_takes_longer_is_named_with_how_to_hear_of_it(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    copying.released.clear()
    async with connected(daemon) as client:
        said = await call(client, "fork_session", session=S, wait=0.05)
        assert said["running"] is True
        assert "get_recent_events" in said["next"]
        copying.released.set()
        since = said["cursor"]
        heard = await call(client, "get_recent_events", session=S, since=since, wait=PATIENCE)
        (there,) = [one for one in heard["events"] if one["type"] == "session_forked"]
        assert there["to"] == said["forking"]
        assert "a live copy of this interpreter" in there["what"]


def test_a_failure_without_obstacles_has_a_way_out_too() -> None:
    said = _failed(
        e.ForkFailed(SessionId("t"), "its interpreter could not be started"), is_replay=True
    )
    assert said.is_error
    assert said.fields["remedy"]
    assert "obstacles" not in said.fields["error"]
    rebuilt = _failed(e.ForkFailed(SessionId("t"), "no: a thread", ("a thread",)), is_replay=True)
    assert "a thread" not in rebuilt.fields["error"]["message"], "it is told once"
    assert rebuilt.fields["error"]["obstacles"] == ["a thread"]
    told = e.ForkFailed(SessionId("t"), "there is no block b50", remedy=("look at it",))
    assert _failed(told, is_replay=False).fields["remedy"] == ["look at it"]
    assert not any("how=replay" in one for one in rebuilt.fields["remedy"])


@pytest.mark.parametrize("era", ERAS)
async def test_two_sessions_are_compared_by_name_type_and_preview(
    daemon: Served, copying: CopyingInterpreter, era: str
) -> None:
    async with connected(daemon, era) as client:
        there = (await call(client, "fork_session", name="second", session=S))["forked"]
        same = await call(client, "compare_sessions", other=there, session=S)
        assert (same["other"], same["differing"]) == (there, [])
        await call(client, "run_code", code="x = 2", session=there)
        await call(client, "run_code", code="print", session=there)
        said = await call(client, "compare_sessions", other="second", session=S)
        assert said["differing"] == [
            {
                "name": "x",
                "here": {"type": "int", "preview": "x = 1"},
                "there": {"type": "int", "preview": "x = 2"},
            }
        ]
        copying.listed = 0
        short = await call(client, "compare_sessions", other="second", session=S)
        assert (short["differing"], short["not_listed"]) == ([], 1)


async def test_of_many_that_differ_some_are_shown_and_the_rest_counted(daemon: Served) -> None:
    async with connected(daemon) as client:
        there = (await call(client, "fork_session", session=S))["forked"]
        await call(client, "run_code", code=MANY, session=there)
        said = await call(client, "compare_sessions", other=there, session=S)
        assert (len(said["differing"]), said["more"]) == (MOST, 3)
        assert said["differing"][0]["here"] is None


@pytest.mark.parametrize(
    ("other", "kind"), [(S, "malformed"), ("nobody", "unknown_session"), ("", "malformed")]
)
async def test_a_session_is_compared_with_another(daemon: Served, other: str, kind: str) -> None:
    async with connected(daemon) as client:
        said = await call(client, "compare_sessions", other=other, session=S)
        assert (said.is_error, said["error"]["type"]) == (True, kind)


async def test_which_of_the_two_cannot_be_asked_is_said(daemon: Served) -> None:
    async with connected(daemon) as client:
        there = (await call(client, "fork_session", session=S))["forked"]
        await call(client, "stop_session", session=there)
        said = await call(client, "compare_sessions", other=there, session=S)
        error: dict[str, Any] = said["error"]
        assert (said.is_error, error["type"], error["session"]) == (True, "not_now", there)
