"""Tools that steer an interpreter."""

from pathlib import Path

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.http.serving import PATIENCE, served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.performers.interpreter.scene import Scene

S = "session-aaaaaa"


@pytest.mark.promise("SF-MCP-10")
@pytest.mark.parametrize("era", ERAS)
async def test_a_cell_is_stopped_and_its_end_waited_for(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        await call(client, "run_code", code="hang", wait=0.1, session=S)
        said = await call(client, "cancel_eval", session=S)
        assert (said["cell"], said["ended"], said["state"]) == ("c1", "cancelled", "ready")
        nothing = await call(client, "cancel_eval", session=S)
        assert nothing["error"]["type"] == "not_now"


async def test_a_waiting_cell_is_taken_back(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="hang", wait=0)
        await call(client, "run_code", code="1+1", if_busy="queue", wait=0.1)
        said = await call(client, "cancel_eval", cell="c2")
        assert (said["cell"], said["ended"]) == ("c2", "withdrawn")


@pytest.mark.promise("SF-MCP-16")
async def test_a_healthy_session_is_reset_with_a_warning_and_a_dead_one_without(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "reset_session")
        assert (said["reset"], said["state"]) == (True, "ready")
        assert "healthy" in said["warning"]
        dead = await call(client, "run_code", code="die")
        assert dead["error"]["type"] == "worker_crashed"
        said = await call(client, "hard_reset_session")
        assert said["state"] == "ready"


async def test_a_stopped_session_comes_back(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "stop_session", session=S)
        said = await call(client, "hard_reset_session", session=S)
        assert (said["reset"], said["state"], said["session"]) == (True, "ready", S)


async def test_a_question_of_a_cell_is_answered(tmp_path: Path) -> None:
    scenes = {**SCENES, "ask": Scene(asks="Name? ")}
    async with served(tmp_path, scenes) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="ask", may_ask=True)
        said = await call(client, "answer_input", text="ann")
        heard = await call(client, "get_recent_events", since=said["cursor"], wait=PATIENCE)
        assert any(one["type"] == "cell_finished" for one in heard["events"])
        nothing = await call(client, "answer_input", text="ann")
        assert nothing["error"]["type"] == "not_now"


async def test_a_replay_of_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "replay_session", source="nope")
        assert said["error"]["type"] == "unknown_session"
        going = await call(client, "replay_session", wait=0.1)
        assert going["running"] is True
