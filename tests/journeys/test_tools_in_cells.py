"""Code in live interpreters calls tools: real kernels, a real daemon, the same permissions."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.contracts.scenes import ANN, BOT
from tests.journeys.live import PLAIN, Live, S, comes_true, end_all, raised
from tests.performers.cell_tools.mill import MILL_TOOLS, PNG, Mill
from tests.performers.mcp_client.faking import Fakes

from hearth.api import Settled, settle
from hearth.app import living
from hearth.core.rules.permission import Layer, Rule
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.cell_tools.answers import LARGEST_ANSWER
from hearth.performers.cell_tools.calling import STOPPED
from hearth.performers.interpreter.inside.tools import SOCKET
from hearth.settings.agents import AgentSettings, usual_agents
from hearth.settings.mcp import McpSettings
from hearth.settings.permissions import PermissionSettings, SandboxSettings

CLIENT: Final = Origin(Actor.MCP_CLIENT, "an editor", Door.MCP)
RULES: Final = PermissionSettings(
    layers=(
        Layer(
            "the person's",
            (
                Rule("the-mill__*", "*", Verdict.ALLOW),
                Rule("the-mill__risky", "*", Verdict.ASK),
                Rule("the-mill__forbidden", "*", Verdict.DENY),
            ),
        ),
    )
)
CONTAINED: Final = replace(RULES, sandbox=SandboxSettings(interpreter=True))
MILL: Final = "from hearth_tools import the_mill\n"


@asynccontextmanager
async def hearth_with(
    home: Path,
    mill: Mill,
    rules: PermissionSettings = RULES,
    agents: AgentSettings | None = None,
) -> AsyncIterator[Live]:
    """A daemon that leaves its interpreters to the next one."""

    def permissions(*_: str) -> PermissionSettings:
        return rules

    async with living(
        home,
        preferences=PLAIN,
        watch=False,
        permissions=permissions,
        agents=lambda directory: agents or usual_agents(directory),
        tools=MILL_TOOLS,
        servers=mill,
    ) as one:
        await one.engine.keep(PNG, "image/png")
        live = Live(one.engine, home)
        try:
            yield live
        finally:
            await live.close()


@pytest.fixture
async def mill() -> Mill:
    return Mill()


@pytest.fixture
async def live(tmp_path: Path, mill: Mill) -> AsyncIterator[Live]:
    try:
        async with hearth_with(tmp_path, mill) as one:
            await one.create()
            yield one
    finally:
        await end_all(tmp_path)


async def run_as(live: Live, origin: Origin, code: str) -> e.Event:
    """What a cell of somebody came to."""
    async with asyncio.timeout(30):
        settled = await settle(live.engine, S, c.RunCell(code), origin)
    assert isinstance(settled, Settled), settled
    await live.catch_up()
    return settled.outcome.event


async def test_a_cell_imports_a_server_and_calls_its_tools(live: Live, mill: Mill) -> None:
    assert await live.value(f"{MILL}the_mill.turn(wheels=3)") == "{'turned': 3}"
    assert mill.called == [("the-mill", "turn", {"wheels": 3})]
    assert await live.value("the_mill.say_it(text='hey')") == "'hey'"
    assert await live.value("await the_mill.turn.aio(wheels=4)") == "{'turned': 4}"
    assert "Turn some wheels." in await live.value("the_mill.turn.__doc__")
    assert "wheels: int" in await live.value(
        "import inspect; str(inspect.signature(the_mill.turn))"
    )
    assert "'the_mill'" in await live.value("import hearth_tools; dir(hearth_tools)")
    failed = raised(await live.run("the_mill.break_()"))
    assert (failed.name, failed.message) == ("ToolError", "a cog is missing")
    failed = raised(await live.run("from hearth_tools import nothing"))
    assert "there are: the_mill" in str(failed.message)
    failed = raised(await live.run("the_mill.turn(wheels='many')"))
    assert "not valid" in str(failed.message)


async def test_what_can_be_read_of_a_tool_is_found_where_people_look(live: Live) -> None:
    await live.run(MILL)
    shown = await live.run("the_mill.turn?")
    assert isinstance(shown, e.CellFinished)
    found = await live.settle(c.InspectCode("the_mill.turn", 13))
    assert isinstance(found, e.InspectionReturned)
    assert "wheels: int" in found.inspection.signature
    assert "Turn some wheels." in found.inspection.doc
    completed = await live.settle(c.CompleteCode("the_mill.tu", 11))
    assert isinstance(completed, e.CompletionsReturned)
    assert [one.label for one in completed.items] == ["turn"]


async def test_who_looks_around_before_it_is_imported_meets_no_trouble(live: Live) -> None:
    for written in ("import hearth_to", "from hearth_tools import th", "import hearth_tools.no"):
        completed = await live.settle(c.CompleteCode(written, len(written)))
        assert isinstance(completed, e.CompletionsReturned)
    for name in ("hearth_tools", "hearth_tools.the_mill", "hearth_tools.nothing"):
        explored = await live.settle(c.ExploreModule(name))
        assert isinstance(explored, e.ExplorationReturned | e.QuestionAbandoned)
    found = await live.settle(c.CheckCode(f"{MILL}the_mill.turn(wheels=1)\n"))
    assert isinstance(found, e.DiagnosticsChecked)
    assert found.diagnostics == ()
    assert not live.of(e.CellToolCalled)


async def test_a_picture_shows_itself(live: Live) -> None:
    ended = await live.run(f"{MILL}the_mill.paint()")
    assert isinstance(ended, e.CellFinished)
    (shown,) = await live.outputs(ended.outputs)
    assert isinstance(shown, RichData)
    assert "image/png" in shown.bundle
    assert await live.value("the_mill.paint().data[:4]") == r"b'\x89PNG'"


async def test_every_call_is_in_the_log_on_behalf_of_who_ran_the_cell(live: Live) -> None:
    await run_as(live, BOT, f"{MILL}the_mill.turn(wheels=3)")
    (kept,) = [one for one in live.envelopes if isinstance(one.event, e.CellToolCalled)]
    called = kept.event
    assert isinstance(called, e.CellToolCalled)
    assert kept.origin == BOT
    assert (called.name, called.cell) == ("the-mill__turn", "c1")
    assert (called.verdict, called.arguments) == (Verdict.ALLOW, '{"wheels":3}')
    assert 'the-mill__* "*": allow' in called.by
    finished = next(one for one in live.envelopes if isinstance(one.event, e.CellFinished))
    assert kept.seq < finished.seq


@pytest.mark.parametrize(
    ("who", "risky"), [(ANN, None), (BOT, "itself, which asks"), (CLIENT, "hearth.jsonc")]
)
async def test_a_person_is_asked_for_by_others_and_what_is_denied_is_denied_to_all(
    live: Live, mill: Mill, who: Origin, risky: str | None
) -> None:
    allowed = await run_as(live, who, f"{MILL}the_mill.turn(wheels=1)")
    assert isinstance(allowed, e.CellFinished)
    asked = await run_as(live, who, "the_mill.risky()")
    if risky is None:
        assert isinstance(asked, e.CellFinished)
    else:
        assert raised(asked).name == "NotAllowed"
        assert risky in str(raised(asked).message)
    denied = raised(await run_as(live, who, "the_mill.forbidden()"))
    assert denied.name == "NotAllowed"
    assert ("the-mill", "forbidden", {}) not in mill.called
    assert (("the-mill", "risky", {}) in mill.called) is (risky is None)


async def test_what_an_agent_left_running_does_not_call_as_the_person(
    live: Live, mill: Mill
) -> None:
    later = (
        f"{MILL}import threading\nmay, tried, said = threading.Event(), threading.Event(), []\n"
        "def later():\n"
        "    may.wait()\n"
        "    try: the_mill.risky()\n"
        "    except Exception as error: said.append(type(error).__name__)\n"
        "    tried.set()\n"
        "threading.Thread(target=later, daemon=True).start()"
    )
    assert isinstance(await run_as(live, BOT, later), e.CellFinished)
    assert await live.value("may.set(); tried.wait(20), said") == "(True, ['NotAllowed'])"
    assert await live.value("the_mill.risky()") == "'done'"
    first, second = live.of(e.CellToolCalled)
    assert (first.cell, first.verdict) == (None, Verdict.ASK)
    assert (second.cell, second.verdict) == ("c3", Verdict.ALLOW)
    assert [one[1] for one in mill.called] == ["risky"]


async def test_who_cancels_a_cell_cancels_its_call(live: Live, mill: Mill) -> None:
    cell = await live.begin(f"{MILL}the_mill.grind()")
    await asyncio.wait_for(mill.begun.wait(), 30)
    await live.submit(c.CancelCell(cell))
    await asyncio.wait_for(mill.stopped.wait(), 30)
    await live.seen(e.CellCancelled)
    assert "nobody waited" in (await live.seen(e.CellToolCalled)).error
    assert await live.value("the_mill.turn(wheels=1)") == "{'turned': 1}"


async def test_and_also_where_it_awaits(live: Live, mill: Mill) -> None:
    cell = await live.begin(f"{MILL}await the_mill.grind.aio()")
    await asyncio.wait_for(mill.begun.wait(), 30)
    await live.submit(c.CancelCell(cell))
    await asyncio.wait_for(mill.stopped.wait(), 30)
    assert (await live.seen(e.CellCancelled)).cell == cell
    called = await live.seen(e.CellToolCalled)
    assert (called.name, called.error) == ("the-mill__grind", STOPPED)


async def test_threads_call_beside_each_other(live: Live, mill: Mill) -> None:
    code = (
        f"{MILL}from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = list(pool.map(lambda n: the_mill.grind(), range(8)))\n"
        "len(found)"
    )
    cell = await live.begin(code)
    await comes_true(lambda: mill.most_at_once == 8)
    mill.go_on.set()
    ended = await live.seen(e.CellFinished)
    assert ended.value == "8"
    assert {one.cell for one in live.of(e.CellToolCalled)} == {cell}


async def test_a_result_that_is_too_large_is_told(live: Live) -> None:
    failed = raised(await live.run(f"{MILL}the_mill.flood(bytes={LARGEST_ANSWER})"))
    assert failed.name == "ToolError"
    assert f"at most {LARGEST_ANSWER}" in str(failed.message)
    assert await live.value(f"len(the_mill.flood(bytes={LARGEST_ANSWER - 100}))") == str(
        LARGEST_ANSWER - 100
    )


@pytest.mark.parametrize("reset", [c.ResetSession, c.HardResetSession])
async def test_it_is_there_after_a_reset(live: Live, reset: Callable[[], c.Command]) -> None:
    await live.run(f"{MILL}import hearth_tools")
    await live.settle(reset())
    assert raised(await live.run("the_mill")).name == "NameError"
    assert await live.value(f"{MILL}the_mill.turn(wheels=1)") == "{'turned': 1}"


async def test_a_forked_copy_calls_by_itself(live: Live, mill: Mill) -> None:
    code = (
        f"{MILL}import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    the_mill.turn(wheels=2)\n"
        "    os._exit(7)\n"
        "os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), the_mill.turn(wheels=1)"
    )
    assert await live.value(code) == "(7, {'turned': 1})"
    assert [one[2]["wheels"] for one in mill.called] == [2, 1]


async def test_the_next_daemon_listens_to_what_it_takes_up(tmp_path: Path, mill: Mill) -> None:
    code = (
        f"{MILL}import hearth_tools\n"
        "try: the_mill.grind()\n"
        "except hearth_tools.ToolError as error: print(error)"
    )
    try:
        async with hearth_with(tmp_path, mill) as live:
            await live.create()
            await live.begin(code)
            await asyncio.wait_for(mill.begun.wait(), 30)
        other = Mill()
        async with hearth_with(tmp_path, other) as live:
            ended = await live.seen(e.CellFinished)
            assert "whether the tool was run is not known" in await live.printed(ended.outputs)
            assert other.called == []
            assert await live.value("the_mill.turn(wheels=1)") == "{'turned': 1}"
            assert other.called == [("the-mill", "turn", {"wheels": 1})]
    finally:
        await end_all(tmp_path)


async def test_a_contained_interpreter_calls_too_and_trusts_nobody_once_it_is_shared(
    tmp_path: Path, mill: Mill
) -> None:
    project = tmp_path / "project"
    await asyncio.to_thread(project.mkdir)
    home = tmp_path / "home"
    try:
        async with hearth_with(home, mill, CONTAINED) as live:
            await live.create(config=c.SessionConfig(directory=str(project)))
            assert await live.value(f"{MILL}the_mill.risky()") == "'done'"
            cell = await live.begin("the_mill.grind()")
            await asyncio.wait_for(mill.begun.wait(), 30)
            await live.submit(c.CancelCell(cell))
            await asyncio.wait_for(mill.stopped.wait(), 30)
            await live.seen(e.CellCancelled)
            await run_as(live, BOT, "1")
            assert raised(await live.run("the_mill.risky()")).name == "NotAllowed"
            assert await live.value("the_mill.turn(wheels=1)") == "{'turned': 1}"
    finally:
        await end_all(home)


async def test_code_that_has_not_the_key_or_talks_nonsense_gets_nothing(
    live: Live, mill: Mill
) -> None:
    (folder,) = live.folders()
    path = folder.inside / SOCKET
    assert len(str(path).encode()) < 107
    talk = (
        "import socket\n"
        "with socket.socket(socket.AF_UNIX) as one:\n"
        f"    one.connect({str(path)!r}); one.recv(1000)\n"
        "    one.sendall({sent}); found = one.recv(1000)\n"
        "found[4:].decode()"
    )
    question = b'{"ask":"call","server":"the-mill","tool":"turn","arguments":{},"cell":"cell:c1"}'
    sent = len(question).to_bytes(4, "big") + question
    assert "another key" in await live.value(talk.format(sent=repr(sent)).replace("{sent}", ""))
    assert "no question" in await live.value(talk.format(sent=repr(b"\0\0\0\1x")))
    assert "bytes" in await live.value(talk.format(sent=repr(b"GET / HTTP/1.1\r\n\r\n")))
    assert mill.called == []
    assert await live.value(f"{MILL}the_mill.turn(wheels=1)") == "{'turned': 1}"
    assert isinstance(live.of(e.CellToolCalled)[0].cell, str)


async def test_a_replayed_cell_does_not_call_as_the_person(live: Live, mill: Mill) -> None:
    await run_as(live, BOT, "kept = 1")
    await live.run(f"{MILL}kept = the_mill.risky()")
    await live.settle(c.HardResetSession())
    replayed = await live.settle(c.ReplaySession())
    assert isinstance(replayed, e.SessionReplayed)
    assert [one[1] for one in mill.called] == ["risky"]
    assert [one.verdict for one in live.of(e.CellToolCalled)] == [Verdict.ALLOW, Verdict.ASK]


RISKY: Final = (
    f"{MILL}import hearth_tools\n"
    "try: said = the_mill.risky()\n"
    "except hearth_tools.NotAllowed as error: said = str(error)\n"
    "said"
)


class TestAnAgentsCodeAsks:
    """A person is asked while the cell of an agent's `run_code` waits."""

    @pytest.fixture
    async def live(self, tmp_path: Path, mill: Mill) -> AsyncIterator[Live]:
        script = tmp_path / "script.json"
        calls = [{"name": "run_code", "arguments": {"code": RISKY}}]
        await asyncio.to_thread(
            script.write_text, json.dumps([{"calls": calls}, {"calls": calls}, {"text": "done"}])
        )
        home = tmp_path / "home"
        agents = AgentSettings(f"scripted:{script}", max_steps=10)
        try:
            async with hearth_with(home, mill, agents=agents) as one:
                await one.create()
                await one.submit(p.SendMessage("turn it"))
                yield one
        finally:
            await end_all(home)

    async def test_a_yes_lets_the_cell_go_on(self, live: Live, mill: Mill) -> None:
        asked = await live.seen(e.ApprovalRequested)
        assert (asked.name, asked.details) == ("the-mill__risky", "{}")
        assert asked.inside
        assert mill.called == []
        await live.submit(p.AnswerApproval(asked.approval, p.ApprovalAnswer.ONCE))
        assert (await live.seen(e.CellFinished)).value == "'done'"
        assert mill.called == [("the-mill", "risky", {})]
        called = await live.seen(e.CellToolCalled)
        assert (called.verdict, called.by) == (Verdict.ALLOW, "a person allowed it")
        # Once was once: the next step asks again.
        again = await live.seen(e.ApprovalRequested, count=2)
        await live.submit(p.AnswerApproval(again.approval, p.ApprovalAnswer.REJECT, "enough"))
        said = (await live.seen(e.CellFinished, count=2)).value
        assert "the person said no. They say: enough" in str(said)
        await live.seen(e.TurnFinished)
        assert len(mill.called) == 1

    async def test_for_the_session_is_asked_once(self, live: Live, mill: Mill) -> None:
        asked = await live.seen(e.ApprovalRequested)
        assert [one.pattern for one in asked.offers] == ["risky"]
        session = p.ApprovalAnswer.SESSION
        await live.submit(p.AnswerApproval(asked.approval, session, patterns=("risky",)))
        await live.seen(e.TurnFinished)
        assert len(live.of(e.ApprovalRequested)) == 1
        assert len(mill.called) == 2
        assert live.of(e.CellToolCalled)[1].by == "a person allowed it for this session"

    async def test_who_cancels_the_cell_need_not_answer(self, live: Live, mill: Mill) -> None:
        asked = await live.seen(e.ApprovalRequested)
        await live.submit(c.CancelCell(CellId("c1")))
        gone = await live.seen(e.ApprovalAnswered)
        assert (gone.approval, gone.answer) == (asked.approval, p.ApprovalAnswer.REJECT)
        await live.seen(e.CellCancelled)
        await live.seen(e.ApprovalRequested, count=2)
        assert mill.called == []

    async def test_who_cancels_the_turn_stops_the_cell(self, live: Live, mill: Mill) -> None:
        await live.seen(e.ApprovalRequested)
        await live.submit(p.CancelTurn())
        await live.seen(e.TurnFinished)
        await live.until(lambda: [*live.of(e.CellCancelled), *live.of(e.CellFinished)])
        assert mill.called == []
        assert await live.value("1 + 1") == "2"


