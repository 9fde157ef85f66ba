"""Commands answer where the person looks: what they asked for apart from what is about it."""

from pathlib import Path

from tests.clients.repl.talking import room

from hearth.clients.repl.conversing import note, refuse, say, submit, warn
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.refusals import StoreUnavailable


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
