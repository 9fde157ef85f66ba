"""Without a terminal, statements come in one by one and data goes out plain."""

import asyncio
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS, Part
from tests.clients.repl.talking import PATIENCE, Room, room
from tests.clients.repl.telling_of import ME
from tests.clients.repl.test_rewinding import answered
from tests.contracts.scenes import BOT

from hearth.api import Viewed
from hearth.clients.repl.attached import Surroundings
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.images import Drawing, Pictures
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Words
from hearth.clients.repl.plain import PlainScreen, Reading, converse, entries
from hearth.core.views.conversation import Conversation as Said
from hearth.core.vocabulary import commands as c

PLAIN = Paint(notes=False)


def screen(here: Room) -> PlainScreen:
    return PlainScreen(Pictures(here.host.fetch, "/nowhere", Drawing.LINK, PLAIN, links=False))


async def conversed(here: Room, source: str) -> int:
    """What comes of a text from stdin."""
    plain = screen(here)
    around = Surroundings(here.host, ME, plain, PLAIN, tells_others=False)
    talk = Conversation(around, may_ask=False)
    assert await talk.attach(here.talk.attached.session) is None
    try:
        async with asyncio.timeout(PATIENCE):
            return await converse(talk, plain, Reading(io.StringIO(source), python=True))
    finally:
        await talk.close()


async def test_data_goes_to_stdout_and_the_rest_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, "1+1\nprint\nx = 1\n") == 0
        out, err = capsys.readouterr()
        assert out == "2\none\ntwo\n"
        assert err.endswith("\noops\n")
        assert "loom · session-000001" in err


async def test_it_goes_on_after_a_failure_and_says_so_in_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, "1/0\n1+1\n") == 1
        out, err = capsys.readouterr()
        assert out == "2\n"
        assert err.endswith("ZeroDivisionError: division by zero\n")


async def test_commands_work_and_end_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, ".check undefined\n.quit\n:nonsense\n1+1\n") == 0
        assert await conversed(here, ":nonsense\n.quit\n1+1\n") == 1
        out, err = capsys.readouterr()
        assert out == "1:1 error: undefined name\n"
        assert "there is no command .nonsense" in err


@pytest.mark.parametrize(
    "line",
    [
        ".undo two",
        ".keep x",
        ".branch --fast",
        ".fork x",
        ".compare nowhere",
        ".rewind x",
        ":try ;",
    ],
)
async def test_what_makes_no_sense_fails_a_script(tmp_path: Path, line: str) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, f"{line}\n") == 1
        assert await conversed(here, "1+1\n") == 0


async def test_a_branch_that_there_is_not_fails_a_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, ".branch\n") == 0
        here.interpreter.obstacles = ("a socket is open",)
        assert await conversed(here, ".branch\n") == 1
        assert "  a socket is open\n" in capsys.readouterr().err


async def test_a_script_goes_on_once_the_session_is_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        source = f".undo on\nx = 1\n.rewind {block} all yes\n.rewind back yes\n1+1\n"
        assert await conversed(here, source) == 0
        out, err = capsys.readouterr()
        assert out.endswith("\n2\n")
        assert f"the session is back at {block}" in err
        assert "the session is as it was before going back" in err
        assert "not now" not in err


async def test_what_others_do_is_not_mixed_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        session = here.talk.attached.session
        running = asyncio.create_task(conversed(here, "1+1\n"))
        await here.host.engine.submit(session, c.RunCell("print", if_busy="queue"), BOT)
        assert await running == 0
        assert capsys.readouterr().out == "2\n"


async def test_what_is_refused_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        await here.talk.say(".stop")
        await here.screen.until("stopped")
        assert await conversed(here, "1+1\n") == 1
        assert capsys.readouterr().out == ""


async def test_nobody_reading_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with room(tmp_path) as here:
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as target:
            monkeypatch.setattr(sys, "stdout", target)
            plain = screen(here)
            await plain.show([Words("x" * 100_000)])
            assert plain.is_broken
            await plain.show([Words("more")])
            monkeypatch.undo()


async def test_reading_can_be_ended_while_it_waits() -> None:
    read, write = os.pipe()
    with os.fdopen(read) as source, os.fdopen(write, "w") as typing:
        reading = Reading(source, python=True)
        typing.write("x = 1\n")
        typing.flush()
        async with asyncio.timeout(PATIENCE):
            assert await reading.next() == "x = 1"
            reading.end()
            assert await reading.next() is None
        typing.close()
        await asyncio.to_thread(reading._thread.join, PATIENCE)


async def test_what_is_no_text_is_told_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        plain = screen(here)
        source = io.TextIOWrapper(io.BytesIO(b"1+1\n\xff\xfe\n"), encoding="utf-8")
        here.around.screen = plain
        async with asyncio.timeout(PATIENCE):
            assert await converse(here.talk, plain, Reading(source, python=True)) == 1
        assert "cannot be read: 'utf-8' codec" in capsys.readouterr().err


