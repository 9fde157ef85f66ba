"""Fixtures of the suite that tell, ask or take long, through the caller as tools of hearth do."""

import asyncio
import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitResult,
    InputRequest,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from tests.conformance.fixtures import PLAIN, Fixture, said

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.eliciting import CannotAsk, Question
from hearth.servers.mcp.protocol.erring import lacks
from hearth.servers.mcp.protocol.wiring import Wire

Given = Mapping[str, Any]


def form(message: str, **properties: dict[str, Any]) -> Question:
    return Question(message, {"properties": properties, "required": list(properties)})


NAME: Final = form("What is your name?", name={"type": "string"})


async def pause(seconds: float) -> None:
    """For as long, unless the work is ended before."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()


def sampling(prompt: str, tokens: int = 100) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    params = CreateMessageRequestParams(messages=[message], max_tokens=tokens)
    return CreateMessageRequest(params=params)


def sampled(result: Any) -> str:
    assert isinstance(result, CreateMessageResult)
    return str(getattr(result.content, "text", ""))


# -- telling ----------------------------------------------------------------------------------


async def progress(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    for done in (0, 50, 100):
        await caller.report(done, 100)
        await pause(0.02)
    return said("done")


async def logging(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The suite asks for what is deprecated by now.
            await caller.asked.session.send_log_message(
                "info", text, "fixture", caller.asked.request_id
            )
        await pause(0.02)
    return said("done")


async def tools_change(wire: Wire, _: Caller, __: Given) -> CallToolResult:
    wire.subscriptions.listed("tools")
    return said("done")


async def prompts_change(wire: Wire, _: Caller, __: Given) -> CallToolResult:
    wire.subscriptions.listed("prompts")
    return said("done")


# -- asking -----------------------------------------------------------------------------------


async def sample(_: Wire, caller: Caller, given: Given) -> CallToolResult:
    try:
        answers = await caller.ask({"prompt": sampling(given["prompt"])})
    except CannotAsk as why:
        return said(str(why), is_error=True)
    return said(f"LLM response: {sampled(answers['prompt'])}")


async def needs_sampling(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    if (why := caller.cannot(sampling("?"))) is not None:
        raise lacks({"sampling": {}}, why)
    return said("done")


async def elicit(_: Wire, caller: Caller, given: Given) -> CallToolResult:
    question = form(given["message"], username={"type": "string"}, email={"type": "string"})
    return await _elicited(caller, question, "User response: ")


async def defaults(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicited(caller, Question("Please", {"properties": properties}))


async def enums(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    plain = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
    properties = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await _elicited(caller, Question("Please", {"properties": properties}))


async def _elicited(
    caller: Caller, question: Question, before: str = "Elicitation completed: "
) -> CallToolResult:
    try:
        answer = await caller.elicit("answer", question)
    except CannotAsk as why:
        return said(str(why), is_error=True)
    return said(f"{before}action={answer.action}, content={json.dumps(dict(answer.content))}")


async def ask_name(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    answer = await caller.elicit("user_name", replace(NAME, foreseeable=True))
    return said(f"Hello, {answer.content.get('name')}!")


async def ask_model(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    answers = await caller.ask({"capital_question": sampling("What is the capital of France?")})
    return said(sampled(answers["capital_question"]))


async def ask_roots(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    answers = await caller.ask({"client_roots": ListRootsRequest()})
    roots = answers["client_roots"]
    assert isinstance(roots, ListRootsResult)
    return said(", ".join(str(one.uri) for one in roots.roots))


async def ask_with_state(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    known = caller.notes.get("state")
    caller.notes["state"] = "mine"
    await caller.elicit("confirm", form("Please confirm", ok={"type": "boolean"}))
    return said("state-ok" if known == "mine" else "state lost")


async def ask_several(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    answers = await caller.ask(
        {
            "user_name": NAME.as_request(),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        }
    )
    return said(f"{len(answers)} answers")


async def ask_twice(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    first = await caller.elicit("step1", form("Step 1: your name?", name={"type": "string"}))
    colour = form("Step 2: your colour?", color={"type": "string"})
    second = await caller.elicit("step2", colour)
    return said(f"{first.content.get('name')} likes {second.content.get('color')}")


async def ask_what_they_can(_: Wire, caller: Caller, __: Given) -> CallToolResult:
    wants: dict[str, InputRequest] = {
        "user_name": NAME.as_request(),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": ListRootsRequest(),
    }
    can = {key: one for key, one in wants.items() if caller.cannot(one) is None}
    answers = await caller.ask(can)
    return said(f"{len(answers)} answers")


# -- taking long ------------------------------------------------------------------------------


async def greet(_: Wire, __: Caller, given: Given) -> CallToolResult:
    return said(f"Hello, {given.get('name')}!")


async def compute(wire: Wire, caller: Caller, given: Given) -> Any:
    async def work() -> CallToolResult:
        await pause(float(given.get("seconds", 0)) / 4)
        return said(f"computed {given.get('label')}")

    return await wire.tasks.run(caller, work)


async def fail(wire: Wire, caller: Caller, _: Given) -> Any:
    async def work() -> CallToolResult:
        await pause(0.05)
        return said("it failed", is_error=True)

    return await wire.tasks.run(caller, work, required=True)


async def break_protocol(wire: Wire, caller: Caller, _: Given) -> Any:
    async def work() -> CallToolResult:
        await pause(0.05)
        raise MCPError(-32603, "broken for testing")

    return await wire.tasks.run(caller, work)


async def confirm_delete(wire: Wire, caller: Caller, given: Given) -> Any:
    async def work() -> CallToolResult:
        question = form(f"Delete {given.get('filename')}?", confirm={"type": "boolean"})
        answer = await caller.elicit("confirm", question)
        return said("deleted" if answer.content.get("confirm") else "kept")

    return await wire.tasks.run(caller, work)


async def ask_both(wire: Wire, caller: Caller, _: Given) -> Any:
    async def work() -> CallToolResult:
        wants = {key: Question(f"{key}?").as_request() for key in ("first", "second")}
        answers = await caller.ask(wants)
        said_yes = [isinstance(one, ElicitResult) for one in answers.values()]
        return said(f"{len(said_yes)} answers")

    return await wire.tasks.run(caller, work)


async def ask_then_task(wire: Wire, caller: Caller, _: Given) -> Any:
    answer = await caller.elicit("user_name", NAME)

    async def work() -> CallToolResult:
        await pause(0.05)
        return said(f"Hello, {answer.content.get('name')}!")

    return await wire.tasks.run(caller, work, required=True)


def _takes(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
    }


ALL: Final = (
    *PLAIN,
    Fixture("test_tool_with_progress", progress),
    Fixture("test_tool_with_logging", logging),
    Fixture("test_logging_tool", logging),
    Fixture("test_trigger_tool_change", tools_change),
    Fixture("test_trigger_prompt_change", prompts_change),
    Fixture("test_sampling", sample, _takes(prompt="string")),
    Fixture("test_missing_capability", needs_sampling),
    Fixture("test_elicitation", elicit, _takes(message="string")),
    Fixture("test_streaming_elicitation", ask_name),
    Fixture("test_elicitation_sep1034_defaults", defaults),
    Fixture("test_elicitation_sep1330_enums", enums),
    Fixture("test_input_required_result_elicitation", ask_name),
    Fixture("test_input_required_result_sampling", ask_model),
    Fixture("test_input_required_result_list_roots", ask_roots),
    Fixture("test_input_required_result_request_state", ask_with_state),
    Fixture("test_input_required_result_tampered_state", ask_with_state),
    Fixture("test_input_required_result_multiple_inputs", ask_several),
    Fixture("test_input_required_result_multi_round", ask_twice),
    Fixture("test_input_required_result_capabilities", ask_what_they_can),
    Fixture("greet", greet, _takes(name="string")),
    Fixture("slow_compute", compute, _takes(seconds="number", label="string")),
    Fixture("failing_job", fail),
    Fixture("protocol_error_job", break_protocol),
    Fixture("confirm_delete", confirm_delete, _takes(filename="string")),
    Fixture("multi_input", ask_both),
    Fixture("test_tool_with_task", ask_then_task),
)
