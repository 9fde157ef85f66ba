import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY
from tests.servers.mcp.protocol.talking import MODERN, Served, call, raw, text

from hearth.servers.mcp.protocol.caller import Caller
from hearth.servers.mcp.protocol.eliciting import Question

Look = Callable[[dict[str, Any]], bool]


class Bench:
    """A tool whose work goes on until the test lets it."""

    def __init__(self, **how: Any) -> None:
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.over = asyncio.Event()
        self.ended: list[str] = []
        self.callers: list[Caller] = []
        self.how: dict[str, Any] = how
        self.work: Callable[[Caller], Awaitable[Any]] = self.wait
        self.served = Served(self.does)
        self.told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        inner = self.served.wire.tasks._tell
        assert inner is not None

        def tell(task_id: str, principal: str, task: dict[str, Any]) -> None:
            self.told.put_nowait(task)
            inner(task_id, principal, task)

        self.served.wire.tasks._tell = tell

    async def does(self, caller: Caller, _: dict[str, Any]) -> Any:
        self.callers.append(caller)
        return await self.served.wire.tasks.run(caller, lambda: self.work(caller), **self.how)

    async def wait(self, caller: Caller) -> Any:
        self.begun.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended.append(caller.ended)
            self.over.set()
            raise
        return text("done")

    async def until(self, *statuses: str) -> dict[str, Any]:
        """The next time that the task is in one of these."""
        async with asyncio.timeout(10):
            while True:
                task = await self.told.get()
                if task["status"] in statuses:
                    return task


async def test_work_that_is_over_in_time_is_answered_as_if_there_were_no_tasks() -> None:
    bench = Bench(after=10.0)
    bench.go.set()
    async with bench.served.client(MODERN, tasks=True) as client:
        answer = await call(client)
    assert answer["resultType"] == "complete"
    assert answer["content"][0]["text"] == "done"
    assert "taskId" not in answer
    assert bench.told.empty()


async def test_longer_work_becomes_a_task_that_is_there_before_the_client_hears_of_it() -> None:
    bench = Bench(after=0.01)
    async with bench.served.client(MODERN, tasks=True) as client:
        made = await call(client)
        assert made["resultType"] == "task"
        assert made["status"] == "working"
        assert "result" not in made
        assert "requestState" not in made
        assert len(made["taskId"]) >= 32
        assert made["ttlMs"] > 0
        seen = await raw(client, "tasks/get", taskId=made["taskId"])
        assert seen["resultType"] == "complete"
        assert seen["status"] == "working"
        bench.go.set()
        await bench.until("completed")
        over = await raw(client, "tasks/get", taskId=made["taskId"])
    assert over["status"] == "completed"
    assert over["result"]["content"][0]["text"] == "done"
    assert over["createdAt"] == made["createdAt"]
    assert over["lastUpdatedAt"] >= made["lastUpdatedAt"]


async def test_without_the_extension_nothing_becomes_a_task() -> None:
    bench = Bench(after=0.01)
    async with bench.served.client(MODERN) as client:
        calling = asyncio.create_task(call(client))
        await bench.begun.wait()
        bench.go.set()
        answer = await calling
        assert answer["resultType"] == "complete"
        with pytest.raises(MCPError) as caught:
            await raw(client, "tasks/get", taskId="x")
    assert caught.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert caught.value.data["requiredCapabilities"]["extensions"]


async def test_an_earlier_client_has_no_tasks_and_no_methods_for_them() -> None:
    bench = Bench(after=0.01)
    bench.go.set()
    async with bench.served.client("legacy", tasks=True) as client:
        answer = await call(client)
        assert answer["content"][0]["text"] == "done"
        with pytest.raises(MCPError, match="Method not found"):
            await raw(client, "tasks/get", taskId="x")


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_who_cannot_have_a_task_is_given_another_answer_in_time(mode: str) -> None:
    async def handle() -> Any:
        return text("here is a handle")

    bench = Bench(after=0.01, otherwise=handle)
    async with bench.served.client(mode) as client:
        answer = await call(client)
    assert answer["content"][0]["text"] == "here is a handle"
    assert bench.ended == ["waited"]


async def test_what_must_be_a_task_is_refused_to_others_before_anything_is_done() -> None:
    bench = Bench(required=True)
    async with bench.served.client(MODERN) as client:
        with pytest.raises(MCPError) as caught:
            await call(client)
    assert caught.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert not bench.begun.is_set()


