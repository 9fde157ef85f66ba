"""A cell of the past is shown in full, wherever its content is kept."""

from pathlib import Path

import pytest
from tests.clients.repl.talking import Room, room
from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.recalling import recalled, whole
from hearth.core.views.transcript import Entry
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import UnknownSession
from hearth.engine import viewing


async def shown(here: Room, cell: str) -> str:
    entry = await recalled(here.host, here.talk.attached.session, CellId(cell))
    assert isinstance(entry, Entry), entry
    return text(await whole(here.host, entry, Paint()))


async def test_everything_of_a_cell_is_shown(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.run("print")
        await here.talk.run("1/0")
        assert await shown(here, "c1") == (
            "── c1  ann (repl) ──\nprint\n──\none\ntwo\noops\n── c1 finished after 0 ms ──"
        )
        assert "ZeroDivisionError: division by zero" in await shown(here, "c2")


async def test_what_is_kept_apart_is_fetched(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.run("big")
        told = await shown(here, "c1")
        assert "x" * 300_000 in told
        assert "y" * 100_000 in told


async def test_what_is_no_longer_kept_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        await here.talk.run("big")
        entry = await recalled(here.host, here.talk.attached.session, CellId("c1"))
        assert isinstance(entry, Entry)

        async def gone(_: str) -> bytes:
            raise KeyError

        monkeypatch.setattr(here.host, "fetch", gone)
        told = text(await whole(here.host, entry, Paint()))
        assert "no longer kept" in told
        assert isinstance(entry.value, Blob)


async def test_a_cell_that_no_transcript_reaches_is_found_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        for _ in range(4):
            await here.talk.run("1+1")
        monkeypatch.setattr(viewing, "TRANSCRIPT_ROWS", 4)
        assert "── c1  ann (repl) ──\n1+1\n" in await shown(here, "c1")


async def test_there_is_no_such_cell(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session = here.talk.attached.session
        assert await recalled(here.host, session, CellId("c7")) is None
        nowhere = await recalled(here.host, SessionId("nowhere"), CellId("c1"))
        assert isinstance(nowhere, UnknownSession)
