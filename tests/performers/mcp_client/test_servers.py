import asyncio
import gc
import os
from dataclasses import replace
from typing import Any

import pytest
from tests.performers.mcp_client.faking import ENVIRON, Fakes, scene, until
from tests.performers.tools.shell.commanding import is_running

from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.mcp_client.deferring import CALL_TOOL, FIND_TOOLS
from hearth.performers.mcp_client.servers import Around, McpServers
from hearth.performers.tools.tool import Outcome, Scene, Tool
from hearth.settings.mcp import McpSettings, PoolSettings, ServerSpec
from hearth.settings.mcp_approvals import McpApprovals


class Place:
    """Servers of one place, as settings say."""

    def __init__(self, fakes: Fakes, *specs: ServerSpec, **said: Any) -> None:
        self.fakes = fakes
        self.chosen: dict[str, tuple[str, ...]] = {}
        self.says(*specs, **said)
        self.servers = self.anew()
        self.scene = scene(fakes.folder)

    def says(self, *specs: ServerSpec, **said: Any) -> None:
        self.settings = McpSettings({one.name: one for one in specs}, **said)

    def anew(self, preparing: float = 30.0) -> McpServers:
        """As the next daemon has them."""
        return McpServers(
            Around(
                self.fakes.home,
                ENVIRON,
                lambda _: self.settings,
                chosen=self.chosen.get,
                preparing=preparing,
            )
        )

    async def tools(self, where: Scene | None = None) -> list[str]:
        found = await asyncio.to_thread(self.servers.tools, where or self.scene)
        return [one.name for one in found]

    async def tool(self, name: str) -> Tool:
        found = await asyncio.to_thread(self.servers.tool, name, self.scene)
        assert found is not None
        return found

    async def run(self, name: str, /, needs: tuple[Need, ...] = (), **arguments: Any) -> Outcome:
        tool = await self.tool(name)
        return await tool.run(arguments, replace(self.scene, needs=needs))


async def test_a_turn_knows_the_tools_of_its_servers_and_calls_them(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec())
    assert await place.tools() == [], "nobody has asked the server yet"
    assert await place.servers.begin_turn(place.scene) == ()
    assert "fake__echo" in await place.tools()
    assert await place.run("fake__echo", text="hello") == Outcome("hello")
    catalogue = await asyncio.to_thread(place.servers.catalogue, place.scene)
    assert [one.name for one in catalogue["fake"]][:2] == ["announce", "crash"]
    direct = await place.servers.call(place.scene, "fake", "echo", {"text": "direct"})
    assert direct == Outcome("direct")
    await place.servers.close()


async def test_once_known_the_tools_are_told_without_a_server_and_in_the_same_words(
    fakes: Fakes,
) -> None:
    place = Place(fakes, fakes.spec())
    await place.servers.begin_turn(place.scene)
    before = await place.tools()
    await place.servers.close()
    place.servers = place.anew()
    assert await place.servers.begin_turn(place.scene) == ()
    assert await place.tools() == before
    assert len(fakes.noted("start")) == 1, "nothing was started for it"
    assert await place.run("fake__echo", text="x") == Outcome("x")
    assert len(fakes.noted("start")) == 2
    await place.servers.close()


@pytest.mark.promise("LK-POOL-01")
async def test_ten_sessions_share_one_server(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec())
    scenes = [scene(fakes.folder, session=f"s{one}") for one in range(10)]
    await asyncio.gather(*(place.servers.begin_turn(one) for one in scenes))
    calls = [place.servers.call(one, "fake", "token", {}) for one in scenes]
    answers = await asyncio.gather(*calls)
    assert len({one.text for one in answers}) == 1
    assert len(fakes.noted("start")) == 1
    (status,) = place.servers.status()
    assert (status.name, status.state, status.users) == ("fake", "ready", 10)
    for one in scenes:
        place.servers.turn_ended(one.session)
    assert [one.state for one in place.servers.status()] == ["idle"]
    await place.servers.close()


