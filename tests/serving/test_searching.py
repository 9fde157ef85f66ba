"""Searching the log for doors."""

from collections.abc import Sequence
from pathlib import Path

from tests.contracts.quick_agent import QuickAgent
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.log.event_log import Hit
from hearth.log.memory import MemoryLog
from hearth.serving.searching import ShownSearch


async def asked(daemon: Served) -> None:
    await daemon.begin()
    await daemon.command({"type": "run_cell", "code": "1+1"})


async def test_a_hit_says_where_it_is_who_made_it_and_what_it_is(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await asked(daemon)
        found = await ShownSearch(daemon.log)("1", 50)
        code = next(one for one in found if one.kind == "cell_started")
        rows = await daemon.log.read_session(code.session)
        assert rows[code.version - 1].seq == code.seq
        assert code.session == "session-aaaaaa"
        assert code.author.actor is Actor.PERSON
        assert "1+1" in code.excerpt
        assert len(await ShownSearch(daemon.log)("1", 1)) == 1
        assert await ShownSearch(daemon.log)("nowhere", 50) == []


async def test_what_was_said_is_told_by_its_role(tmp_path: Path) -> None:
    async with served(tmp_path, performers=lambda _: [QuickAgent()]) as daemon:
        await daemon.begin()
        await daemon.command({"type": "send_message", "text": "find the teapot"})
        kinds = {one.kind for one in await ShownSearch(daemon.log)("teapot", 50)}
        assert "user.text_block" in kinds
        assert "message_queued" not in kinds


class Late(MemoryLog):
    """Finds what was removed meanwhile."""

    async def search(
        self, query: str, *, session: SessionId | None = None, limit: int = 50
    ) -> Sequence[Hit]:
        hits = await super().search(query, session=session, limit=limit)
        return [*hits, Hit(hits[0].session, 10_000, "gone")]


async def test_a_hit_whose_row_is_gone_is_left_out(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await asked(daemon)
        late = Late(daemon.log.store)
        await late.open()
        found = await ShownSearch(late)("1", 50)
        assert found
        assert "gone" not in {one.excerpt for one in found}
