import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ErrorData, ListRootsRequest, ListRootsResult
from tests.servers.mcp.protocol.talking import ERAS, MODERN, Served, call, raw, said_in, text

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.eliciting import CannotAsk, Question

NAME = Question("Your name?", {"properties": {"name": {"type": "string"}}, "required": ["name"]})


async def greet(caller: Caller, _: dict[str, Any]) -> Any:
    runs = int(caller.notes.get("runs", "0")) + 1
    caller.notes["runs"] = str(runs)
    try:
        answer = await caller.elicit("name", NAME)
        if not answer.is_yes:
            return text(f"not told: {answer.action}")
        more = await caller.elicit("sure", Question("Sure?"))
    except CannotAsk as why:
        return text(f"cannot ask: {why}", is_error=True)
    return text(f"hello {answer.content['name']}, {more.action}, {runs}")


def answering(*answers: ElicitResult | ErrorData) -> Any:
    left = list(answers)

    async def answer(_: Any, params: Any) -> ElicitResult | ErrorData:
        assert params.message
        return left.pop(0)

    return answer


ANN = ElicitResult(action="accept", content={"name": "ann"})


@pytest.mark.parametrize("mode", ERAS)
async def test_a_person_is_asked_in_both_eras_in_the_same_words(mode: str) -> None:
    answers = answering(ANN, ElicitResult(action="decline"))
    async with Served(greet).client(mode, elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
    runs = 3 if mode == MODERN else 1
    assert said_in(result) == f"hello ann, decline, {runs}"


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_no_is_a_no(mode: str, action: Any) -> None:
    answers = answering(ElicitResult(action=action))
    async with Served(greet).client(mode, elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
    assert said_in(result) == f"not told: {action}"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_cannot_be_asked_is_not_asked_and_it_is_said_why(mode: str) -> None:
    async with Served(greet).client(mode) as client:
        result = await client.call_tool("tool", {})
    assert result.is_error
    said = "cannot ask: the client did not declare elicitation"
    assert said_in(result) == said


async def test_an_earlier_client_that_answers_nonsense_is_asked_a_few_times() -> None:
    bad = ElicitResult(action="accept", content={"name": 7})
    answers = answering(bad, ANN, ElicitResult(action="accept"))
    async with Served(greet).client("legacy", elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
        assert "hello ann" in said_in(result)
    async with Served(greet).client("legacy", elicitation_callback=answering(bad, bad, bad)) as two:
        result = await two.call_tool("tool", {})
        assert "does not fit" in said_in(result)


async def test_an_earlier_client_that_fails_to_ask_is_reported() -> None:
    answers = answering(ErrorData(code=-32000, message="nobody is there"))
    async with Served(greet).client("legacy", elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
    assert "nobody is there" in said_in(result)


async def test_the_state_of_a_call_is_sealed_and_of_this_call_and_principal_alone() -> None:
    served = Served(greet)
    async with (
        served.client(MODERN, "ann", elicitation_callback=answering()) as ann,
        served.client(MODERN, "bob", elicitation_callback=answering()) as bob,
    ):
        back = await call(ann)
        assert back["resultType"] == "input_required"
        state = back["requestState"]
        assert "runs" not in state
        more = {"inputResponses": {"name": {"action": "accept", "content": {"name": "x"}}}}
        assert (await call(ann, requestState=state, **more))["resultType"] == "input_required"
        flipped = state[:-2] + ("A" if state[-2] != "A" else "B") + state[-1]
        with pytest.raises(MCPError, match="Invalid or expired"):
            await call(ann, requestState=flipped, **more)
        with pytest.raises(MCPError, match="Invalid or expired"):
            await call(bob, requestState=state, **more)
        with pytest.raises(MCPError, match="Invalid or expired"):
            await raw(
                ann, "tools/call", name="tool", arguments={"other": 1}, requestState=state, **more
            )


async def test_what_is_not_elicitation_is_asked_in_both_eras_too() -> None:
    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        said = await caller.ask({"roots": ListRootsRequest()})
        result = said["roots"]
        assert isinstance(result, ListRootsResult)
        return text(str(len(result.roots)))

    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[])

    for mode in ERAS:
        async with Served(does).client(mode, list_roots_callback=roots) as client:
            result = await client.call_tool("tool", {})
            assert said_in(result) == "0"


async def test_a_caller_is_who_the_door_says_and_calls_itself_what_it_says() -> None:
    callers: list[Caller] = []

    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        callers.append(caller)
        return text("")

    served = Served(does)
    async with served.client(MODERN, "ann", tasks=True) as ann, served.client("legacy") as two:
        await call(ann)
        await call(two)
    first, second = callers
    assert first.principal == "ann"
    assert first.client == ("ann", "1")
    assert (first.has_tasks, second.has_tasks) == (True, False)
    assert (first.is_modern, second.is_modern) == (True, False)
    assert first.cannot_elicit == "the client did not declare elicitation"
    assert first.ended == ""


async def test_nobody_answering_within_the_time_ends_the_asking() -> None:
    async def does(caller: Caller, _: dict[str, Any]) -> Any:
        try:
            await caller.elicit("name", NAME, within=0.01)
        except CannotAsk as why:
            return text(str(why))
        return text("told")

    async def never(*_: Any) -> ElicitResult:
        await asyncio.Event().wait()
        raise AssertionError

    async with Served(does).client("legacy", elicitation_callback=never) as client:
        result = await client.call_tool("tool", {})
    assert "did not ask" in said_in(result)