async def test_cancelling_ends_the_work_and_cancelling_again_changes_nothing() -> None:
    bench = Bench()
    async with bench.served.client(MODERN, tasks=True) as client:
        made = await call(client)
        await bench.begun.wait()
        answer = await raw(client, "tasks/cancel", taskId=made["taskId"])
        assert set(answer) <= {"resultType", "_meta"}
        await bench.until("cancelled")
        assert bench.ended == ["cancelled"]
        await raw(client, "tasks/cancel", taskId=made["taskId"])
        over = await raw(client, "tasks/get", taskId=made["taskId"])
    assert over["status"] == "cancelled"
    assert "result" not in over


async def test_a_client_that_hangs_up_before_there_is_a_task_ends_the_work() -> None:
    bench = Bench(after=60.0)
    async with bench.served.client(MODERN, tasks=True) as client:
        calling = asyncio.create_task(call(client))
        await bench.begun.wait()
        calling.cancel()
        await asyncio.wait({calling})
        await asyncio.wait_for(bench.over.wait(), 10)
    assert bench.ended == ["gone"]


async def test_errors_of_the_tool_complete_a_task_and_those_of_the_protocol_fail_it() -> None:
    async def refused(_: Caller) -> Any:
        return text("no", is_error=True)

    async def broken(_: Caller) -> Any:
        raise RuntimeError("the secret inside")

    async def invalid(_: Caller) -> Any:
        raise MCPError(-32050, "said so")

    bench = Bench()
    async with bench.served.client(MODERN, tasks=True) as client:
        bench.work = refused
        await call(client)
        over = await bench.until("completed", "failed")
        assert over["status"] == "completed"
        assert over["result"]["isError"] is True
        bench.work = broken
        await call(client)
        over = await bench.until("completed", "failed")
        assert over["error"]["code"] == INTERNAL_ERROR
        assert "secret" not in str(over)
        assert "result" not in over
        bench.work = invalid
        await call(client)
        over = await bench.until("completed", "failed")
    assert over["error"] == {"code": -32050, "message": "said so"}


async def test_a_task_is_known_to_who_made_it_alone() -> None:
    bench = Bench()
    async with (
        bench.served.client(MODERN, "ann", tasks=True) as ann,
        bench.served.client(MODERN, "bob", tasks=True) as bob,
    ):
        made = await call(ann)
        for method in ("tasks/get", "tasks/cancel"):
            with pytest.raises(MCPError) as theirs:
                await raw(bob, method, taskId=made["taskId"])
            with pytest.raises(MCPError) as unknown:
                await raw(bob, method, taskId="nothing")
            assert theirs.value.error == unknown.value.error
            assert theirs.value.code == INVALID_PARAMS
        with pytest.raises(MCPError):
            await raw(bob, "tasks/update", taskId=made["taskId"], inputResponses={})
        assert (await raw(ann, "tasks/get", taskId=made["taskId"]))["status"] == "working"
        bench.go.set()
        await bench.until("completed")


async def test_reports_become_the_message_of_the_task() -> None:
    bench = Bench()

    async def telling(caller: Caller) -> Any:
        await bench.begun.wait()
        await caller.report(1, 2, "half of it")
        await bench.go.wait()
        return text("done")

    bench.work = telling
    async with bench.served.client(MODERN, tasks=True) as client:
        made = await call(client)
        bench.begun.set()
        await bench.until("working")
        seen = await raw(client, "tasks/get", taskId=made["taskId"])
        assert seen["statusMessage"] == "half of it"
        bench.go.set()
        over = await bench.until("completed")
    assert "statusMessage" not in over


