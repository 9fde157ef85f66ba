"""How a call from code is judged, run and told of."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace
from tests.performers.cell_tools.mill import PNG, Mill

from hearth.core.rules.cell_calls import Caller
from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.judging import JudgeCall
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.performers.cell_tools.calling import LONGEST_TOLD, Answered, Calling, ToolsInCells, Used
from hearth.performers.tools.tool import Outcome, Scene

S, C1 = SessionId("session-a"), CellId("c1")
BARE = SessionConfig(directory="/", mode=SessionMode.BARE)
AGENT = Caller(BARE, C1, "bot")
PERSON = replace(AGENT, agent="", is_person=True)


@dataclass(frozen=True)
class Found:
    """What judging found out."""

    judged: tuple[Judged, ...] = ()
    problem: str = ""


class Room:
    """A mill, whoever calls it, and what was told of that."""

    def __init__(self) -> None:
        self.mill = Mill()
        self.caller: Caller | None = AGENT
        self.found: Callable[[JudgeCall], Found] = lambda _: Found()
        self.judged: list[JudgeCall] = []
        self.used: list[Used] = []
        self.asked: list[tuple[str, str, tuple[Judged, ...]]] = []
        self.says_person = Answered(allowed=True)
        self.meanwhile: Callable[[], None] = lambda: None
        self.tools = ToolsInCells(
            self.mill, judge=self._judge, whose=self._whose, clean=_clean, fetch=_fetch
        )

    def says(self, verdict: Verdict) -> None:
        need = Need("the-mill__turn", "turn")
        self.found = lambda _: Found((Judged(need, verdict, "a rule"),))

    async def ask(self, **question: Any) -> dict[str, Any]:
        calling = Calling(S, C1, contained=True, tell=self.used.append, ask=self._ask)
        answer: dict[str, Any] = json.loads(await self.tools.answer(calling, question))
        return answer

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await self.ask(ask="call", server="the-mill", tool=tool, arguments=arguments)

    async def _ask(self, used: Used, arguments: str, judged: tuple[Judged, ...]) -> Answered:
        self.asked.append((used.name, arguments, judged))
        self.meanwhile()
        return self.says_person

    def _judge(self, _: SessionId, effect: JudgeCall) -> Found:
        self.judged.append(effect)
        return self.found(effect)

    def _whose(self, session: SessionId, cell: CellId | None, contained: bool) -> Caller | None:  # noqa: FBT001 - asked by place
        assert (session, cell, contained) == (S, C1, True)
        return self.caller


def _clean(text: str) -> str:
    return text.replace("s3cret", "[redacted]")


async def _fetch(_: str) -> bytes:
    return PNG


@pytest.fixture
def room() -> Room:
    return Room()


async def test_what_there_is_is_listed_with_what_is_wrong(room: Room) -> None:
    room.mill.problems = ("the loom cannot be started",)
    told = await room.ask(ask="catalogue")
    assert list(told["servers"]) == ["the-mill"]
    assert told["problems"] == ["the loom cannot be started"]
    assert room.used == []


async def test_a_call_is_judged_as_the_agents_own_and_told_of(room: Room) -> None:
    assert (await room.call("turn", wheels=3))["structured"] == {"turned": 3}
    (judged,) = room.judged
    assert (judged.name, judged.arguments) == ("the-mill__turn", '{"wheels":3}')
    assert (judged.agent, judged.config, judged.keep) == ("bot", BARE, False)
    (used,) = room.used
    assert (used.name, used.verdict, used.error) == ("the-mill__turn", Verdict.ALLOW, "")
    assert used.arguments == '{"wheels":3}'


async def test_what_needs_a_person_is_not_run_and_says_what_helps(room: Room) -> None:
    room.says(Verdict.ASK)
    told = (await room.call("turn", wheels=3))["error"]
    assert told["kind"] == "not_allowed"
    assert "call the tool the-mill__turn itself" in told["text"]
    assert "hearth.jsonc" in told["text"]
    assert room.mill.called == []
    assert (room.used[0].verdict, room.used[0].error) == (Verdict.ASK, told["text"])
    room.caller = replace(AGENT, agent="")
    assert "call the tool" not in (await room.call("turn", wheels=3))["error"]["text"]


class TestAsking:
    @pytest.fixture
    def room(self) -> Room:
        made = Room()
        made.caller = replace(AGENT, can_ask=True)
        made.says(Verdict.ASK)
        return made

    async def test_where_a_person_can_be_asked_they_are_and_a_yes_runs_it(self, room: Room) -> None:
        assert (await room.call("turn", wheels=3))["structured"] == {"turned": 3}
        ((name, arguments, judged),) = room.asked
        assert (name, arguments) == ("the-mill__turn", '{"wheels":3}')
        assert judged[0].verdict is Verdict.ASK
        assert (room.used[0].verdict, room.used[0].by) == (Verdict.ALLOW, "a person allowed it")

    async def test_a_no_is_told_with_what_they_say(self, room: Room) -> None:
        room.says_person = Answered(allowed=False, why="the person said no. Not on a Sunday")
        told = (await room.call("turn", wheels=3))["error"]
        assert told["kind"] == "not_allowed"
        assert "Not on a Sunday" in told["text"]
        assert room.mill.called == []
        assert room.used[0].verdict is Verdict.DENY

    async def test_what_is_denied_meanwhile_is_not_run(self, room: Room) -> None:
        room.meanwhile = lambda: room.says(Verdict.DENY)
        assert (await room.call("turn", wheels=3))["error"]["kind"] == "not_allowed"
        assert room.mill.called == []

    async def test_what_needs_something_else_by_then_is_not_run(self, room: Room) -> None:
        other = Judged(Need("the-mill__turn", "turn", why="it changed"), Verdict.ASK)

        def change() -> None:
            room.found = lambda _: Found((other,))

        room.meanwhile = change
        told = (await room.call("turn", wheels=3))["error"]
        assert told["kind"] == "not_allowed"
        assert "it changed" in told["text"]
        assert room.mill.called == []

    async def test_what_cannot_be_run_at_all_by_then_says_why(self, room: Room) -> None:
        def vanish() -> None:
            room.found = lambda _: Found(problem="it is gone")

        room.meanwhile = vanish
        assert (await room.call("turn", wheels=3))["error"]["text"] == "it is gone"
        assert room.mill.called == []

    async def test_what_is_allowed_or_denied_is_not_asked(self, room: Room) -> None:
        for verdict in (Verdict.ALLOW, Verdict.DENY):
            room.says(verdict)
            await room.call("turn", wheels=3)
        assert room.asked == []


async def test_a_persons_cell_is_not_asked_about_but_can_be_denied(room: Room) -> None:
    room.caller = PERSON
    room.says(Verdict.ASK)
    assert (await room.call("say-it", text="hey"))["text"] == "hey"
    room.says(Verdict.DENY)
    told = (await room.call("say-it", text="hey"))["error"]
    assert told["kind"] == "not_allowed"
    assert "a rule" in told["text"]
    assert len(room.mill.called) == 1


async def test_what_cannot_be_run_at_all_says_why(room: Room) -> None:
    room.found = lambda _: Found(problem="The arguments are not valid: wheels is missing.")
    told = (await room.call("turn"))["error"]
    assert told == {"kind": "failed", "text": "The arguments are not valid: wheels is missing."}
    assert room.mill.called == []


@pytest.mark.parametrize(
    ("server", "tool", "why"),
    [
        ("the-mill", "fly", "the-mill has no tool 'fly' now"),
        ("loom", "weave", "no MCP server 'loom' is set up for this session now; it broke"),
        ("hearth", "run_code", "no MCP server 'hearth'"),
        ("", "", "no MCP server ''"),
    ],
)
async def test_only_tools_of_servers_that_are_there_can_be_called(
    room: Room, server: str, tool: str, why: str
) -> None:
    room.mill.problems = ("it broke",)
    told = (await room.ask(ask="call", server=server, tool=tool, arguments={}))["error"]
    assert told["kind"] == "not_available"
    assert why in told["text"]
    assert room.judged == []
    assert room.used[0].error == told["text"]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "tokens"},
        {"ask": "call"},
        {"ask": "call", "server": "the-mill", "tool": "turn", "arguments": [1]},
        {"ask": "call", "server": 1, "tool": "turn", "arguments": {}},
    ],
)
async def test_nothing_else_can_be_asked(room: Room, question: dict[str, Any]) -> None:
    told = (await room.ask(**question))["error"]
    assert told["kind"] == "not_available"
    assert room.mill.called == []
    assert room.used == []


async def test_a_session_that_is_not_there_has_no_tools(room: Room) -> None:
    room.caller = None
    assert "no session" in (await room.call("turn"))["error"]["text"]


async def test_pictures_are_fetched_and_failures_told(room: Room) -> None:
    assert (await room.call("paint"))["pictures"][0]["media_type"] == "image/png"
    assert (await room.call("break"))["error"] == {"kind": "failed", "text": "a cog is missing"}
    assert room.used[1].error == "a cog is missing"


async def test_secrets_are_neither_told_nor_sent_back(room: Room) -> None:
    assert (await room.call("say-it", text="a s3cret"))["text"] == "a [redacted]"
    assert room.mill.called[0][2] == {"text": "a s3cret"}
    assert "s3cret" not in room.used[0].arguments


async def test_of_long_arguments_the_beginning_is_told(room: Room) -> None:
    await room.call("say-it", text="x" * 10_000)
    assert len(room.used[0].arguments) == LONGEST_TOLD


async def test_who_stops_waiting_stops_the_tool_and_that_is_told(room: Room) -> None:
    asking = asyncio.create_task(room.call("grind"))
    await asyncio.wait_for(room.mill.begun.wait(), 20)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert room.mill.stopped.is_set()
    assert "nobody waited" in room.used[0].error


async def test_a_defect_is_an_answer(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fall(*_: Any) -> Outcome:
        raise RuntimeError("a defect")

    monkeypatch.setattr(room.mill, "call", fall)
    told = (await room.call("turn", wheels=1))["error"]
    assert told["kind"] == "failed"
    assert "RuntimeError: a defect" in told["text"]
    assert room.used[0].error == told["text"]

    def fall_too(_: Scene) -> Any:
        raise RuntimeError("another")

    monkeypatch.setattr(room.mill, "catalogue", fall_too)
    assert "another" in (await room.ask(ask="catalogue"))["error"]["text"]