@pytest.mark.promise("LK-SCOPE-02", "LK-SCOPE-05", "LK-POOL-02")
async def test_agents_at_work_at_the_same_time_have_different_servers(fakes: Fakes) -> None:
    ann = fakes.spec(name="ann", env={"FAKE_TOKEN": "anns-secret"})
    bob = fakes.spec(name="bob", env={"FAKE_TOKEN": "bobs-secret"})
    place = Place(fakes, ann, bob, of_agents={"a*": ("ann",), "b*": ("bob",)})
    scenes = [replace(place.scene, agent=agent) for agent in ("anton", "berta")]
    for one in scenes:
        await place.servers.begin_turn(one)
    first, second = [await place.tools(one) for one in scenes]
    assert {one.partition("__")[0] for one in first} == {"ann"}
    assert {one.partition("__")[0] for one in second} == {"bob"}
    answers = [
        await place.servers.call(one, name, "token", {})
        for one, name in zip(scenes, ("ann", "bob"), strict=True)
    ]
    assert [one.text.split()[0] for one in answers] == ["anns-secret", "bobs-secret"]
    refused = await place.servers.call(scenes[0], "bob", "token", {})
    assert refused == Outcome("There is no MCP server bob here. There are: ann.", is_error=True)
    assert "secret" not in str(place.servers.status())
    assert set(place.servers.secrets()) == {"anns-secret", "bobs-secret"}
    await place.servers.close()


@pytest.mark.promise("LK-SCOPE-03", "LK-SCOPE-06")
@pytest.mark.usefixtures("unhurried")
async def test_when_the_set_changes_only_what_is_missing_starts(fakes: Fakes) -> None:
    a, b, c = (fakes.spec(name=name) for name in "abc")
    pool = PoolSettings(idle_timeout=0)
    place = Place(fakes, a, b, c, enabled=("a", "b"), pool=pool)
    await place.servers.begin_turn(place.scene)
    assert len(fakes.noted("start")) == 2
    place.says(a, b, c, enabled=("b", "c"), pool=pool)
    await place.servers.begin_turn(place.scene)
    await fakes.until_noted("stop")
    assert len(fakes.noted("start")) == 3
    assert {one.name for one in place.servers.status()} == {"b", "c"}
    assert len(fakes.noted("stop")) == 1
    await place.servers.close()


@pytest.mark.promise("LK-SCOPE-03", "LK-SCOPE-06")
@pytest.mark.usefixtures("unhurried")
async def test_when_a_person_chooses_for_a_session_only_what_is_missing_starts(
    fakes: Fakes,
) -> None:
    every = [fakes.spec(name=name) for name in "abc"]
    place = Place(fakes, *every, pool=PoolSettings(idle_timeout=0))
    place.chosen["s1"] = ("a", "b")
    await place.servers.begin_turn(place.scene)
    assert {one.name for one in place.servers.status()} == {"a", "b"}
    before = {one.name: one.pid for one in place.servers.status()}
    place.chosen["s1"] = ("b", "c")
    assert {one.partition("__")[0] for one in await place.tools()} == {"b"}, "c is not known yet"
    await place.servers.begin_turn(place.scene)
    await fakes.until_noted("stop")
    after = {one.name: one.pid for one in place.servers.status()}
    assert set(after) == {"b", "c"}
    assert after["b"] == before["b"], "needed before and after"
    assert (len(fakes.noted("start")), len(fakes.noted("stop"))) == (3, 1)
    refused = await place.servers.call(place.scene, "a", "echo", {"text": "x"})
    assert refused == Outcome("There is no MCP server a here. There are: b, c.", is_error=True)
    place.chosen["s1"] = ()
    assert await place.servers.begin_turn(place.scene) == ()
    assert await place.tools() == []
    await until(lambda: place.servers.status() == ())
    await place.servers.close()


@pytest.mark.promise("LK-SCOPE-04")
async def test_a_broken_server_is_told_and_the_others_work(fakes: Fakes) -> None:
    good = fakes.spec(name="good")
    place = Place(fakes, good)
    await place.servers.begin_turn(place.scene)
    place.says(good, fakes.spec("--broken", name="bad"))
    (said,) = await place.servers.begin_turn(place.scene)
    assert "bad cannot be used" in said
    assert "it cannot work like this" in said
    assert await place.run("good__echo", text="x") == Outcome("x")
    found, _ = await asyncio.to_thread(place.servers.shown, "/p")
    shown = {one.name: one for one in found}
    assert shown["bad"].state == "failed"
    assert "it cannot work like this" in shown["bad"].why
    called = await place.servers.call(place.scene, "bad", "echo", {})
    assert called.is_error
    await place.servers.close()


async def test_a_turn_does_not_wait_for_a_slow_server(fakes: Fakes) -> None:
    pipe = fakes.folder / "pipe"
    os.mkfifo(pipe)
    place = Place(fakes, fakes.spec(f"--waits-for={pipe}"))
    place.servers = place.anew(preparing=0.2)
    assert await place.servers.begin_turn(place.scene) == (
        "the MCP server fake is still starting; its tools come later",
    )
    assert await place.tools() == []
    await fakes.until_noted("start")
    os.close(await asyncio.to_thread(os.open, pipe, os.O_WRONLY))
    await until(lambda: bool(place.servers.tools(place.scene)))
    assert "fake__echo" in await place.tools()
    await place.servers.close()


