"""A copy is made between two cells, so that none waits for it; what changes anything spoils it."""

import os
import signal
from collections.abc import Iterator

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, drop, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker

from hearth.performers.interpreter.inside import processes

AHEAD = "ahead"


@pytest.fixture
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        made.ready().run("x = 0")
        yield made


def made_ahead(one: Worker) -> int:
    """The process of the copy for the next cell, once there is one."""
    return int(until(lambda: copies(one).get(AHEAD), "a copy is made ahead"))


def cell(one: Worker, name: str, code: str = "x += 1") -> None:
    """Run a cell as the daemon does where its cells can be taken back."""
    told = one.run(code, copy=name, ahead=True).told["copy"]
    assert (told["name"], told["kept"], told["obstacles"]) == (name, True, [])


def test_the_next_cell_has_the_copy_that_is_there(one: Worker) -> None:
    cell(one, "c1")
    there = made_ahead(one)
    cell(one, "c2")
    assert copies(one)["c2"] == there
    assert made_ahead(one) != there
    undo(one, "c2")
    assert one.run("x").value == "1"
    undo(one, "c1")
    assert one.run("x").value == "0"


def test_nobody_gets_one_who_did_not_ask(one: Worker) -> None:
    one.run("x += 1", copy="c1")
    cell(one, "c2")
    made_ahead(one)
    assert sorted(copies(one)) == [AHEAD, "c1", "c2"]


@pytest.mark.parametrize("how", ["a cell", "a question", "a cell beside"])
def test_what_may_change_something_spoils_it(one: Worker, how: str) -> None:
    cell(one, "c1")
    there = made_ahead(one)
    if how == "a cell":
        one.run("x = 7")
    elif how == "a question":
        one.ask("names")
    else:
        created = one.request("create_subshell_request", {}, channel="control")["content"]
        one.run("x = 7", subshell=created["subshell_id"])
    until(lambda: processes.parent(there) is None, "it has ended")
    assert AHEAD not in copies(one)
    cell(one, "c2")
    assert copies(one)["c2"] != there
    undo(one, "c2")
    assert one.run("x").value == ("1" if how == "a question" else "7")


def test_one_that_died_is_made_when_the_cell_comes(one: Worker) -> None:
    cell(one, "c1")
    there = made_ahead(one)
    os.kill(there, signal.SIGKILL)
    until(lambda: processes.parent(there) is None, "it has ended")
    cell(one, "c2")
    assert copies(one)["c2"] != there
    undo(one, "c2")
    assert one.run("x").value == "1"


def test_what_was_made_of_the_kernel_that_was_is_not_for_the_one_that_was_woken(
    one: Worker,
) -> None:
    cell(one, "c1")
    there = made_ahead(one)
    undo(one, "c1")
    until(lambda: processes.parent(there) is None, "it has ended")
    assert copies(one) == {}
    cell(one, "c1", "x = 5")
    made_ahead(one)
    undo(one, "c1")
    assert one.run("x").value == "0"


def test_a_branch_has_none_and_takes_none(one: Worker) -> None:
    cell(one, "c1")
    there = made_ahead(one)
    with branch(one, one.folder.parent) as other:
        assert copies(other) == {}
        assert other.run("x").value == "1"
        assert copies(one)[AHEAD] == there
        cell(other, "c2")
        assert copies(other)["c2"] != there
    cell(one, "c2")
    assert copies(one)["c2"] == there


def test_where_nothing_can_be_copied_none_is_made_and_the_cell_says_why(one: Worker) -> None:
    cell(one, "c1", "import socket; s = socket.socket()")
    told = one.run("1", copy="c2", ahead=True).told["copy"]
    assert not told["kept"]
    assert "socket" in told["obstacles"][0]
    one.run("s.close()")
    cell(one, "c3")
    drop(one, "c1")
    assert made_ahead(one)
