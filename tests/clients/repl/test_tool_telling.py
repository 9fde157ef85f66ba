"""Tool calls are told on one line, and what came of them in a few."""

import pytest
from tests.clients.repl.telling_of import text

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.tool_telling import LONGEST_SUMMARY, Calls, code_in, summary
from hearth.core.vocabulary.blocks import ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, TurnId
from hearth.core.vocabulary.turns import ToolStarted

K1, K2 = CallId("k1"), CallId("k2")
B = BlockId("b7")


def started(call: CallId, cell: str = "", shares: CallId | None = None) -> ToolStarted:
    return ToolStarted(call, TurnId("t1"), 0, "look", CellId(cell) if cell else None, shares)


@pytest.mark.parametrize(
    ("arguments", "short"),
    [
        ('{"code": "x = 1"}', "x = 1"),
        ('{"code": "for i in x:\\n    y"}', "for i in x: y"),
        ('{"path": "a.txt"}', "a.txt"),
        ('{"path": "a.txt", "most": 3}', "path=a.txt, most=3"),
        ('{"deep": {"a": [1]}}', '{"a": [1]}'),
        ("{}", ""),
        ("", ""),
        ("[1, 2]", "[1, 2]"),
        ("{broken", "{broken"),
        ('{"code": 3}', "3"),
    ],
)
def test_what_a_call_is_made_with_fits_on_a_line(arguments: str, short: str) -> None:
    assert summary(arguments) == short


def test_long_arguments_are_cut() -> None:
    assert len(summary('{"text": "' + "x" * 500 + '"}')) == LONGEST_SUMMARY
    assert summary(Blob("0" * 64, 90_000, head='{"code": "x')) == '{"code": "x'
    assert code_in('{"code": "a\\nb"}') == "a\nb"


def test_two_calls_at_once_say_whose_result_it_is() -> None:
    calls = Calls(Paint())
    calls.called(ToolCallBlock(K1, "look", '{"path": "a"}'))
    calls.called(ToolCallBlock(K2, "find", '{"path": "b"}'))
    assert text(calls.started(started(K1))) == "▸ look  a"
    assert text(calls.started(started(K2))) == "▸ find  b"
    assert text(calls.returned(ToolResultBlock(K2, "find", "two"), B)) == "  ↳ find: two"
    assert text(calls.returned(ToolResultBlock(K1, "look", "one"), B)) == "  ↳ one"


def test_a_call_that_shares_its_result_tells_it_once() -> None:
    calls = Calls(Paint())
    calls.called(ToolCallBlock(K1, "look", "{}"))
    calls.called(ToolCallBlock(K2, "look", "{}"))
    calls.started(started(K1))
    assert text(calls.started(started(K2, shares=K1))) == "▸ look  (the same again)"
    assert text(calls.returned(ToolResultBlock(K1, "look", "one"), B)).endswith("one")
    assert calls.returned(ToolResultBlock(K2, "look", "one"), B) == []


def test_a_cell_that_was_never_run_is_told_with_its_result() -> None:
    calls = Calls(Paint())
    calls.called(ToolCallBlock(K1, "look", '{"code": "x"}'))
    assert calls.started(started(K1, "c1")) == []
    result = ToolResultBlock(K1, "look", "Not run: the person cancelled the turn.", is_error=True)
    assert text(calls.returned(result, B)) == (
        "▸ look  x\n  ↳ Not run: the person cancelled the turn."
    )


def test_a_cell_is_known_by_the_call_that_runs_it() -> None:
    calls = Calls(Paint())
    calls.called(ToolCallBlock(K1, "look", '{"code": "x"}'))
    calls.started(started(K1, "c1"))
    calls.forget()
    found = calls.cell_started(CellId("c1"), "x")
    assert found is not None
    assert found[1]
    assert calls.cell_started(CellId("c2"), "x") is None
    calls.forget()
    assert text(calls.returned(ToolResultBlock(K1, "look", "late"), B)) == "▸ look\n  ↳ late"


def test_long_results_and_errors_are_told_as_such() -> None:
    calls = Calls(Paint(colour=True))
    long = ToolResultBlock(K1, "look", "x" * 900)
    shown = text(calls.returned(long, B))
    assert "there is more; .show b7 shows all" in shown
    failed = ToolResultBlock(K1, "look", "no such file", is_error=True)
    assert "\x1b[31m  ↳ no such file\x1b[0m" in text(calls.returned(failed, B))


def test_without_drawings_it_is_readable_too() -> None:
    calls = Calls(Paint(drawings=False))
    shown = text(calls.returned(ToolResultBlock(K1, "look", "one"), B))
    assert shown == "* look\n  -> one"
    assert shown.isascii()