async def test_a_slow_server_that_fails_when_no_turn_waits_any_more_is_no_defect(
    fakes: Fakes,
) -> None:
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    pipe = fakes.folder / "pipe"
    os.mkfifo(pipe)
    place = Place(fakes, fakes.spec(f"--waits-for={pipe}", "--broken"))
    place.servers = place.anew(preparing=0.2)
    (said,) = await place.servers.begin_turn(place.scene)
    assert "still starting" in said
    await fakes.until_noted("start")
    os.close(await asyncio.to_thread(os.open, pipe, os.O_WRONLY))
    await until(lambda: place.servers.shown("/p")[0][0].state == "failed")
    await place.servers.close()
    gc.collect()
    assert complaints == []


async def test_a_turn_that_is_prepared_when_all_ends_is_told_so(fakes: Fakes) -> None:
    os.mkfifo(fakes.folder / "never")
    place = Place(fakes, fakes.spec(f"--waits-for={fakes.folder / 'never'}"))
    preparing = asyncio.create_task(place.servers.begin_turn(place.scene))
    await fakes.until_noted("start")
    await place.servers.close()
    assert await preparing == ("the MCP server fake cannot be used: hearth ends",)


async def test_a_projects_server_does_not_start_before_it_is_approved(fakes: Fakes) -> None:
    spec = replace(fakes.spec(), is_project=True, root=str(fakes.folder))
    place = Place(fakes, spec)
    (said,) = await place.servers.begin_turn(place.scene)
    assert "hearth mcp approve fake" in said
    assert "fake_server.py" in said
    refused = await place.servers.call(place.scene, "fake", "echo", {})
    assert refused.is_error
    assert fakes.noted("start") == []
    (shown,), _ = await asyncio.to_thread(place.servers.shown, str(fakes.folder))
    assert shown.state == "unapproved"
    McpApprovals(fakes.home).approve(spec)
    assert await place.servers.begin_turn(place.scene) == ()
    assert "fake__echo" in await place.tools()
    await place.servers.close()


async def test_a_changed_tool_asks_until_a_person_has_allowed_it(fakes: Fakes) -> None:
    mark = fakes.folder / "changed"
    place = Place(fakes, fakes.spec(f"--changed-if={mark}"))
    await place.servers.begin_turn(place.scene)
    (usual,) = (await place.tool("fake__echo")).wants({}, place.scene).needs
    assert usual.least is Verdict.ALLOW
    await place.servers.close()
    mark.touch()
    place.servers = place.anew()
    await place.servers.begin_turn(place.scene)
    refused = await place.run("fake__echo", (usual,), text="x")
    assert refused.is_error
    assert "Nothing was run" in refused.text
    (said,) = await place.servers.begin_turn(place.scene)
    assert "has changed what it says of echo" in said
    echo = await place.tool("fake__echo")
    assert echo.description == "Says the same again.", "the words that were accepted"
    (asked,) = echo.wants({}, place.scene).needs
    assert asked.least is Verdict.ASK
    assert "description changed" in asked.why
    assert await place.run("fake__echo", (asked,), text="x") == Outcome("x")
    assert (await place.tool("fake__echo")).description.startswith("Says the same, and something")
    (again,) = (await place.tool("fake__echo")).wants({}, place.scene).needs
    assert again.least is Verdict.ALLOW
    assert await place.servers.begin_turn(place.scene) == ()
    await place.servers.close()


async def test_a_tool_that_went_answers_clearly_and_a_new_one_comes(fakes: Fakes) -> None:
    mark = fakes.folder / "changed"
    place = Place(fakes, fakes.spec(f"--changed-if={mark}"))
    await place.servers.begin_turn(place.scene)
    gone = await place.tool("fake__fail")
    assert "fake__new" not in await place.tools()
    mark.touch()
    await place.run("fake__announce")
    await until(lambda: place.servers.tool("fake__new", place.scene) is not None)
    assert "fake__fail" not in await place.tools()
    answer = await gone.run({}, place.scene)
    assert answer == Outcome("The MCP server fake has no tool fail any more.", is_error=True)
    await place.servers.close()


