"""Commands answer where the person looks: what they asked for apart from what is about it."""

from pathlib import Path

from tests.clients.repl.talking import room

from hearth.clients.repl.conversing import go_to, note, refuse, rows_of, say, submit, warn
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.refusals import Refused, StoreUnavailable


async def test_what_is_wrong_is_said_with_what_would_be_right(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        here.screen.shown = ""
        await warn(here.talk, "there is no x", "say y")
        await say(here.talk, "one")
        await note(here.talk, "two")
        await refuse(here.talk, StoreUnavailable(why="the disk is full"))
        assert here.screen.shown == "there is no x\n  say y\none\ntwo\nthe disk is full\n"


async def test_what_is_refused_is_said(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        here.screen.shown = ""
        await submit(here.talk, c.CancelCell())
        assert here.screen.shown.startswith("not now: the interpreter is idle")


async def test_another_session_is_gone_to_and_the_present_one_is_not(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        second = await here.begin("/yarn")
        rows = await rows_of(here.around)
        assert not isinstance(rows, Refused)
        assert {row.session for row in rows} == {here.talk.attached.session, second}
        await go_to(here.talk, "nowhere")
        assert "there is no session 'nowhere'" in here.screen.shown
        await go_to(here.talk, "yarn")
        assert here.talk.attached.session == second
        here.screen.shown = ""
        await go_to(here.talk, "yarn")
        assert here.screen.shown == "you are there already\n"
