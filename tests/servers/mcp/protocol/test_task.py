import asyncio
from datetime import UTC, datetime, timedelta

from hearth.servers.mcp.protocol.eliciting import Question
from hearth.servers.mcp.protocol.task import LONGEST_MESSAGE, Task

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


def test_ids_cannot_be_guessed() -> None:
    ids = {Task("a", datetime.now(UTC), lambda _: None).id for _ in range(100)}
    assert len(ids) == 100
    assert all(len(one) >= 32 for one in ids)


def test_it_is_shown_with_times_and_what_it_says() -> None:
    changes: list[str] = []
    task = Task("ann", NOW, lambda one: changes.append(one.message))
    task.tell("x" * 10_000)
    shown = task.seen(60.0, NOW + timedelta(seconds=5))
    assert shown["createdAt"] == "2026-11-17T12:00:00.000Z"
    assert shown["ttlMs"] == 65_000
    assert shown["statusMessage"] == "x" * LONGEST_MESSAGE
    assert len(changes) == 1
    task.ended = NOW
    task.tell("too late")
    assert len(changes) == 1


async def test_a_key_is_never_used_twice() -> None:
    asked: list[set[str]] = []

    def changed(one: Task) -> None:
        if one.status == "input_required":
            asked.append(set(one.detailed(1.0, NOW)["inputRequests"]))

    task = Task("ann", NOW, changed)
    request = Question("?").as_request()
    for name in ("sure", "sure-2", "sure-3"):
        asking = asyncio.create_task(task.ask({"sure": request}))
        await asyncio.sleep(0)
        task.answer({"sure": {"late": True}} if name != "sure" else {})
        task.answer({name: {"action": "decline"}})
        assert await asking == {"sure": {"action": "decline"}}
        assert task.status == "working"
    assert [{"sure"}, {"sure-2"}, {"sure-3"}] == [
        one for n, one in enumerate(asked) if one and one not in asked[:n]
    ]
