"""The REPL as a person meets it: at a real terminal, key by key."""

import os
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from tests.clients.repl.child import LOOP
from tests.clients.repl.screens import environ_for, seated

CTRL_C, CTRL_D, UP, ESCAPE = "\x03", "\x04", "\x1b[A", "\x1b"
GREETED = "the session goes on"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.promise("SF-REPL-01")
def test_attaching_shows_what_one_is_attached_to(home: Path) -> None:
    with seated(home) as seat:
        seen = seat.until(GREETED)
        first, second, *_ = seen.splitlines()
        assert first.startswith("loom · session-000001 · ")
        assert first.endswith("/loom")
        assert second.startswith("Python")
        for part in ("started ", "last used just now", "with bot (mcp)"):
            assert part in second
        assert "nobody else" not in second
        seat.until(lambda shown: "loom · ready · with bot · .help" in shown.splitlines()[-1])


def test_a_result_is_shown_with_its_type_beside_it(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("1+1\r")
        assert ">>> 1+1\n2  # int" in seat.until("# int")
        seat.type("1/0\r")
        assert "ZeroDivisionError: division by zero" in seat.until("ZeroDivisionError")


def test_what_is_typed_before_the_session_is_there_is_run_in_order(home: Path) -> None:
    with seated(home) as seat:
        seat.until(">>>")
        seat.type("x = 1\r1+1\r")
        seat.until("# int")
        seat.type("hang\r")
        seat.until("begun")
        seat.type("1+1\r")
        seat.until("1 waiting")
        seat.type(CTRL_C)
        shown = seat.until(lambda shown: shown.count("# int") == 2)
        assert shown.index("# int") < shown.index("cancelled after") < shown.rindex("# int")


def test_nothing_is_echoed_by_the_terminal_while_much_is_written(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        echoed: list[int] = []

        def four_results(shown: str) -> bool:
            echoed.append(seat.attributes()[3] & termios.ECHO)
            return shown.count("# int") == 4

        for _ in range(4):
            seat.bot("many")
            seat.type("1+1\r")
        shown = seat.until(four_results)
        assert not any(echoed)
        assert shown.count(">>> 1+1") == 4
        assert "1+1" not in [line.strip() for line in shown.splitlines()]


def test_a_block_is_typed_line_by_line_with_its_indentation(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("for i in range(3):\rif i:\rprint(i)\r\r\r")
        shown = seat.until("1\n2\n")
        assert ">>> for i in range(3):\n...     if i:\n...         print(i)\n" in shown


def test_what_is_pasted_keeps_its_indentation(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type(f"\x1b[200~{LOOP}\x1b[201~")
        seat.until("...         print(i)")
        seat.type(ESCAPE + "\r")
        assert "SyntaxError" not in seat.until("1\n2\n")


@pytest.mark.promise("SF-MCP-24")
def test_what_an_agent_runs_is_shown_with_its_author_and_every_byte_of_its_code(
    home: Path,
) -> None:
    with seated(home, NO_COLOR="1") as seat:
        seat.until(GREETED)
        seat.type("half a tho")
        seat.until(">>> half a tho")
        seat.bot(LOOP)
        shown = seat.until("c1 finished in")
        told = f"── c1  bot (agent, mcp) ──\n{LOOP}\n──\n1\n2\n── c1 finished in"
        assert told in shown
        assert LOOP.replace("\n", "\r\n").encode() in seat.raw
        seat.until(lambda shown: shown.rpartition(">>> ")[2].startswith("half a tho"))
        seat.type("\b" * 10 + "1+1\r")
        seat.until("# int")


def test_without_colour_nothing_is_coloured(home: Path) -> None:
    with seated(home, NO_COLOR="1") as seat:
        seat.until(GREETED)
        seat.bot("print")
        seat.type("1/0\r")
        seat.until("ZeroDivisionError")
        assert b"\x1b[31m" not in seat.raw
        assert b"\x1b[33m" not in seat.raw
        assert b"\x1b[2m" not in seat.raw


def test_nothing_that_an_agent_prints_is_obeyed(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.bot("evil")
        assert "red" in seat.until("c1 finished")
        assert b"\x1b]52" not in seat.raw
        assert b"\x1b[2J" not in seat.raw
        assert b"\x1b[31mred\x1b[0m" in seat.raw


def test_ctrl_c_stops_the_cell_and_not_the_session(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("hang\r")
        seat.until("begun")
        seat.until(lambda shown: "c1 runs" in shown and "Ctrl-C stops it" in shown)
        seat.type("kept")
        seat.type(CTRL_C)
        seat.until("cancelled after")
        seat.until(lambda shown: ">>> kept" in shown)
        seat.type(CTRL_C)
        seat.until(lambda shown: shown.rpartition(">>>")[2].lstrip("\n ").startswith("loom"))
        seat.type("1+1\r")
        assert seat.until("# int").count("cancelled after") == 1


def test_somebody_elses_cell_is_stopped_only_at_the_second_time(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.bot("hang")
        seat.until("c1 runs")
        seat.type(CTRL_C)
        assert "cancelled" not in seat.until("c1 is bot's: Ctrl-C once more stops it")
        seat.type(CTRL_C)
        seat.until("c1 was cancelled after")


def test_an_unfinished_line_is_shown_while_it_is_written(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("bar\r")
        shown = seat.until("90 %\n>>>")
        assert "10 %" not in shown
        seat.type(CTRL_C)
        assert "90 %\ncancelled after" in seat.until("cancelled after")


def test_input_asks_at_the_prompt_and_gives_back_what_was_typed(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("name = input()\rhalf a")
        seat.until("who are you?")
        seat.type("ann of the loom\r")
        shown = seat.until("ann of the loom  # str")
        assert "who are you? ann of the loom" in shown
        seat.until(lambda shown: ">>> half a" in shown)
    assert "ann of the loom" not in (home / "history").read_text()


def test_long_output_is_bounded_and_shown_whole_on_request(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("many\r")
        shown = seat.until("200 more lines; .show c1 shows all")
        assert "line 499\n" in shown
        assert "line 500\n" not in shown
        seat.type(".show c1\r")
        seat.until("line 699\n")
        seat.until("c1 finished after")


def test_completion_and_signatures_come_out_of_the_session(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("pri")
        seat.until("  print  function (*args)")
        seat.type("\t")
        seat.until(">>> print")
        seat.type(CTRL_C)
        seat.type("f(1, ")
        assert "Traceback" not in seat.until("f(a, b=2)  Add.")


@pytest.mark.promise("SF-REPL-02")
def test_sessions_are_listed_and_switched(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.others("new", "/yarn")
        seat.type(".sessions\r")
        shown = seat.until("/yarn")
        assert "\n*  loom  session-000001  ready" in shown
        assert re.search(r"\n   yarn  session-000002  (ready|warming up)  /yarn", shown)
        seat.type(".switch yar\r")
        seat.until("yarn · session-000002 · /yarn")
        seat.bot("1+1")
        seat.type("x = 1\r")
        seat.type(".switch nowhere\r")
        assert "there is no session 'nowhere'" in seat.until(".sessions lists them")


@pytest.mark.promise("SF-REPL-02")
def test_where_several_live_and_none_is_here_one_is_picked(home: Path) -> None:
    with seated(home, "scripted", "several") as seat:
        shown = seat.until("Enter for a new session here:")
        assert "1  cloth  session-000002" in shown
        assert "2  yarn   session-000001" in shown
        seat.type("9\r")
        seat.until("'9' is none of them")
        seat.type("yar\r")
        seat.until("yarn · session-000001 · /yarn")
    with seated(home.with_name("other"), "scripted", "several") as seat:
        seat.until("Enter for a new session here:")
        seat.type("\r")
        seat.until("loom · session-000003")


def test_commands_refusals_and_mistakes_are_told_with_what_helps(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type(".swich\r")
        seat.until("there is no command .swich\n  did you mean .switch?")
        seat.type(".cancel\r")
        seat.until("not now: the interpreter is idle")
        seat.type(".check undefined\r")
        seat.until("1:1 error: undefined name")
        seat.type(".rename weaver\r")
        seat.until("the session is called weaver now")
        seat.type(".who\r")
        seat.until("\nbot (mcp)\n")
        seat.type(".vars\r")
        seat.until("no variables")
        seat.type(".reset\r")
        seat.until("the variables are gone")
        seat.type(".stop\r")
        seat.until("the session is stopped; .hard-reset brings it back")
        seat.type("1+1\r")
        seat.until(lambda shown: shown.count("not now: ") == 2)
        seat.type(".help\r")
        seat.until(".hard-reset          replace the interpreter")
        seat.type(".q\r")
        assert seat.ended() == 0


def test_a_daemon_that_goes_and_comes_back_loses_nothing_that_was_typed(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.others("gone")
        seat.until("the daemon cannot be reached")
        seat.until("the daemon is away")
        seat.type("1+1\r")
        seat.type("half")
        seat.others("back")
        seat.until("the daemon is back")
        assert seat.until("# int").count("# int") == 1
        seat.until(">>> half")


def test_history_comes_back_after_a_restart(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.type("x = 1\r")
        seat.until(">>> x = 1")
        seat.type(CTRL_D)
        assert seat.ended() == 0
        assert "loom goes on; `hearth` comes back" in seat.shown()
    with seated(home) as seat:
        seat.until(">>>")
        seat.type(UP)
        seat.until(">>> x = 1")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(home: Path, number: signal.Signals) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        assert seat.attributes() != seat.before
        os.kill(seat.process.pid, number)
        assert seat.ended() == 128 + number
        assert seat.attributes() == seat.before
        assert seat.raw.rindex(b"\x1b[?2004l") > seat.raw.rindex(b"\x1b[?2004h")


def test_a_defect_is_told_in_a_sentence_and_leaves_the_terminal_as_it_was(home: Path) -> None:
    with seated(home) as seat:
        seat.until(GREETED)
        seat.others("crash")
        seat.type("1+1\r")
        assert seat.ended() == 70
        assert seat.attributes() == seat.before
        assert "the REPL failed (ZeroDivisionError: a defect); the session goes on" in seat.shown()
        assert "Traceback" not in seat.shown()


def test_without_a_terminal_data_goes_out_plain(home: Path) -> None:
    home.parent.joinpath("loom").mkdir()
    done = subprocess.run(  # noqa: S603 - the program is our own
        [sys.executable, "-m", "tests.clients.repl.child", str(home), "scripted", "plain"],
        input=f"1+1\nprint\n{LOOP}\n\n1/0\n.check undefined\n1+1\n",
        capture_output=True,
        text=True,
        cwd=home.parent / "loom",
        env=environ_for(home),
        timeout=60,
        check=False,
    )
    assert done.stdout == "2\none\ntwo\n1\n2\n1:1 error: undefined name\n2\n"
    assert "oops\n" in done.stderr
    assert "ZeroDivisionError: division by zero\n" in done.stderr
    assert "loom · session-000001" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert done.returncode == 1


def test_without_a_terminal_a_signal_ends_it_whatever_it_waits_for(home: Path) -> None:
    home.parent.joinpath("loom").mkdir()
    with subprocess.Popen(  # noqa: S603 - the program is our own
        [sys.executable, "-m", "tests.clients.repl.child", str(home), "scripted", "plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=home.parent / "loom",
        env=environ_for(home),
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write("hang\n1+1\n")
            child.stdin.flush()
            assert child.stdout.readline() == "begun\n"
            child.send_signal(signal.SIGTERM)
            assert child.wait(60) == 128 + signal.SIGTERM
            assert child.stdout.read() == ""
        finally:
            child.kill()