async def test_a_question_makes_a_task_of_the_call_and_its_answer_lets_it_go_on() -> None:
    bench = Bench(after=60.0)
    runs: list[int] = []

    async def asking(caller: Caller) -> Any:
        runs.append(1)
        schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
        first = await caller.elicit("n", Question("How many?", schema))
        second = await caller.elicit("n", Question("And how many more?", schema))
        return text(f"{first.content['n']} {second.content['n']}")

    bench.work = asking

    async def nobody(*_: Any) -> Any:
        raise AssertionError("a task asks through tasks/get")

    async with bench.served.client(MODERN, tasks=True, elicitation_callback=nobody) as client:
        made = await call(client)
        assert made["resultType"] == "task"
        task_id = made["taskId"]
        await bench.until("input_required")
        seen = await raw(client, "tasks/get", taskId=task_id)
        assert list(seen["inputRequests"]) == ["n"]
        assert seen["inputRequests"]["n"]["method"] == "elicitation/create"
        # Nobody asked for that; and what does not fit is asked for again, under another key.
        await raw(client, "tasks/update", taskId=task_id, inputResponses={"other": {"x": 1}})
        bad = {"n": {"action": "accept", "content": {"n": "many"}}}
        await raw(client, "tasks/update", taskId=task_id, inputResponses=bad)
        async with asyncio.timeout(10):
            while "n-2" not in (await bench.until("input_required"))["inputRequests"]:
                pass
        good = {"n-2": {"action": "accept", "content": {"n": 3}}}
        assert "taskId" not in await raw(
            client, "tasks/update", taskId=task_id, inputResponses=good
        )
        async with asyncio.timeout(10):
            while "n-3" not in (await bench.until("input_required"))["inputRequests"]:
                pass
        more = {"n-3": {"action": "accept", "content": {"n": 4}}}
        await raw(client, "tasks/update", taskId=task_id, inputResponses=more)
        over = await bench.until("completed")
    assert over["result"]["content"][0]["text"] == "3 4"
    assert runs == [1]


async def test_only_what_is_not_answered_yet_is_asked_for() -> None:
    bench = Bench()

    async def asking(caller: Caller) -> Any:
        question = Question("Well?").as_request()
        await caller.ask({"a": question, "b": question})
        return text("both")

    bench.work = asking

    async def nobody(*_: Any) -> Any:
        raise AssertionError

    async with bench.served.client(MODERN, tasks=True, elicitation_callback=nobody) as client:
        task_id = (await call(client))["taskId"]
        assert set((await bench.until("input_required"))["inputRequests"]) == {"a", "b"}
        yes = {"action": "accept", "content": {}}
        await raw(client, "tasks/update", taskId=task_id, inputResponses={"a": yes})
        seen = await raw(client, "tasks/get", taskId=task_id)
        assert seen["status"] == "input_required"
        assert list(seen["inputRequests"]) == ["b"]
        await raw(client, "tasks/update", taskId=task_id, inputResponses={"b": yes})
        assert (await bench.until("completed"))["result"]["content"][0]["text"] == "both"


async def test_tasks_are_bounded_and_kept_as_long_as_was_said() -> None:
    now = datetime(2026, 11, 17, tzinfo=UTC)
    bench = Bench(after=0.01)
    tasks = bench.served.wire.tasks
    tasks._now = lambda: now
    tasks._most_of_one = 1
    async with bench.served.client(MODERN, tasks=True) as client:
        made = await call(client)
        assert made["resultType"] == "task"
        # No room: the second is waited for, as without tasks.
        bench.begun.clear()
        second = asyncio.create_task(call(client))
        await bench.begun.wait()
        bench.go.set()
        assert (await second)["resultType"] == "complete"
        over = await bench.until("completed")
        now += timedelta(milliseconds=over["ttlMs"])
        assert (await raw(client, "tasks/get", taskId=made["taskId"]))["status"] == "completed"
        now += timedelta(seconds=1)
        with pytest.raises(MCPError, match="not known"):
            await raw(client, "tasks/get", taskId=made["taskId"])
        bench.go.clear()
        assert (await call(client))["resultType"] == "task"
        await tasks.close()


async def test_a_task_that_works_is_never_let_go() -> None:
    now = datetime(2026, 11, 17, tzinfo=UTC)
    bench = Bench()
    tasks = bench.served.wire.tasks
    tasks._now = lambda: now
    async with bench.served.client(MODERN, tasks=True) as client:
        made = await call(client)
        now += timedelta(hours=12)
        seen = await raw(client, "tasks/get", taskId=made["taskId"])
        assert seen["ttlMs"] > 12 * 3600 * 1000
        bench.go.set()
        await bench.until("completed")


async def test_closing_ends_all_work() -> None:
    bench = Bench()
    async with bench.served.client(MODERN, tasks=True) as client:
        await call(client)
        await bench.begun.wait()
        await bench.served.wire.close()
    assert bench.ended == ["closing"]
