"""What is known of agents beside the log, with the real book, rules, walls and servers."""

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.scenes import ANN

from hearth.core.rules.permission import Layer, Rule
from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import EXECUTE, Grant, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.language_server.detecting import specs_of
from hearth.performers.language_server.pool import Bounds
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.mcp_client.servers import Around, McpServers
from hearth.performers.sandbox.bubblewrap import Sandbox, Standing
from hearth.performers.tools.tool import Scene
from hearth.servers.http.agents.oversight import ToExplain
from hearth.serving import overseeing
from hearth.serving.overseeing import SWITCHED_OFF, UNKNOWN, Parts, ShownAgents
from hearth.settings.grants import GrantBook, Occasion
from hearth.settings.mcp import McpSettings, ServerSpec
from hearth.settings.permissions import PermissionSettings, SandboxSettings
from hearth.settings.problems import Problem

PATIENT = Bounds(after_write=60, asking=60)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Walls(Sandbox):
    """A sandbox that is tried when a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.standing = Standing(is_on=True)
        self.free = threading.Event()
        self.tries = 0

    async def probe(self) -> Standing:
        self.tries += 1
        await asyncio.to_thread(self.free.wait, 30)
        return self.standing


class Stage:
    """The parts, as a test wants them."""

    def __init__(self, home: Path) -> None:
        self.root = home / "project"
        self.root.mkdir()
        (self.root / "pyproject.toml").write_text('[project]\nname = "p"\nversion = "1"\n')
        self.said = PermissionSettings()
        self.asked: list[tuple[str, str]] = []
        self.book = GrantBook(home)
        self.walls = Walls()
        self.walls.free.set()
        self.servers = LanguageServers(specs_of, bounds=PATIENT)
        self.closed: OSError | None = None
        self.mcp_settings = McpSettings()
        self.mcp = McpServers(Around(home, {}, self.servers_of))
        self.shown = ShownAgents(
            Parts(
                permissions=self.permissions,
                grants=self.book,
                sandbox=self.walls,
                servers=self.servers,
                mcp=self.mcp,
                place_of=lambda scene: Place(scene.directory, scene.root, (str(home / "hidden"),)),
            )
        )

    def servers_of(self, _directory: str) -> McpSettings:
        if self.closed is not None:
            raise self.closed
        return self.mcp_settings

    def permissions(self, directory: str, agent: str) -> PermissionSettings:
        if self.closed is not None:
            raise self.closed
        self.asked.append((directory, agent))
        return self.said

    def allow(self, pattern: str) -> None:
        grant = Grant(EXECUTE, pattern)
        self.book.add(grant, str(self.root), Occasion(NOON, "ann", "session-a", "to build"))

    async def explain(self, command: str, directory: str = "", agent: str = "") -> Verdict:
        wanted = ToExplain(command, directory or str(self.root), agent)
        return (await self.shown.explain(wanted)).verdict


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    one = Stage(tmp_path)
    yield one
    one.walls.free.set()
    await one.servers.close()


async def test_it_is_told_how_agents_are_contained(stage: Stage) -> None:
    stage.walls.standing = Standing(is_on=False, why="there is no bubblewrap")
    guarded = await stage.shown.guarded()
    assert (guarded.mode, guarded.sandbox.on) == ("ask", False)
    assert guarded.sandbox.why == "there is no bubblewrap"
    assert guarded.servers == ()
    assert stage.asked == [("", "")]


async def test_what_settings_switch_off_is_off_whatever_the_machine_can(stage: Stage) -> None:
    stage.said = PermissionSettings(mode="auto", sandbox=SandboxSettings(commands=False))
    guarded = await stage.shown.guarded()
    assert (guarded.mode, guarded.sandbox.on, guarded.sandbox.why) == ("auto", False, SWITCHED_OFF)
    assert stage.walls.tries == 0


async def test_whoever_asks_while_it_is_found_out_does_not_wait_for_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overseeing, "SOON", 0.01)
    stage.walls.free.clear()
    async with asyncio.timeout(30):
        early = await asyncio.gather(*(stage.shown.guarded() for _ in range(20)))
        assert {(one.sandbox.on, one.sandbox.why) for one in early} == {(False, UNKNOWN)}
        stage.walls.free.set()
        monkeypatch.setattr(overseeing, "SOON", 30)
        assert (await stage.shown.guarded()).sandbox.on
    assert stage.walls.tries == 1


async def test_grants_are_shown_as_they_are_kept_and_taken_back(stage: Stage) -> None:
    stage.allow("make")
    listed = await stage.shown.grants()
    (one,) = listed.grants
    assert (one.id, one.permission, one.pattern) == ("g1", EXECUTE, "make")
    assert (one.root, one.at, one.by) == (str(stage.root), NOON, "ann")
    assert (one.session, one.why, listed.problem) == ("session-a", "to build", "")
    assert not await stage.shown.revoke("g2", ANN)
    assert await stage.shown.revoke("g1", ANN)
    assert (await stage.shown.grants()).grants == ()
    assert stage.book.for_root(str(stage.root)) == ()


async def test_a_broken_file_of_grants_is_told(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "grants.json").write_text("{ broken")
    listed = await stage.shown.grants()
    assert listed.grants == ()
    assert "grants.json" in listed.problem


async def test_a_command_is_explained_by_the_rules_and_grants_of_its_place(stage: Stage) -> None:
    rule = Rule(EXECUTE, "git push *", Verdict.DENY, "hearth.jsonc:7")
    stage.said = PermissionSettings(layers=(Layer("yours", (rule,)),))
    below = stage.root / "below"
    below.mkdir()
    wanted = ToExplain("make; git push", str(below), "reviewer")
    said = await stage.shown.explain(wanted)
    assert (said.verdict, said.root) == (Verdict.DENY, str(stage.root))
    assert said.parts == ("make", "git push")
    assert any("hearth.jsonc:7" in one.by for one in said.judged)
    assert "make" in said.parse
    assert stage.asked == [(str(below), "reviewer")]
    assert await stage.explain("make") is Verdict.ASK
    stage.allow("make")
    assert await stage.explain("make") is not Verdict.DENY
    assert await stage.explain("ls") is Verdict.ALLOW
    assert await stage.explain(f"cat {stage.root.parent}/hidden/token") is Verdict.DENY


async def test_a_place_that_is_closed_is_said_to_be(stage: Stage) -> None:
    stage.closed = PermissionError(13, "Permission denied")
    said = await stage.shown.explain(ToExplain("ls", "/root/other"))
    assert said.verdict is Verdict.DENY
    assert said.problem == "/root/other cannot be looked at: Permission denied"


async def test_a_thousand_questions_leave_room_for_agents(stage: Stage) -> None:
    most, now = 0, 0
    lock = threading.Lock()
    real = stage.permissions

    def counted(directory: str, agent: str) -> PermissionSettings:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        try:
            return real(directory, agent)
        finally:
            with lock:
                now -= 1

    stage.shown = ShownAgents(
        Parts(
            permissions=counted,
            grants=stage.book,
            sandbox=stage.walls,
            servers=stage.servers,
            mcp=stage.mcp,
            place_of=lambda scene: Place(scene.directory, scene.root),
        )
    )
    async with asyncio.timeout(30):
        said = await asyncio.gather(*(stage.explain("ls -l") for _ in range(200)))
    assert set(said) == {Verdict.ALLOW}
    assert most <= overseeing.AT_ONCE


@pytest.mark.promise("DP-LSP-05")
async def test_what_servers_found_is_shown_by_file_with_the_agent_that_was_told(
    stage: Stage,
) -> None:
    session = SessionId("session-a")
    scene = Scene(session, str(stage.root), str(stage.root), agent="reviewer")
    path = stage.root / "a.py"
    path.write_text("x = 1\n")
    async with asyncio.timeout(90):
        await stage.servers.before_write(scene, (str(path),))
        path.write_text("print(b)\n")
        assert "F821" in await stage.servers.after_write(scene, (str(path),))
    found = await stage.shown.found(str(stage.root))
    assert found.root == str(stage.root)
    (file,) = found.files
    assert file.path == str(path)
    assert file.errors >= 1
    given = [one for one in file.findings if one.given]
    assert {(who.session, who.agent) for one in given for who in one.given} == {
        (session, "reviewer")
    }
    assert {one.severity for one in given} <= set(Severity)
    servers = stage.shown.servers().servers
    assert "ruff" in {one.server for one in servers}
    assert all(one.root == str(stage.root) and one.pid for one in servers if one.state == "ready")
    path.write_text("x = 1\n")
    await stage.servers.of_file(str(stage.root), str(path))
    (gone,) = (await stage.shown.found(str(stage.root))).files
    assert (gone.errors, {one.current for one in gone.findings}) == (0, {False})
    assert (await stage.shown.found("/nowhere")).files == ()


async def test_mcp_servers_are_shown_without_secrets_and_with_what_is_wrong(stage: Stage) -> None:
    spec = ServerSpec("files", "npx", ("x",), {"MY_TOKEN": "hush-hush"}, source="/f")
    problem = Problem("/f", "is wrong", "", "mcpServers.other")
    stage.mcp_settings = McpSettings({"files": spec}, problems=(problem,))
    found = await stage.shown.mcp_servers(str(stage.root))
    (server,) = found.servers
    assert (server.name, server.state, server.pid, server.source) == ("files", "stopped", 0, "/f")
    assert "npx x" in server.shown
    assert "hush-hush" not in str(found)
    assert found.problems == ("/f: mcpServers.other: is wrong",)
    stage.closed = PermissionError(13, "Permission denied")
    closed = await stage.shown.mcp_servers("/closed")
    assert closed.servers == ()
    assert "/closed cannot be looked at" in closed.problems[0]
