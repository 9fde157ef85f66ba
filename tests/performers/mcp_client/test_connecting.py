import asyncio

import pytest
from tests.performers.mcp_client.pretending import settled

from hearth.performers.mcp_client.connecting import Call, NeedsLogin, Unavailable, either


def test_who_needs_a_login_cannot_be_used_until_then() -> None:
    assert issubclass(NeedsLogin, Unavailable)


def test_a_call_is_shown_to_nobody_unless_somebody_looks(
    capfd: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []
    Call("tool", {}, 1.0).show("unseen")
    Call("tool", {}, 1.0, seen.append).show("seen")
    assert seen == ["seen"]
    assert capfd.readouterr() == ("", "")


async def test_the_first_of_two_events_is_enough_and_nothing_waits_for_the_other() -> None:
    events = asyncio.Event(), asyncio.Event()
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(either(*events))
    await settled()
    assert not waiting.done()
    events[1].set()
    await settled()
    assert waiting.done()
    given_up = asyncio.create_task(either(asyncio.Event()))
    await settled()
    given_up.cancel()
    await settled()
    assert asyncio.all_tasks() == before
