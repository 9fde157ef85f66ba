"""Any block of a conversation can be seen whole, however long ago it was."""

from collections.abc import Sequence
from pathlib import Path

from tests.clients.repl.agenting import Part
from tests.clients.repl.talking import Room, room
from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.recalling_blocks import recalled_block
from hearth.core.views.conversation import Conversation
from hearth.core.views.conversation_rows import Row
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.refusals import Refused

PARTS = (
    Part(
        thinks="\n".join(f"thought {n}" for n in range(9)),
        calls=(("run_code", '{"code": "1+1", "time_limit": 3}'), ("run_code", "{broken")),
    ),
    Part(says="long " * 20_000),
    Part(fails="no such model", for_good=True),
)


async def shown(here: Room, block: str, session: SessionId | None = None) -> str:
    found = await recalled_block(
        here.host, session or here.talk.attached.session, BlockId(block), Paint()
    )
    assert not isinstance(found, Refused), found
    return text(found)


async def rows(here: Room) -> Sequence[Row]:
    """The blocks of the conversation as it is now."""
    viewed = await here.host.view("conversation", here.talk.attached.session)
    assert not isinstance(viewed, Refused)
    assert isinstance(viewed.value, Conversation)
    return viewed.value.rows


async def test_every_kind_of_block_is_shown_whole(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PARTS) as here:
        await here.talk.say("> go")
        await here.screen.until("t1 done")
        await here.talk.say("> again")
        await here.screen.until("t2 failed")
        told = {row.block: await shown(here, row.block) for row in await rows(here)}
        everything = "\n".join(told.values())
        assert "ann (repl) ──\ngo" in everything
        assert "scripted:weaver (agent) ──\nthought 0\n" in everything
        assert "thought 8" in everything
        assert "k1 calls run_code\ncode: 1+1\ntime_limit: 3" in everything
        assert "k2 calls run_code\n{broken" in everything
        assert "k2 of run_code\nThe arguments of run_code are not valid" in everything
        assert everything.count("long ") == 20_000
        assert "no such model" in everything
        assert (await shown(here, "")).endswith("thought 8")


async def test_thinking_is_shown_while_its_answer_is_written(tmp_path: Path) -> None:
    parts = (Part(thinks="before", says="First."), PARTS[0]._replace(says="So:\n", holds=True))
    async with room(tmp_path, parts=parts) as here:
        await here.talk.say("> go")
        await here.screen.until("t1 done")
        assert (await shown(here, "")).endswith("\nbefore")
        await here.talk.say("> again")
        await here.screen.until(".show thinking shows all")
        assert await shown(here, "") == f"── thinking ──\n{PARTS[0].thinks}"
        here.agent.go_on()
        await here.screen.until("t2 done")


async def test_what_the_conversation_shows_is_not_looked_for_in_the_log(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PARTS) as here:
        await here.talk.say("> go")
        await here.screen.until("t1 done")
        *_, answer = (row.block for row in await rows(here))
        streams = len(here.host._open)
        assert (await shown(here, answer)).count("long ") == 20_000
        assert (await shown(here, "")).endswith("thought 8")
        assert len(here.host._open) == streams
        assert "there is no block" in await shown(here, "b1")
        assert len(here.host._open) > streams


async def test_what_is_not_there_is_said_not_to_be(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await shown(here, "b1") == "there is no block b1 here; .conversation names them"
        assert "there is no block b999" in await shown(here, "b999")
        assert await shown(here, "") == "the agent's last answer has no thinking"
        unknown = await recalled_block(
            here.host, here.talk.attached.session, BlockId("b1@session-x"), Paint()
        )
        assert isinstance(unknown, Refused)


async def test_a_summary_is_shown(tmp_path: Path) -> None:
    async with room(tmp_path, parts=[Part(says="It is old.")]) as here:
        await here.talk.say("> weaving?")
        await here.screen.until("t1 done")
        await here.talk.say(".compress")
        seen = await here.screen.until("shows it")
        block = seen.rpartition(".show ")[2].split()[0]
        assert (await shown(here, block)).endswith("what was said")
