"""Reads what searches ask for, and how sessions stand."""

from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from tests.servers.dashboard.looked_at import SESSION, watched

from hearth.api import Viewed
from hearth.core.views.looking_back import Page
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import StoreUnavailable, UnknownSession
from hearth.servers.dashboard.reading import conversing, found, standing


def twice() -> Generator[Page, Sequence[Stored], int]:
    """A search for the first rows and those behind them."""
    rows = yield Page(SESSION, 0, 2)
    more = yield Page(SESSION, rows[-1].version, 2)
    return len(rows) + len(more)


async def test_each_page_is_read_and_the_search_comes_to_its_end(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        assert await found(twice(), opened.around.rows) == 4


@pytest.mark.promise("DP-BG-06")
async def test_a_log_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        calls = 0

        async def once(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            nonlocal calls
            calls += 1
            if calls > 1:
                raise OSError("the disk is gone")
            return await opened.around.rows(session, after, limit)

        refused = await found(twice(), once)
        assert isinstance(refused, StoreUnavailable)
        assert refused.remedy
        assert "disk" not in refused.why


async def test_how_a_session_stands(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        stands = await standing(opened.around, SESSION)
        assert isinstance(stands, tuple)
        assert stands[0].session == SESSION
        assert stands[1] == (await opened.daemon.served.log.read())[-1].seq
        await opened.daemon.ask("hello")
        opened.daemon.model.write("words")
        talking = await conversing(opened.around, SESSION)
        assert "words" in str(talking)
        unknown = SessionId("session-zzzzzz")
        assert isinstance(await standing(opened.around, unknown), UnknownSession)
        assert isinstance(await conversing(opened.around, unknown), UnknownSession)


async def test_a_view_that_is_another_is_a_defect(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        hearth = opened.daemon.served.engine
        status = await hearth.view("status", SESSION)
        talking = await hearth.view("talking", SESSION)
        assert isinstance(status, Viewed)
        opened.hearth.refuse = {"status": talking, "talking": status}  # type: ignore[dict-item] # swapped
        for read in (standing, conversing):
            with pytest.raises(TypeError):
                await read(opened.around, SESSION)
