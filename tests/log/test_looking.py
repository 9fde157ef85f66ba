"""A search says which pages it wants; whoever may wait reads them for it."""

import pytest
from tests.contracts.facts import some
from tests.contracts.faulty_log import FaultyLog

from hearth.core.views.looking_back import Looking, Page, head_of
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import StoreDown
from hearth.log.looking import found

S = SessionId("session-aaaaaa")


async def test_a_search_gets_the_pages_it_asks_for_and_its_end_is_told() -> None:
    log = FaultyLog()
    await log.open()
    await log.append(S, 0, some(5))

    def versions() -> Looking[list[int]]:
        first = yield Page(S, 1, 2)
        second = yield Page(S, 4, 100)
        return [row.version for row in (*first, *second)]

    assert await found(versions(), log.read_session) == [2, 3, 5]
    assert await found(head_of(S), log.read_session) == 5


async def test_what_wants_no_page_needs_no_log() -> None:
    log = FaultyLog()
    await log.open()
    log.down = True

    def nothing() -> Looking[str]:
        yield from ()
        return "known"

    assert await found(nothing(), log.read_session) == "known"
    with pytest.raises(StoreDown):
        await found(head_of(S), log.read_session)
