"""`hearth` as a whole: a fresh home, a real daemon, a real interpreter, a real terminal."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.clients.repl.screens import Seat, at_a_seat
from tests.journeys.homes import Home, a_home

from hearth.daemon.discovery import find

CTRL_C, CTRL_D = "\x03", "\x04"

Script: TypeAlias = list[dict[str, object]]
"""The answers of an agent."""


@contextmanager
def a_prompt(home: Home, *words: str) -> Iterator[Seat]:
    """`hearth` with these words, at a terminal."""
    arguments = [sys.executable, "-m", "hearth", *words]
    with at_a_seat(arguments, home.environment, home.project) as seat:
        yield seat


def written(home: Home, script: Script) -> None:
    """What the agent says from now on."""
    (home.project / "talk.json").write_text(json.dumps(script))


@contextmanager
def a_talk(home: Home, script: Script) -> Iterator[Seat]:
    """A prompt whose agent says what is written."""
    written(home, script)
    with a_prompt(home) as seat:
        seat.until(">>>")
        seat.type(".model scripted:talk.json\r")
        seat.until("from the next step on")
        yield seat


def daemon_killed(home: Home, seat: Seat) -> None:
    """Kill the daemon, and wait until the prompt has noticed."""
    found = find(str(home.path))
    assert found is not None
    os.kill(found.pid, signal.SIGKILL)
    seat.until("the daemon cannot be reached (it has ended); waiting for it")


@pytest.mark.slow
@pytest.mark.promise("SF-CLI-01", "SF-REPL-01")
def test_the_bare_command_gives_a_live_prompt_and_leaves_a_daemon(tmp_path: Path) -> None:
    with a_home(tmp_path) as home:
        with a_prompt(home) as seat:
            seat.until(">>>")
            seat.type("x = 20 + 1\rx * 2\r")
            shown = seat.until("42  # int")
            assert "project · session-" in shown
            seat.type("import os.pat")
            seat.until("path")
            seat.type(CTRL_C)
            seat.type("print(")
            seat.until("print(*args, sep=' '")
            seat.type(CTRL_C)
            seat.type("while True: pass\r")
            seat.until("runs")
            seat.type(CTRL_C)
            seat.until("cancelled after")
            seat.type("1/0\r")
            seat.until("ZeroDivisionError: division by zero")
            seat.type(CTRL_D)
            assert seat.ended() == 0
            assert seat.attributes() == seat.before
            assert "project goes on" in seat.shown()
        assert find(str(home.path)) is not None
        with a_prompt(home, "connect") as seat:
            seat.until("Python 3.")
            seat.type("x\r")
            seat.until("21  # int")


@pytest.mark.slow
def test_a_daemon_that_is_killed_is_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    with a_home(tmp_path) as home, a_prompt(home) as seat:
        seat.until(">>>")
        seat.type("x = 21\rx\r")
        seat.until("21  # int")
        daemon_killed(home, seat)
        seat.type("x * 2\rhalf a tho")
        assert home.hearth("-d").returncode == 0
        seat.until("the daemon is back")
        shown = seat.until("42  # int")
        assert shown.count("42  # int") == 1
        seat.until(">>> half a tho")


@pytest.mark.slow
def test_input_and_passwords_are_asked_at_the_prompt(tmp_path: Path) -> None:
    with a_home(tmp_path) as home, a_prompt(home) as seat:
        seat.until(">>>")
        seat.type("import getpass; getpass.getpass('secret? ')\r")
        seat.until("\nsecret?")
        seat.type("hunter2\r")
        shown = seat.until("'hunter2'")
        assert "secret? *******" in shown
        assert "hunter2" not in (home.path / "history").read_text()


@pytest.mark.slow
def test_what_a_script_runs_is_seen_and_plain_input_is_taken(tmp_path: Path) -> None:
    with a_home(tmp_path) as home, a_prompt(home) as seat:
        seat.until("Python 3.")
        done = home.hearth("run", "if True:\n    y = 6\n    print(y * 7)")
        assert done.stdout == "42\n"
        shown = seat.until("finished in")
        assert "if True:\n    y = 6\n    print(y * 7)\n──\n42\n──" in shown
        assert "(cli) ──" in shown
        done = home.hearth("connect", stdin=None, input="y + 1\n1/0\n")
        assert done.stdout == "7\n"
        assert "ZeroDivisionError" in done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        assert done.returncode == 1


SCRIPT: Script = [
    {
        "thinking": "It is a sum.\n",
        "text": "Let me add them.",
        "calls": [{"name": "run_code", "arguments": {"code": "total = sum(range(5))\ntotal"}}],
    },
    {"text": "The sum is **10**.\n"},
    {"text": "Slowly " * 500, "delay": 0.05},
]


@pytest.mark.slow
@pytest.mark.promise("LK-CLI-08", "DL-CLI-06")
def test_the_agent_works_in_the_persons_own_interpreter_and_is_stopped(tmp_path: Path) -> None:
    with a_home(tmp_path) as home:
        with a_talk(home, SCRIPT) as seat:
            seat.type("> add up to five\r")
            shown = seat.until("# t1 done")
            assert "▸ run_code  (2 lines)\n── c1  scripted:talk.json (agent) ──\n" in shown
            assert "\n10  # int\n── c1 finished" in shown
            assert "The sum is 10." in shown
            seat.type("total\r")
            seat.until(">>> total\n10  # int")
            seat.type("> and slowly\r")
            seat.until("Slowly Slowly")
            seat.type(CTRL_C)
            seat.until("# t2 cancelled")
            seat.type(CTRL_D)
            assert seat.ended() == 0
        with a_prompt(home) as seat:
            seat.until("messages with scripted:talk.json; .conversation shows them")
            seat.type(".conversation\r")
            seat.until("The sum is 10.")
        piped = home.hearth("connect", stdin=None, input="> once more\ntotal\n")
        assert "10\n" in piped.stdout
        assert "The script ends here." in piped.stdout
        assert "\x1b" not in piped.stdout + piped.stderr


@pytest.mark.slow
def test_a_turn_goes_on_after_its_daemon_was_killed_and_is_told_whole(tmp_path: Path) -> None:
    script: Script = [{"text": "One\ntwo\n" + "three " * 40 + "\nfour.", "delay": 0.1}]
    with a_home(tmp_path) as home, a_talk(home, script) as seat:
        seat.type("> count\r")
        seat.until("three three")
        daemon_killed(home, seat)
        seat.type("> thank you\rhalf a tho")
        written(home, [{**script[0], "delay": 0}])
        assert home.hearth("-d").returncode == 0
        seat.until("the daemon is back")
        seat.until("the answer was cut off (the daemon was restarted); asking again")
        shown = seat.until("# t2 done")
        told = shown.partition("asking again")[2]
        assert "\nOne\ntwo\nthree three" in told
        assert told.count("four.") == 1
        assert "# t1 done" in told
        assert shown.count("The script ends here.") == 1
        seat.until(">>> half a tho")
