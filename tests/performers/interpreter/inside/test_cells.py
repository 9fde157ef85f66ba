"""What a request says about its cell."""

from hearth.performers.interpreter.inside.cells import CURRENT, RunningCell


def test_a_request_of_the_daemon_says_what_its_cell_may() -> None:
    told = {"script": "/a.py", "output_limit": 10, "may_ask": True}
    cell = RunningCell({"header": {"msg_id": "m"}, "metadata": {"hearth": told}})
    assert (cell.request, cell.script, cell.output_limit) == ("m", "/a.py", 10)
    assert cell.may_ask(allowed=False)
    assert not cell.over.is_set()


def test_the_daemon_decides_who_may_ask_and_other_clients_for_themselves() -> None:
    silent = RunningCell({"metadata": {"hearth": {"may_ask": False}}})
    assert not silent.may_ask(allowed=True)
    foreign = RunningCell({"metadata": {}})
    assert foreign.may_ask(allowed=True)
    assert not foreign.may_ask(allowed=False)
    assert foreign.script is None
    assert foreign.output_limit is None


def test_a_request_that_says_nonsense_is_a_plain_one() -> None:
    cell = RunningCell({"metadata": {"hearth": "nonsense"}})
    assert cell.told is None
    odd = RunningCell({"metadata": {"hearth": {"output_limit": "many", "script": ""}}})
    assert odd.output_limit is None
    assert odd.script is None


def test_outside_of_cells_none_is_current() -> None:
    assert CURRENT.get() is None
