"""Everyone who listens is told, whatever the others do."""

import asyncio
from collections.abc import Sequence

from hearth.core.vocabulary.envelope import Stored
from hearth.log.listeners import Listeners


async def test_all_are_told_in_order_until_they_stop() -> None:
    listeners, heard = Listeners(), list[str]()
    assert not listeners

    def listener(_: Sequence[Stored]) -> None:
        heard.append("again")

    stop = listeners.add(listener)
    listeners.add(listener)
    listeners.add(lambda _: heard.append("last"))
    listeners.tell([])
    stop()
    stop()
    listeners.tell([])
    assert heard == ["again", "again", "last", "again", "last"]
    assert listeners


async def test_an_error_is_reported_and_keeps_nobody_from_hearing() -> None:
    listeners, heard, reported = Listeners(), list[int](), list[object]()

    def fail(_: Sequence[Stored]) -> None:
        raise LookupError("mine alone")

    listeners.add(fail)
    listeners.add(lambda rows: heard.append(len(rows)))
    asyncio.get_running_loop().set_exception_handler(
        lambda _, trouble: reported.append(trouble["message"])
    )
    listeners.tell([])
    assert (heard, reported) == ([0], ["a commit listener failed"])