async def test_what_was_asked_is_not_asked_by_the_next_daemon(tmp_path: Path, mill: Mill) -> None:
    home, script = tmp_path / "home", tmp_path / "script.json"
    calls = [{"name": "run_code", "arguments": {"code": RISKY.replace("NotAllowed", "ToolError")}}]
    await asyncio.to_thread(script.write_text, json.dumps([{"calls": calls}, {"text": "done"}]))
    agents = AgentSettings(f"scripted:{script}", max_steps=10)
    try:
        async with hearth_with(home, mill, agents=agents) as live:
            await live.create()
            await live.submit(p.SendMessage("turn it"))
            await live.seen(e.ApprovalRequested)
        async with hearth_with(home, mill, agents=agents) as live:
            await live.seen(e.TurnFinished)
            assert len(live.of(e.ApprovalRequested)) == 1
            assert len(live.of(e.ApprovalAnswered)) == 1
            (ended,) = live.of(e.CellFinished)
            assert "whether the tool was run is not known" in str(ended.value)
        assert mill.called == []
    finally:
        await end_all(home)


async def test_a_real_server_is_called_from_code_and_ends_with_the_daemon(tmp_path: Path) -> None:
    fakes = await asyncio.to_thread(Fakes, tmp_path)
    servers = McpSettings({"my-fake": fakes.spec(name="my-fake")})
    rules = PermissionSettings(
        layers=(Layer("mine", (Rule("mcp", "my-fake__echo", Verdict.ALLOW),)),)
    )
    fake, home = "from hearth_tools import my_fake\n", tmp_path / "hearth"
    try:
        async with living(
            home,
            preferences=PLAIN,
            watch=False,
            permissions=lambda *_: rules,
            mcp=lambda _: servers,
        ) as one:
            live = Live(one.engine, home)
            await live.create()
            assert await live.value(f"{fake}my_fake.echo(text='hey')") == "'hey'"
            assert (await live.value("my_fake.picture()")).startswith("<Picture image/png")
            assert await live.value("my_fake.picture().data[:4]") == r"b'\x89PNG'"
            assert raised(await live.run("my_fake.fail()")).message == "it did not work"
            assert "ended in the middle" in str(raised(await live.run("my_fake.crash()")).message)
            cell = await live.begin("my_fake.slow()")
            await fakes.until_noted("slow")
            await live.submit(c.CancelCell(cell))
            await live.seen(e.CellCancelled)
            await fakes.until_noted("cancelled")
            echoed = await run_as(live, BOT, "my_fake.echo(text='mine')")
            assert isinstance(echoed, e.CellFinished)
            refused = raised(await run_as(live, BOT, "my_fake.token()"))
            assert refused.name == "NotAllowed"
            assert "mcp my-fake__token" in str(refused.message)
            await live.close()
    finally:
        await end_all(home)
    for pid in fakes.noted("start"):
        assert not psutil.pid_exists(pid)
