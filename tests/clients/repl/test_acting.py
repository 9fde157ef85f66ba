"""Every command does what it says, and says what came of it."""

from pathlib import Path

import pytest
from tests.clients.repl.talking import room, said, without_store

from hearth.clients.repl.acting import act
from hearth.clients.repl.commands import VERBS
from hearth.performers.interpreter.scene import Scene


async def test_leaving_is_the_only_command_that_ends(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert not await act(here.talk, ".quit")
        assert ".hard-reset" in await said(here, ".help")


async def test_mistakes_are_told_with_what_would_be_right(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".swich") == "there is no command .swich\n  did you mean .switch?\n"


async def test_sessions_and_those_who_are_there_are_listed(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.begin("/yarn")
        listed = await said(here, ".sessions")
        assert "*  loom  session-000001" in listed
        assert "   yarn  session-000002" in listed
        assert await said(here, ".who") == "bot (mcp)\n"
        here.host.there = ()
        assert await said(here, ".who") == "nobody else is here\n"


async def test_switching_goes_to_another_session(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        second = await here.begin("/yarn")
        assert await said(here, ".switch loom") == "you are there already\n"
        assert "there is no session 'x'" in await said(here, ".switch x")
        assert "yarn · session-000002" in await said(here, ".switch yarn")
        assert here.talk.attached.session == second


async def test_code_is_checked_without_being_run(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".check") == "nothing was run yet: say .check CODE\n"
        assert await said(here, ".check undefined") == "1:1 error: undefined name\n"
        await here.talk.run("1+1")
        assert await said(here, ".check") == "nothing found\n"
        assert await said(here, ".vars") == "no variables\n"


async def test_what_the_session_refuses_is_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await said(here, ".stop")
        await here.screen.until("the session is stopped")
        for command in (".check x", ".vars", ".cancel", ".replay", ".reset"):
            assert await said(here, command), command


async def test_what_the_session_is_asked_is_done(tmp_path: Path) -> None:
    async with room(tmp_path, {"hang": Scene(ends="when interrupted")}) as here:
        await said(here, ".rename weaver")
        await here.screen.until("the session is called weaver now")
        await here.talk.say("hang")
        await said(here, ".cancel")
        await here.screen.until("cancelled after")
        await said(here, ".reset")
        await here.screen.until("the variables are gone")
        await said(here, ".hard-reset")
        shown = await here.screen.until("the interpreter is replaced")
        assert shown.count("cancelled after") == 1
        assert "refused" not in shown


async def test_a_cell_is_shown_whole(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.run("print")
        assert "one\ntwo\noops\n" in await said(here, ".show c1")
        assert "there is no c9 here" in await said(here, ".show c9")


async def test_a_view_that_is_refused_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        without_store(here, monkeypatch)
        assert await said(here, ".sessions") == "the disk is full\n"
        assert await said(here, ".show c1") == "the disk is full\n"
        assert await said(here, ".switch x") == "the disk is full\n"


async def test_every_command_of_the_table_is_carried_out(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        for verb in VERBS:
            needed = "x" if verb.takes and not verb.takes.startswith("[") else ""
            await act(here.talk, f".{verb.name} {needed}".rstrip())
            assert "there is no command" not in here.screen.shown