async def test_many_tools_are_behind_two_and_can_be_called_all_the_same(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec("--many=40"))
    await place.servers.begin_turn(place.scene)
    assert await place.tools() == [FIND_TOOLS, CALL_TOOL]
    found = await place.run(FIND_TOOLS, query="says same again")
    assert found.text.startswith('{"name":"fake__echo"')
    given: dict[str, Any] = {"name": "fake__echo", "arguments": {"text": "x"}}
    assert await place.run(CALL_TOOL, **given) == Outcome("x")
    assert await place.run("fake__echo", text="y") == Outcome("y")
    await place.servers.close()


@pytest.mark.promise("LK-SESS-05")
@pytest.mark.usefixtures("unhurried")
async def test_a_session_that_ends_lets_go_of_its_servers(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec(), pool=PoolSettings(idle_timeout=0))
    await place.servers.begin_turn(place.scene)
    (pid,) = fakes.noted("start")
    assert is_running(pid)
    place.servers.turn_ended(place.scene.session)
    await fakes.until_noted("stop")
    await until(lambda: not is_running(pid))
    assert place.servers.status() == ()
    await place.servers.close()


async def test_what_is_shown_of_a_place_names_every_server_and_how_it_is(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec(), fakes.spec(name="off", disabled=True))
    folder = str(fakes.folder)
    place.settings = replace(place.settings, root=folder)
    found, problems = await asyncio.to_thread(place.servers.shown, folder)
    fake, off = found
    assert problems == ()
    assert (fake.name, fake.state, fake.tools) == ("fake", "stopped", 0)
    assert (off.name, off.state) == ("off", "disabled")
    await place.servers.begin_turn(place.scene)
    found, _ = await asyncio.to_thread(place.servers.shown, folder)
    fake = found[0]
    assert (fake.state, fake.users, fake.tools) == ("ready", 1, 11)
    assert fake.pid == fakes.noted("start")[0]
    await place.servers.close()


async def test_settings_that_cannot_be_read_cost_a_turn_only_its_servers(fakes: Fakes) -> None:
    def broken(_directory: str) -> McpSettings:
        raise OSError("the disk is gone")

    servers = McpServers(Around(fakes.home, ENVIRON, broken))
    (said,) = await servers.begin_turn(scene(fakes.folder))
    assert "MCP servers cannot be used" in said
    await servers.close()


async def test_the_token_of_a_header_is_a_secret_by_itself(fakes: Fakes) -> None:
    far = ServerSpec("far", url="http://127.0.0.1:9/", headers={"Authorization": "Bearer abcdefgh"})
    place = Place(fakes, far)
    await place.servers.prepare(place.scene)
    assert set(place.servers.secrets()) == {"Bearer abcdefgh", "abcdefgh"}
    await place.servers.close()


async def test_who_opens_ends_what_a_daemon_before_left(fakes: Fakes) -> None:
    servers = McpServers(Around(fakes.home, ENVIRON))
    await servers.open()
    assert await servers.begin_turn(scene(fakes.folder)) == ()
    assert servers.tools(scene(fakes.folder)) == ()
    await servers.close()


async def test_who_only_looks_holds_nothing(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec())
    assert await place.servers.prepare(place.scene) == ()
    assert "fake__echo" in await place.tools()
    assert [one.state for one in place.servers.status()] == ["idle"]
    called = await place.servers.call(place.scene, "fake", "echo", {"text": "x"})
    assert called == Outcome("x")
    assert [one.state for one in place.servers.status()] == ["idle"]
    await place.servers.close()


async def test_code_too_calls_nothing_that_has_changed_since_it_was_judged(fakes: Fakes) -> None:
    mark = fakes.folder / "changed"
    place = Place(fakes, fakes.spec(f"--changed-if={mark}"))
    await place.servers.prepare(place.scene)
    await place.servers.close()
    mark.touch()
    place.servers = place.anew()
    refused = await place.servers.call(place.scene, "fake", "echo", {"text": "x"})
    assert refused.is_error
    assert "Nothing was run" in refused.text
    await place.servers.close()


async def test_a_source_of_turns_holds_what_it_prepared(fakes: Fakes) -> None:
    place = Place(fakes, fakes.spec())
    source = place.servers.of_turns
    assert await source.prepare(place.scene) == ()
    assert [one.state for one in place.servers.status()] == ["ready"]
    tools = await asyncio.to_thread(source.tools, place.scene)
    assert "fake__echo" in [one.name for one in tools]
    found = await asyncio.to_thread(source.tool, "fake__echo", place.scene)
    assert found is not None
    place.servers.turn_ended(place.scene.session)
    await place.servers.close()
