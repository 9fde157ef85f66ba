"""The agent as a person meets it at a real terminal: spoken to, watched, steered and stopped."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.repl.screens import Seat, seated

CTRL_C, CTRL_D, CTRL_T = "\x03", "\x04", "\x14"
GREETED = "the session goes on"

TOLD = """\
ask > what is 6 times 7?
── scripted:weaver ──
  The person wants a product.
  I could guess it.
  But the interpreter is there, and knows it.
  … 2 more lines of thinking; .show thinking shows all
Let me **compute** that.
ask > and say it in words
m1 queued for the agent's next step; .unqueue m1 takes it back
▸ run_code  6 * 7
── c1  scripted:weaver (agent) ──
42  # int
── c1 finished in 0 ms ──
m1 delivered: and say it in words
It is
the answer was cut off (overloaded, status 529); asking again in 1.0 s
It is
**42**:

```python
assert 6 * 7 == 42
```
# t1 done · 2 steps · 2.0k tokens in, 1.8k of them cached · 62 out · N s
>>> half a tho"""
"""A whole turn, as it stands on the screen in the end."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def playing(home: Path, play: str, **environ: str) -> Iterator[Seat]:
    """The REPL with a session that is ready, and an agent that knows what it does next."""
    with seated(home, **environ) as seat:
        idle(seat)
        seat.others("play", play)
        yield seat


def idle(seat: Seat) -> str:
    """Wait until nothing runs; what is seen then."""
    seat.until(GREETED)
    return seat.until(lambda shown: "· ready ·" in shown.splitlines()[-1])


def timeless(shown: str) -> str:
    """What is shown, without how long it took."""
    shown = re.sub(r"out · [\d.]+ m?s", "out · N s", shown)
    return re.sub(r"c1 finished in [\d.]+ m?s", "c1 finished in 0 ms", shown)


@pytest.mark.promise("LK-CLI-08")
def test_a_turn_is_told_with_all_that_happens_in_it(home: Path) -> None:
    with playing(home, "everything", NO_COLOR="1") as seat:
        seat.type("> what is 6 times 7?\r")
        shown = seat.until("▸ run_code …")
        assert "t1 runs" in seat.until("Ctrl-C stops it")
        assert "c1" not in shown
        seat.type("> and say it in words\r")
        seat.until("m1 queued")
        seat.until("1 queued")
        seat.type("half a tho")
        seat.until(">>> half a tho")
        seat.others("goon")
        seat.until("m1 delivered")
        seat.until("forty-")
        seat.others("goon")
        seat.until("# t1 done")
        shown = idle(seat)
        assert TOLD in timeless(shown)
        assert "forty-" not in shown


def test_code_is_run_while_the_agent_writes(home: Path) -> None:
    with playing(home, "long") as seat:
        seat.type("> tell me\r")
        seat.until("Weaving is old.")
        seat.until("It goes\n>>>")
        seat.type("1+1\r")
        shown = seat.until("2  # int")
        assert shown.index("Weaving is old.") < shown.index(">>> 1+1")
        seat.others("goon")
        shown = seat.until("# t1 done")
        assert shown.count("Weaving is old.") == 1
        assert "\nIt goes\n" in shown


def test_ctrl_c_on_an_empty_line_stops_the_turn_and_its_cell(home: Path) -> None:
    with playing(home, "hanging") as seat:
        seat.type("> hang\r")
        seat.until("begun")
        seat.type("kept")
        seat.until(">>> kept")
        seat.type(CTRL_C)
        seat.until(lambda shown: ">>> kept" not in shown)
        assert "cancelled" not in seat.shown()
        seat.type(CTRL_C)
        seat.until("c1 was cancelled")
        shown = idle(seat)
        assert "# t1 cancelled" in shown
        seat.type("1+1\r")
        seat.until("2  # int")


def test_somebody_elses_turn_is_told_and_stopped_only_at_the_second_time(home: Path) -> None:
    with playing(home, "long") as seat:
        seat.others("bob", "tell me of weaving")
        shown = seat.until("Weaving is old.")
        assert "bob (cli) to the agent ──\ntell me of weaving\n" in shown
        seat.type(CTRL_C)
        seat.until("t1 is bob's: Ctrl-C once more stops it")
        seat.type(CTRL_C)
        seat.until("# t1 cancelled")


