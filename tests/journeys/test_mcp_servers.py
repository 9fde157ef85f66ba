"""Agents use MCP servers of others: a real daemon, real servers, real permissions.

Only the model is scripted.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.homes import Caller, Home, a_home
from tests.journeys.live import PATIENCE
from tests.performers.mcp_client.faking import FAKE, Fakes, until
from tests.performers.tools.shell.commanding import is_running

from hearth.api import Settled, Viewed, settle
from hearth.app import Living, living
from hearth.core.rules.permission import Layer, Rule
from hearth.core.views.approvals import Approvals
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Verdict
from hearth.core.vocabulary.refusals import NotAllowed
from hearth.performers.interpreter.preferences import Preferences
from hearth.settings.agents import AgentSettings
from hearth.settings.mcp import McpSettings, ServerSpec
from hearth.settings.permissions import PermissionSettings

S: Final = SessionId("session-a")
ALLOWING: Final = (Layer("the person's", (Rule("mcp", "fake__*", Verdict.ALLOW),)),)
Call = tuple[str, dict[str, Any]]


class Agent:
    """A home, a project, fake servers, and an agent that makes the calls that it is told to."""

    def __init__(self, folder: Path) -> None:
        self.fakes = Fakes(folder)
        self.root = folder / "project"
        self.root.mkdir()
        (self.root / "pyproject.toml").write_text("[project]\nname = 'loom'\n")
        self.script = folder / "script.json"
        self.settings = McpSettings({"fake": self.fakes.spec(cwd="")})

    def plays(self, *steps: Sequence[Call]) -> None:
        """In each step these calls; then it is done."""
        self.script.write_text(script_of(*steps))

    @asynccontextmanager
    async def living(self, *layers: Layer) -> AsyncIterator[Living]:
        agents = AgentSettings(f"scripted:{self.script}", root=str(self.root), trusted=True)
        allowed = PermissionSettings(layers=layers)
        async with living(
            self.fakes.home,
            preferences=Preferences(spares=0, orphan_after=60.0),
            watch=False,
            agents=lambda _: agents,
            permissions=lambda _directory, _agent: allowed,
            mcp=lambda _: self.settings,
        ) as hearth:
            config = c.SessionConfig(directory=str(self.root))
            async with asyncio.timeout(PATIENCE):
                assert isinstance(
                    await settle(hearth.engine, S, c.CreateSession(config), ANN), Settled
                )
            try:
                yield hearth
            finally:
                await hearth.end_all()


def script_of(*steps: Sequence[Call]) -> str:
    scenes = [{"calls": [{"name": name, "arguments": said} for name, said in one]} for one in steps]
    return json.dumps([*scenes, {"text": "done"}])


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


async def events_of(hearth: Living, kind: type[Any]) -> list[Any]:
    rows = [envelope(row).event for row in await hearth.engine.rows(S, 0, 10_000)]
    return [one for one in rows if isinstance(one, kind)]


async def results_of(hearth: Living) -> list[ToolResultBlock]:
    sealed = await events_of(hearth, t.BlockSealed)
    return [one.content for one in sealed if isinstance(one.content, ToolResultBlock)]


async def waits(hearth: Living, holds: Callable[[], Any]) -> None:
    """Wait until something holds, looking whenever something is in the log."""
    following = hearth.engine.follow(S, after=0)
    try:
        async with asyncio.timeout(PATIENCE):
            while not await holds():
                await following.batch()
    finally:
        following.close()


async def says(hearth: Living) -> None:
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await settle(hearth.engine, S, p.SendMessage("go"), ANN), Settled)


async def approvals(hearth: Living) -> Approvals:
    viewed = await hearth.engine.view("approvals")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Approvals)
    return viewed.value


async def test_an_agent_calls_a_tool_of_a_server_after_a_person_allowed_it(agent: Agent) -> None:
    agent.plays([("fake__echo", {"text": "hello"})])
    async with agent.living() as hearth:
        await hearth.engine.submit(S, p.SendMessage("go"), ANN)

        async def is_asked() -> bool:
            return bool((await approvals(hearth)).rows)

        await waits(hearth, is_asked)
        (row,) = (await approvals(hearth)).rows
        assert row.approval.name == "fake__echo"
        (judged,) = row.approval.judged
        assert (judged.need.permission, judged.need.target) == ("mcp", "fake__echo")
        assert "the MCP server fake" in judged.need.why
        assert "hello" in str(row.approval)
        (status,) = hearth.equipment.mcp.status()
        assert (status.state, status.users) == ("ready", 1), "held while a person is asked"
        answer = p.AnswerApproval(row.approval.approval, p.ApprovalAnswer.ONCE)
        await hearth.engine.submit(S, answer, ANN)

        async def is_over() -> bool:
            return bool(await events_of(hearth, t.TurnFinished))

        await waits(hearth, is_over)
        (result,) = await results_of(hearth)
        assert (result.result, result.is_error) == ("hello", False)
        await until(lambda: [one.state for one in hearth.equipment.mcp.status()] == ["idle"])
    assert len(agent.fakes.noted("start")) == 1
    await until(lambda: not any(map(is_running, agent.fakes.noted("start"))))


@pytest.mark.promise("LK-SESS-05", "LK-POOL-02")
async def test_rules_allow_tools_and_secrets_of_servers_are_not_told(agent: Agent) -> None:
    spec: ServerSpec = agent.fakes.spec(cwd="", env={"FAKE_TOKEN": "very-secret-token"})
    agent.settings = McpSettings({"fake": spec})
    agent.plays([("fake__token", {})], [("fake__fail", {})], [("fake__where", {})])
    async with agent.living(*ALLOWING) as hearth:
        await says(hearth)
        token, fail, where = await results_of(hearth)
        assert "very-secret-token" not in str(token.result)
        assert str(agent.fakes.noted("start")[0]) in str(token.result)
        assert (fail.result, fail.is_error) == ("it did not work", True)
        assert where.result == str(agent.root)
        assert await events_of(hearth, t.ToolStarted)
        rows = await hearth.engine.rows(S, 0, 10_000)
        assert not any(b"very-secret-token" in row.data for row in rows)
        stopped = await settle(hearth.engine, S, c.StopSession(), ANN)
        assert isinstance(stopped, Settled)
        await until(lambda: [one.users for one in hearth.equipment.mcp.status()] == [0])


@pytest.mark.promise("LK-CANC-01")
async def test_who_cancels_a_turn_cancels_the_call_of_the_server(agent: Agent) -> None:
    agent.plays([("fake__slow", {})])
    async with agent.living(*ALLOWING) as hearth:
        await hearth.engine.submit(S, p.SendMessage("go"), ANN)
        await agent.fakes.until_noted("slow")
        async with asyncio.timeout(PATIENCE):
            await settle(hearth.engine, S, p.CancelTurn(), ANN)
            await agent.fakes.until_noted("cancelled")

        async def is_over() -> bool:
            return bool(await events_of(hearth, t.TurnFinished))

        await waits(hearth, is_over)
        (finished,) = await events_of(hearth, t.TurnFinished)
        assert finished.end is t.TurnEnd.CANCELLED


async def test_code_in_the_interpreter_calls_the_same_servers(agent: Agent) -> None:
    agent.plays()
    async with agent.living(*ALLOWING) as hearth:
        code = "from hearth_tools import fake\nfake.echo(text='from code')"
        async with asyncio.timeout(PATIENCE):
            ran = await settle(hearth.engine, S, c.RunCell(code), ANN)
        assert isinstance(ran, Settled)
        finished = ran.outcome.event
        assert isinstance(finished, e.CellFinished), finished
        assert "from code" in str(finished.value)
        assert [one.state for one in hearth.equipment.mcp.status()] == ["idle"]


@pytest.mark.promise("LK-SCOPE-01", "LK-SCOPE-06")
async def test_a_person_chooses_for_one_session_what_agents_and_code_have(agent: Agent) -> None:
    turn = json.loads(script_of([("fake__echo", {"text": "hello"})]))
    agent.script.write_text(json.dumps([*turn, *turn]))
    code = "from hearth_tools import fake\nfake.echo(text='from code')"

    async def ran(hearth: Living) -> object:
        async with asyncio.timeout(PATIENCE):
            done = await settle(hearth.engine, S, c.RunCell(code), ANN)
        assert isinstance(done, Settled)
        return done.outcome.event

    async with agent.living(*ALLOWING) as hearth:
        bot = Origin(Actor.AGENT, "bot", Door.ENGINE)
        await settle(hearth.engine, S, p.SetServers(("gone",)), ANN)
        refused = await hearth.engine.submit(S, p.SetServers(None), bot)
        assert isinstance(refused, NotAllowed), "an agent does not give itself more"
        await says(hearth)
        (result,) = await results_of(hearth)
        assert result.is_error
        assert "There is no tool fake__echo here" in str(result.result)
        notices = [one.content for one in await events_of(hearth, t.BlockSealed)]
        assert "gone is chosen for this session, but there is none" in str(notices)
        assert isinstance(await ran(hearth), e.CellFailed)
        assert agent.fakes.noted("start") == []
        await settle(hearth.engine, S, p.SetServers(None), ANN)
        assert isinstance(await ran(hearth), e.CellFinished)
        await says(hearth)
        assert [str(one.result) for one in await results_of(hearth)][1:] == ["hello"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@pytest.mark.promise("LK-POOL-11")
async def test_nothing_is_left_of_servers_when_the_daemon_is_killed(
    home: Home, tmp_path: Path
) -> None:
    (tmp_path / "fakes").mkdir()
    fakes = Fakes(tmp_path / "fakes")
    script = tmp_path / "script.json"
    script.write_text(script_of([("fake__slow", {})]))
    said = {
        "model": f"scripted:{script}",
        "permissions": {"mcp": "allow"},
        "mcpServers": {
            "fake": {
                "command": sys.executable,
                "args": [FAKE, "--deaf", "--forks"],
                "env": {"FAKE_LOG": str(fakes.log)},
            }
        },
    }
    config = home.path / "config" / "hearth"
    config.mkdir(parents=True)
    (config / "hearth.jsonc").write_text(json.dumps(said))
    process: subprocess.Popen[bytes] = home.spawn()
    caller = Caller(await asyncio.to_thread(home.found, process))
    body = {"directory": str(home.project), "mode": "bare"}
    session = caller.ask("POST", "/sessions", body, Prefer="wait=30")["session"]
    caller.ask("POST", f"/sessions/{session}/commands", {"type": "send_message", "text": "go"})
    await fakes.until_noted("slow")
    left = [*fakes.noted("start"), *await fakes.until_noted("fork")]
    shown = caller.ask("GET", f"/mcp-servers?directory={home.project}")
    assert [one["name"] for one in shown["servers"]] == ["fake"]
    caller.close()
    assert all(map(is_running, left))
    os.kill(process.pid, 9)
    process.wait(PATIENCE)
    await until(lambda: not any(map(is_running, left)))
    process = home.spawn()
    caller = Caller(await asyncio.to_thread(home.found, process))
    assert caller.ask("GET", f"/mcp-servers?directory={home.project}")["servers"][0]["pid"] == 0
    caller.ask("POST", "/shutdown", {"end_sessions": True})
    caller.close()
    assert process.wait(PATIENCE) == 0
    assert len(fakes.noted("start")) == 1, "no call is made again by itself"
