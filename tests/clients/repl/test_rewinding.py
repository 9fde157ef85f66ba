"""Files go back with the conversation, if the person wants that."""

import asyncio
from pathlib import Path

from tests.clients.repl.agenting import PLAYS
from tests.clients.repl.talking import PATIENCE, Room, room, said

from hearth.core.vocabulary.deeds import ChangeKind, PathChange

GONE = PathChange("new.py", ChangeKind.DELETED, 0, 9)


async def answered(here: Room, text: str = "hi", turn: str = "t1") -> str:
    """Something was said and answered; the block of what was said."""
    await here.talk.say(f"> {text}")
    await here.screen.until(f"# {turn} done")
    return here.talk.attached.now.talk.shown.prompt


async def put(here: Room) -> None:
    async with asyncio.timeout(PATIENCE):
        while not here.screen.asked or here.screen.asked[-1] is None:
            await here.screen.news()


async def test_what_would_go_back_is_shown_and_asked_first(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        here.judge.changes = (*here.judge.changes, GONE)
        shown = await said(here, ".rewind only-files")
        assert shown == (
            f"2 files would go back to what they were at {block}\n"
            "  changes back  a.py    +2 -1\n"
            "  goes away     new.py  -9\n"
        )
        await put(here)
        question = here.screen.asked[-1]
        assert question is not None
        assert question.prompt == "Take 2 files back? [y/N] "
        await here.talk.decide(question.about, "", 5.0)
        await here.screen.until("nothing was changed")
        assert all(one.preview for one in here.judge.rewinds)


async def test_a_yes_takes_them_back_and_that_can_be_undone(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        await said(here, f".rewind {block} only-files")
        await put(here)
        await here.talk.decide(f"rewind {block}", "y", 5.0)
        await here.screen.until("1 file went back; .rewind undo undoes it")
        assert not here.judge.rewinds[-1].preview
        shown = await said(here, ".rewind undo yes")
        assert "would go back to what they were before the last rewind" in shown
        async with asyncio.timeout(PATIENCE):
            while here.screen.shown.count("went back") < 2:
                await here.screen.news()


async def test_without_a_terminal_a_yes_must_be_said(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        here.talk.may_ask = False
        shown = await said(here, f".rewind {block} only-files")
        assert f".rewind {block} only-files yes does it" in shown
        await said(here, f".rewind {block} only-files yes")
        await here.screen.until("1 file went back")
        assert ".rewind undo yes does it" in await said(here, ".rewind undo")
        here.judge.rewinds = here.judge.rewinds[-1:]
        assert all(one.preview for one in here.judge.rewinds)


async def test_what_cannot_be_gone_back_to_is_said(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await answered(here)
        assert "no files were rewound" in await said(here, ".rewind undo")
        here.judge.changes = ()
        assert "the files are as they were at b2" in await said(here, ".rewind b2 only-files")
        here.judge.kept = None
        assert "no files were kept since b2" in await said(here, ".rewind b2 only-files")
        here.judge.fails = "git is not there"
        await said(here, ".rewind b2 only-files")
        await here.screen.until("the files stay as they are: git is not there")


async def test_after_another_branch_was_taken_files_are_offered_in_a_line(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        block = await answered(here)
        assert "changed since" not in here.screen.shown
        await said(here, f".switch {block}")
        offer = f"1 file changed since {block}: .rewind {block} only-files takes them back, too"
        await here.screen.until(f"{offer}\n")
        await said(here, ".regenerate")
        assert f"{offer}, `.cancel` first" in here.screen.shown
        await here.screen.until("# t2 done")
        await said(here, f".edit {block} hello")
        async with asyncio.timeout(PATIENCE):
            while here.screen.shown.count(offer) < 3:
                await here.screen.news()
        assert all(one.preview for one in here.judge.rewinds)


async def test_where_nothing_was_changed_nothing_is_offered(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        here.judge.changes = ()
        await answered(here)
        await said(here, ".regenerate")
        await here.screen.until("# t2 done")
        assert len(here.judge.rewinds) == 1
        assert "changed since" not in here.screen.shown