def test_one_key_speaks_to_the_agent_until_it_is_pressed_again(home: Path) -> None:
    with playing(home, "twice") as seat:
        seat.type(CTRL_T)
        seat.until(lambda shown: "\nask >" in shown)
        seat.type("one\r")
        seat.until("# t1 done")
        seat.type("two\r")
        seat.until("# t2 done")
        seat.type(".model\r")
        seat.until("the model is scripted:weaver")
        seat.type(CTRL_T)
        seat.type("1+1\r")
        shown = seat.until("2  # int")
        assert "ask > one\n" in shown
        assert "ask > two\n" in shown
        assert ">>> .model\n" in shown
        assert ">>> 1+1\n" in shown


def test_a_message_of_several_lines_is_ended_by_an_empty_one(home: Path) -> None:
    with playing(home, "twice") as seat:
        seat.type(">\rfirst:\rsecond\r\r")
        seat.until("# t1 done")
        seat.type(".conversation\r")
        shown = seat.until("to the agent ──\nfirst:\nsecond\n── b")
        assert "# t2" not in shown  # one message, not two


def test_nothing_that_a_model_writes_is_obeyed(home: Path) -> None:
    with playing(home, "evil") as seat:
        seat.type("> be evil\r")
        assert "red" in seat.until("# t1 done")
        assert b"\x1b]52" not in seat.raw
        assert b"\x1b]0;title" not in seat.raw
        assert b"\x1b[2J" not in seat.raw


def test_what_fails_is_told_with_what_helps(home: Path) -> None:
    with playing(home, "failing") as seat:
        seat.type("> hello\r")
        shown = seat.until("# t1 failed")
        assert "the key is not valid (status 529)\n  .regenerate tries again" in shown
        assert "Traceback" not in shown


@pytest.mark.promise("LK-CLI-08")
def test_the_commands_about_the_agent_answer_at_a_terminal(home: Path) -> None:
    with playing(home, "twice") as seat:
        seat.type(".model scripted:loom\r")
        seat.until("the model is scripted:loom from the next step on")
        seat.type(".set effort low\r")
        seat.until("the effort is low from the next step on")
        seat.type("> hello\r")
        seat.until("── scripted:loom ──\nFirst.")
        seat.until("# t1 done")
        seat.type(".info\r")
        seat.until("model     scripted:loom, effort low")
        seat.type(".regenerate\r")
        seat.until("Second.")
        seat.until("# t2 done")
        seat.type(".branches\r")
        seat.until(".switch BLOCK goes on from there")
        seat.type(".continue\r")
        seat.until("# t3 done")
        seat.type(".compress weaving\r")
        seat.until("a summary stands for what was said before")
        seat.until("# t4 done")
        seat.type(".usage\r")
        seat.until("all   4 ")
        seat.type(".session new weaver\r")
        seat.until("weaver · session-")
        for command in (".role x", ".agent x", ".rag"):
            seat.type(f"{command}\r")
            seat.until(f"{command.split()[0]} is not there yet\n  ")
        seat.type(".exit\r")
        assert seat.ended() == 0


@pytest.mark.promise("DL-CLI-06")
def test_who_comes_back_sees_the_same_conversation(home: Path) -> None:
    def told(seat: Seat) -> str:
        seat.type(".conversation\r")
        seat.until(lambda shown: "First." in shown.partition("to the agent ──")[2])
        return seat.shown().partition("── b")[2].partition("First.")[0]

    with playing(home, "twice") as seat:
        seat.type("> hello\r")
        seat.until("# t1 done")
        before = told(seat)
        assert "hello\n" in before
        seat.process.kill()
        seat.process.wait(30)
    with seated(home) as seat:
        shown = seat.until(GREETED)
        assert "2 messages with scripted:weaver; .conversation shows them" in shown
        assert told(seat) == before


@pytest.mark.promise("DP-PERM-10", "DP-PERM-11")
def test_what_an_agent_asks_for_is_answered_by_keys(home: Path) -> None:
    with playing(home, "shell") as seat:
        seat.type("> make it\r")
        seat.until("a1: allow it? [y] once  [s] this session  [a] always  [n] no, and why:")
        assert "$ make all" in seat.shown()
        assert "▸ run_shell" not in seat.shown()
        seat.type("a\r")
        shown = seat.until("Type yes to store it:")
        assert '    execute  "make all"\n    write    "out"\n' in shown
        seat.type("no\r")
        seat.until("nothing is stored")
        seat.type("y\r")
        shown = seat.until("# t1 done")
        assert "▸ run_shell  make all" in shown
        assert "a1 allowed once" in shown
