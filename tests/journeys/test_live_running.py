"""Code runs in a live session as a person would expect: in order, heard in full, and remembered."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.scenes import BOT
from tests.journeys.gates import Gate
from tests.journeys.live import S, T, living, raised

from hearth.api import Accepted, Viewed
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import NotNow

ASKS = "name = input('who? ')\nname.upper()"
SECRET = "correct-horse-battery-staple"  # noqa: S105 - a test's own, to be looked for


@pytest.mark.promise("SF-EVAL-01")
async def test_cells_that_are_sent_at_once_run_one_at_a_time_in_the_order_they_came(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("import asyncio\nran = []\ninside = most = 0")
        code = (
            "inside += 1; most = max(most, inside)\n"
            "await asyncio.sleep(0.01)\n"
            "inside -= 1; ran.append({0})\n"
            "{0}"
        )
        answers = await asyncio.gather(
            *(
                live.engine.submit(S, c.RunCell(code.format(n), if_busy="queue"), BOT)
                for n in range(10)
            )
        )
        assert all(isinstance(one, Accepted) for one in answers)
        await live.seen(e.CellFinished, count=11)
        values = [one.value for one in live.of(e.CellFinished)[1:]]
        assert values == [*map(str, range(10))]
        assert await live.value("ran, most") == f"({[*range(10)]}, 1)"


@pytest.mark.promise("SF-EVAL-01", "SF-AFF-05")
async def test_a_cell_that_does_not_want_to_wait_is_refused_while_another_runs(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        cell = await live.begin("import time; time.sleep(1000)")
        refused = await live.engine.submit(S, c.RunCell("never = 1"), BOT)
        assert isinstance(refused, NotNow)
        await live.submit(c.CancelCell(cell))
        await live.seen(e.CellCancelled)
        assert await live.value("'never' in globals()") == "False"


@pytest.mark.promise("SF-EVAL-02", "SF-MCP-03")
async def test_a_cell_answers_with_its_value_its_type_and_what_it_wrote(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.run(
            "import sys\n"
            "print('out 1'); print('err 1', file=sys.stderr); print('out 2')\n"
            "{'a': [1, 2]}"
        )
        assert isinstance(ended, e.CellFinished)
        assert (ended.value, ended.value_type) == ("{'a': [1, 2]}", "dict")
        assert await live.printed(ended.outputs) == "out 1\nout 2\n"
        assert await live.printed(ended.outputs, "stderr") == "err 1\n"
        result = (await live.outputs(ended.outputs))[-1]
        assert result == RichData({"text/plain": "{'a': [1, 2]}"}, is_result=True)


@pytest.mark.promise("SF-EVAL-02")
async def test_what_a_child_process_and_c_code_write_is_heard_too(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.run(
            "import logging, os, subprocess\n"
            "logging.warning('of a library')\n"
            "subprocess.run(['sh', '-c', 'echo of a child; echo of its errors >&2'])\n"
            "os.write(1, b'of the descriptor\\n')"
        )
        assert isinstance(ended, e.CellFinished)
        printed = await live.printed(ended.outputs)
        assert "of a child\n" in printed
        assert "of the descriptor\n" in printed
        errors = await live.printed(ended.outputs, "stderr")
        assert "of its errors\n" in errors
        assert "of a library\n" in errors


@pytest.mark.promise("SF-MCP-04")
async def test_the_code_is_not_repeated_in_the_answer(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.run("x = 1  # unmistakable\nprint(x)")
        assert isinstance(ended, e.CellFinished)
        assert "unmistakable" not in repr(ended)


@pytest.mark.promise("SF-MCP-03")
async def test_a_value_comes_with_its_type_and_a_callable_with_its_signature(
    tmp_path: Path,
) -> None:
    expected = {
        "1": "int",
        "None": "",
        "x = 1": "",
        "1;": "",
        "import collections; collections.OrderedDict()": "collections.OrderedDict",
        "class Dog: pass\nDog()": "Dog",
        "def f(a: int, *, b='x') -> bool: ...\nf": "function (a: int, *, b='x') -> bool",
    }
    async with living(tmp_path) as live:
        await live.create()
        for code, value_type in expected.items():
            ended = await live.run(code)
            assert isinstance(ended, e.CellFinished)
            assert (code, ended.value_type) == (code, value_type)


@pytest.mark.promise("SF-EVAL-03")
async def test_a_cell_in_the_background_is_said_to_be_one_and_recorded_like_any(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.run("print('behind'); 7", background=True)
        assert isinstance(ended, e.CellFinished)
        assert (ended.value, await live.printed(ended.outputs)) == ("7", "behind\n")
        assert live.of(e.CellStarted)[-1].background
        await live.run("8")
        assert not live.of(e.CellStarted)[-1].background


@pytest.mark.promise("SF-EVAL-04")
async def test_a_cell_may_await_and_tasks_live_on_between_cells(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        assert await live.value("import asyncio; await asyncio.sleep(0.001, 'slept')") == "'slept'"
        await live.run("done = asyncio.Event()\ntask = asyncio.create_task(done.wait())")
        await live.run("done.set()")
        assert await live.value("await task") == "True"


@pytest.mark.promise("SF-EVAL-14")
async def test_several_statements_run_together_and_stop_at_the_first_that_fails(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        assert await live.value("a = 1\nb = a + 1\n\n\ndef f():\n    return a + b\nf()") == "3"
        failed = await live.run("c = 3\n1/0\nd = 4")
        assert raised(failed).name == "ZeroDivisionError"
        assert isinstance(failed, e.CellFailed)
        assert failed.names == ("c",)
        assert await live.value("c, 'd' in globals()") == "(3, False)"


@pytest.mark.promise("SF-MCP-05", "SF-STATE-06")
async def test_an_error_names_the_line_shows_no_inner_frames_and_no_colours(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        failure = raised(await live.run("def inner():\n    return {}['missing']\n\ninner()"))
        traceback = await live.text(failure.traceback)
        assert (failure.name, failure.message) == ("KeyError", "'missing'")
        assert "line 2" in traceback
        assert "{}['missing']" in traceback
        assert "\x1b" not in traceback
        assert "ipykernel" not in traceback
        assert "hearth" not in traceback
        assert raised(await live.run("x = = 1")).name == "SyntaxError"
        assert await live.value("1") == "1"


@pytest.mark.promise("SF-MCP-11")
async def test_a_script_is_loaded_and_counted_or_fails_with_its_own_lines(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("a = 1\nb = 2\nprint(a + b)\n")
    bad.write_text("before = 1\n\n\nafter = 1/0\n")
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.settle(c.LoadScript(str(good)))
        assert isinstance(ended, e.CellFinished)
        assert await live.printed(ended.outputs) == "3\n"
        assert live.of(e.ScriptLoaded) == [e.ScriptLoaded(str(good), 3)]
        failure = raised(await live.settle(c.LoadScript(str(bad))))
        traceback = await live.text(failure.traceback)
        assert f"{bad}:4" in traceback
        assert [one.path for one in live.of(e.ScriptLoadFailed)] == [str(bad)]
        assert await live.value("a, b, before, 'after' in globals()") == "(1, 2, 1, False)"
        missing = raised(await live.settle(c.LoadScript(str(tmp_path / "missing.py"))))
        assert missing.name == "FileNotFoundError"
        assert "missing.py" in await live.text(missing.message)


# -- after the end ---------------------------------------------------------------------------------


@pytest.mark.promise("SF-EVAL-02")
async def test_what_a_thread_prints_after_its_cell_is_that_cells_and_not_the_next_ones(
    tmp_path: Path,
) -> None:
    with Gate(tmp_path / "gate") as gate, Gate(tmp_path / "said") as said:
        async with living(tmp_path) as live:
            await live.create()
            first = await live.begin(
                "import threading\n"
                "def late():\n"
                f"    {gate.wait_in_cell}\n"
                "    print('late 1')\n"
                f"    {said.open_in_cell}\n"
                f"    {gate.wait_in_cell}\n"
                "    print('late 2')\n"
                "thread = threading.Thread(target=late); thread.start()\n"
                "print('in time')"
            )
            ended = await live.seen(e.CellFinished)
            assert ended.outputs == (StreamText("stdout", "in time\n"),)
            # While another cell runs.
            gate.open()
            code = f"print('mine')\n{said.wait_in_cell}\nprint('mine too')"
            beside = await live.run(code)
            assert isinstance(beside, e.CellFinished)
            assert await live.printed(beside.outputs) == "mine\nmine too\n"
            # While none does.
            gate.open()
            await live.value("thread.join()")
            await live.until(
                lambda: (
                    "late 2\n" in "".join(str(one) for one in live.of(e.CellOutputAdded))
                    or "late 2" in repr(live.of(e.CellOutputAdded))
                )
            )
            added = live.of(e.CellOutputAdded)
            assert {one.cell for one in added} == {first}
            texts = [await live.printed(one.outputs) for one in added]
            assert "".join(texts) == "late 1\nlate 2\n"


async def test_a_task_that_outlives_its_cell_prints_under_its_cell(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        first = await live.begin(
            "import asyncio\n"
            "go = asyncio.Event()\n"
            "async def late():\n"
            "    await go.wait()\n"
            "    print('late')\n"
            "task = asyncio.create_task(late())"
        )
        await live.seen(e.CellFinished)
        ended = await live.run("go.set()\nawait task\nprint('mine')")
        assert isinstance(ended, e.CellFinished)
        assert await live.printed(ended.outputs) == "mine\n"
        added = await live.seen(e.CellOutputAdded)
        assert (added.cell, await live.printed(added.outputs)) == (first, "late\n")


# -- asking ----------------------------------------------------------------------------------------


async def test_a_cell_asks_a_person_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        cell = await live.begin(ASKS, may_ask=True)
        asked = await live.seen(e.InputRequested)
        assert asked == e.InputRequested(cell, "who? ", password=False)
        assert not live.of(e.CellFinished)
        assert isinstance(await live.settle(c.AnswerInput("ann")), e.InputAnswered)
        ended = await live.seen(e.CellFinished)
        assert ended.value == "'ANN'"
        assert live.of(e.InputAnswered) == [e.InputAnswered(cell, "ann")]


async def test_a_password_is_in_no_file_of_the_log(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.begin("import getpass; len(getpass.getpass('key? '))", may_ask=True)
        asked = await live.seen(e.InputRequested)
        assert (asked.prompt, asked.password) == ("key? ", True)
        await live.settle(c.AnswerInput(SECRET))
        assert (await live.seen(e.CellFinished)).value == str(len(SECRET))
        assert live.of(e.InputAnswered)[0].text == ""
        assert _files_with(tmp_path, SECRET) == []
    assert _files_with(tmp_path, SECRET) == []
    assert _files_with(tmp_path, "key? ")


async def test_a_cell_that_nobody_can_answer_is_told_so_at_once(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        for code in ("input('who? ')", "import getpass; getpass.getpass()"):
            failure = raised(await live.run(code))
            assert failure.message == (
                "input() needs a person to answer, and this cell was run without one"
            )
        assert not live.of(e.InputRequested)
        assert await live.value("1") == "1"


async def test_a_question_that_nobody_answers_can_be_cancelled(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.begin(ASKS, may_ask=True)
        await live.seen(e.InputRequested)
        await live.submit(c.CancelCell())
        await live.seen(e.CellCancelled)
        assert await live.value("'name' in globals()") == "False"
        # What was asked is over: the next question is answered by its own answer.
        await live.begin(ASKS, may_ask=True)
        await live.seen(e.InputRequested, count=2)
        await live.settle(c.AnswerInput("bob"))
        assert (await live.seen(e.CellFinished, count=2)).value == "'BOB'"


# -- questions -------------------------------------------------------------------------------------


@pytest.mark.promise("SF-AFF-08", "SF-MCP-07", "SF-MCP-08", "SF-MCP-09")
@pytest.mark.parametrize(
    "busy", ["import time; time.sleep(1000)", "import asyncio; await asyncio.sleep(1000)"]
)
async def test_questions_are_answered_while_a_cell_runs(tmp_path: Path, busy: str) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("class Dog:\n    def bark(self): ...\nxs = [1]\nrex = Dog()")
        cell = await live.begin(busy)

        completed = await live.settle(c.CompleteCode("xs.ap", 5))
        assert isinstance(completed, e.CompletionsReturned)
        assert "append" in [one.label for one in completed.items]
        completed = await live.settle(c.CompleteCode("rex.", 4))
        assert isinstance(completed, e.CompletionsReturned)
        assert "bark" in [one.label for one in completed.items]
        inspected = await live.settle(c.InspectCode("rex", 3))
        assert isinstance(inspected, e.InspectionReturned)
        assert "Dog" in repr(inspected)
        listed = await live.settle(c.ListVariables())
        assert isinstance(listed, e.VariablesReturned)
        types = {one.name: one.value_type for one in listed.variables}
        assert (types["xs"], types["rex"]) == ("list", "Dog")
        checked = await live.settle(c.CheckCode("Dog().bark()\nnot_there"))
        assert isinstance(checked, e.DiagnosticsChecked)
        assert ["not_there" in one.message for one in checked.diagnostics] == [True]

        viewed = await live.engine.view("status", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Status)
        assert viewed.value.state is PhaseName.EVALUATING

        assert not live.of(e.CellCancelled)
        await live.submit(c.CancelCell(cell))
        await live.seen(e.CellCancelled)
        assert await live.value("xs") == "[1]"


# -- apart -----------------------------------------------------------------------------------------


@pytest.mark.promise("SF-SES-03")
async def test_sessions_share_neither_names_nor_folders_nor_events(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    async with living(tmp_path) as live:
        await live.create(S, c.SessionConfig(directory=str(here)))
        await live.create(T, c.SessionConfig(directory=str(there)))
        await live.run("mine = 1; import os; os.environ['MINE'] = '1'")
        assert await live.value("__import__('os').getcwd()") == repr(str(here))
        assert await live.value("__import__('os').getcwd()", T) == repr(str(there))
        assert await live.value("__import__('os').environ.get('MINE'), 'mine' in globals()", T) == (
            "(None, False)"
        )
        assert not [one for one in live.of(e.CellStarted, T) if "mine = 1" in str(one.code)]


def _files_with(folder: Path, text: str) -> list[str]:
    """The files below a folder in which this stands."""
    files = [one for one in folder.rglob("*") if one.is_file()]
    return [str(one) for one in files if text.encode() in one.read_bytes()]