def test_commands_and_code_stay_in_order() -> None:
    def lines() -> Iterator[str]:
        yield from ("x = 1\n", ".who\n", "for i in x:\r\n", "    y\n", ".vars\n", "z\n")

    assert list(entries(lines(), python=True)) == [
        "x = 1",
        ".who",
        "for i in x:\n    y",
        ".vars",
        "z",
    ]


def test_what_looks_like_a_command_inside_of_a_statement_is_part_of_it() -> None:
    source = ("(frame\n", ".head()\n", ")\n", "> say it\n", ">\n", "one\n", "two\n", "\n", "x\n")
    assert list(entries(iter(source), python=True)) == [
        "(frame\n.head()\n)",
        "> say it",
        ">\none\ntwo",
        "x",
    ]


async def test_the_agents_answer_goes_to_stdout_and_all_else_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = (Part(thinks="hm", calls=(("run_code", '{"code": "1+1"}'),)), Part(says="It is **2**."))
    async with room(tmp_path, parts=parts) as here:
        assert await conversed(here, "> what is it?\n1+1\n") == 0
        out, err = capsys.readouterr()
        assert out == "It is **2**.\n2\n"
        assert "▸ run_code  1+1" in err
        assert "# t1 done" in err


async def test_a_turn_that_fails_or_is_refused_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path, parts=PLAYS["failing"]) as here:
        assert await conversed(here, ">\n\n> hello\n1+1\n") == 1
        assert "the key is not valid" in capsys.readouterr().err
        await here.talk.say(".stop")
        await here.screen.until("the session is stopped")
        assert await conversed(here, "1+1\n") == 1


async def test_what_waits_for_somebody_elses_turn_is_answered_with_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = (Part(calls=(("look", "{}"),), holds=True), Part(says="For both."))
    async with room(tmp_path, parts=parts) as here:
        await here.talk.say("> mine")
        async with asyncio.timeout(PATIENCE):
            while here.talk.attached.now.turn is None:
                await here.screen.news()
            piped = asyncio.create_task(conversed(here, "> and mine\n"))
            while not here.talk.attached.now.talk.queue:
                await here.screen.news()
            here.agent.go_on()
            assert await piped == 0
        assert "For both.\n" in capsys.readouterr().out


async def test_every_line_that_begins_a_turn_waits_for_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [Part(says=f"Answer {n}.") for n in range(1, 6)]
    lines = ("> hi", ".continue", ".regenerate", ".compress", ".cont", ".compress the loom", "> ho")
    async with room(tmp_path, parts=parts) as here:
        assert await conversed(here, "\n".join(lines)) == 0
        out, err = capsys.readouterr()
        assert out.splitlines() == [part.says for part in parts]
        assert re.findall(r"# (t\d \w+)", err) == [f"t{n} done" for n in range(1, 8)]
        assert err.count("a summary stands for what was said before") == 2
        assert "not now" not in err


@pytest.mark.parametrize("command", [".continue", ".regenerate", ".compress"])
async def test_a_command_whose_turn_fails_or_is_refused_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    parts = (Part(says="Yes."), *PLAYS["failing"], Part(says="It goes on."))
    async with room(tmp_path, parts=parts) as here:
        assert await conversed(here, f"{command}\n1+1\n") == 1
        out, err = capsys.readouterr()
        assert out == "2\n"
        assert err.count("not now: nothing has been said") == 1
        here.agent.no_summary = "the key is not valid"
        assert await conversed(here, f"> hi\n{command}\n1+1\n") == 1
        out, err = capsys.readouterr()
        assert out == "Yes.\n2\n"
        assert "the key is not valid" in err
        assert "# t2 failed" in err


async def test_what_looks_for_a_branch_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        assert await conversed(here, "> hi\n") == 0
        viewed = await here.host.view("conversation", here.talk.attached.session)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Said)
        first, *_, last = (row.block for row in viewed.value.rows)
        lines = f".edit {first} ho\n.regenerate\n.switch {last}\n.continue\n"
        assert await conversed(here, lines) == 0
        out, err = capsys.readouterr()
        assert out == "First.\nSecond.\nThere is no more.\n"
        assert "not now" not in err
        assert await conversed(here, ".switch b1\n1+1\n") == 1
        out, err = capsys.readouterr()
        assert out == "2\n"
        assert "b1 cannot be gone on from" in err
        assert await conversed(here, ".edit x y\n") == 1
        assert await conversed(here, ".switch loom\n") == 0


async def test_what_is_taken_back_and_tried_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as here:
        script = ".undo on\nx = 1\n.undo\n.redo\n:try\n1+1\n---\n1/0\n\n.keep 1\n1+1\n"
        assert await conversed(here, script) == 0
        out, err = capsys.readouterr()
        assert "1  ok in 0 ms" in out
        assert out.endswith("\n2\n")
        told = ["c1 was taken back", "c1 is there again", "c2 tries 2", "variant 1 of c2 becomes"]
        places = [err.index(one) for one in told]
        assert places == sorted(places)


@pytest.mark.parametrize("line", [".undo", ".redo", ".keep 1", ".try 1/0"])
async def test_what_cannot_be_taken_back_or_tried_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    async with room(tmp_path) as here:
        assert await conversed(here, f"{line}\n") == 1
        assert capsys.readouterr().err
