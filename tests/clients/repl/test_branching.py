"""A person goes on in a copy of a session, and sees what is around it."""

from pathlib import Path

import pytest
from tests.clients.repl.talking import room, said
from tests.clients.repl.telling_of import ME

from hearth.api import settle
from hearth.clients.repl.branching import Wanted, wanted
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.undoing import ForkHow


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", Wanted()),
        ("night shift", Wanted(name="night shift")),
        ("--copy", Wanted(ForkHow.COPY)),
        ("--replay b17 old", Wanted(ForkHow.REPLAY, "b17", "old")),
        ("b17 --new", Wanted(ForkHow.NEW, "b17")),
        ("old b17", Wanted(name="old b17")),
        ("--copy --new", None),
        ("b1 b2", None),
        ("--fast", None),
    ],
)
def test_what_is_typed_behind_it(typed: str, meant: Wanted | None) -> None:
    assert wanted(typed) == meant


async def test_a_branch_is_a_live_copy_that_is_gone_to(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        shown = await said(here, ":branch night")
        second = here.talk.attached.session
        assert second != first
        assert here.talk.attached.now.name == "night"
        assert f"{second} (night): a live copy of this session; .switch {first} goes back" in shown
        assert here.interpreter.branched == [(first, second)]
        drawn = (await said(here, ".tree")).rstrip("\n").split("\n")
        assert len(drawn) == 2
        assert first in drawn[0]
        assert drawn[1].startswith("*  └─ night")
        assert "live copy" in drawn[1]


async def test_what_cannot_be_copied_is_told_with_the_way_out_that_works(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        await here.talk.run("x = 1")
        here.interpreter.obstacles = ("thread `loader` runs", "a socket is open")
        shown = await said(here, ".branch")
        assert here.talk.attached.session == first
        assert "there is no fork: its interpreter cannot be copied\n  thread `loader` runs" in shown
        assert "  .branch --replay rebuilds it by running the cells again" in shown
        again = await said(here, ".branch --replay")
        assert here.talk.attached.session != first
        assert "its cells are run again, which takes as long as they did" in again
        assert "rebuilt by running its cells again" in again
        await said(here, f".switch {first}")
        assert "with an empty interpreter" in await said(here, ".branch --new")


async def test_what_makes_no_sense_is_told_with_what_does(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".branch --fast") == (
            "--fast is no branch\n  say .branch [NAME], .branch --replay [b17] [NAME] or .branch"
            " --new [NAME]\n"
        )
        assert "x is no block" in await said(here, ".fork x")
        assert "there is no block b99999 in its conversation" in await said(here, ".fork b99999")
        refused = await said(here, ".branch --copy b1")
        assert "as it is now, not as it was" in refused
        assert ".branch --replay: its interpreter is rebuilt" in refused


async def test_which_of_two_cannot_be_compared_is_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        other = await here.begin("/yarn")
        await settle(here.host, other, c.StopSession(), ME)
        shown = await said(here, f".compare {other}")
        assert f"{other} cannot be compared\n" in shown
        assert ".hard-reset replaces the interpreter" in shown
        assert here.talk.around.has_failed


async def test_what_differs_from_another_session_is_shown_side_by_side(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        assert "that is this session" in await said(here, f".compare {first}")
        assert "there is no session 'nowhere'" in await said(here, ".compare nowhere")
        other = await here.begin("/yarn")
        assert "nothing differs" in await said(here, f".compare {other}")
        same = Variable("y", "int", preview="1")
        here.interpreter.variables = {
            first: (Variable("x", "int", preview="1"), same),
            other: (Variable("x", "str", preview="'one'"), same),
        }
        assert await said(here, f".compare {other}") == (
            f"name  here   {other}\nx     int 1  str 'one'\n"
        )


async def test_alone_a_session_says_how_others_come_about(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert "nothing branched off yet: .branch does" in await said(here, ".tree")


async def test_a_terminal_that_cannot_draw_shows_a_tree_all_the_same(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        here.around.paint = Paint(drawings=False)
        await said(here, ".branch night")
        assert "*  `- night" in await said(here, ".tree")
