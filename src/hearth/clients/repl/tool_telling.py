"""An agent's tool calls: one line for what it calls, a few for what came of it."""

import json
from collections.abc import Mapping
from typing import Final

from hearth.clients.agents.visible import visible
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, Words, is_whole, text_of
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.blocks import ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import BlockId, CallId, CellId
from hearth.core.vocabulary.turns import ToolStarted

LONGEST_SUMMARY: Final = 100
MOST_LINES: Final = 3
"""Of a result; `.show` has the rest."""
LONGEST_LINE: Final = 200
SHELL: Final = frozenset({"run_shell"})
"""The tools whose results end in how a command ended."""


class ToldCall:
    """A call that has no result yet."""

    def __init__(self, name: str, arguments: Text = "") -> None:
        self.name = clean(name, colour=False).replace("\n", " ")[:LONGEST_SUMMARY]
        self.summary = summary(arguments)
        self.code = code_in(arguments)
        self.is_told = False
        self.has_cell = False
        self.shares: CallId | None = None
        self.is_refused = False
        """A rule forbids it, which is told with the rule."""


class Calls:
    """The calls of one session's agent, from what is called to what came of it."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint
        self._open: dict[CallId, ToldCall] = {}
        self._cells: dict[CellId, CallId] = {}

    def called(self, block: ToolCallBlock) -> None:
        """A model wants this; it is told once it begins."""
        self._open[block.call] = ToldCall(block.name, block.arguments)

    def started(self, event: ToolStarted) -> list[Piece]:
        """A tool begins. A cell is told with its call, when it is its turn."""
        call = self._open.setdefault(event.call, ToldCall(event.name))
        if event.cell is not None:
            call.has_cell = True
            self._cells[event.cell] = event.call
            return []
        call.shares = event.shares
        return self._told(call, "(the same again)" if event.shares is not None else "")

    def runs(self, call: CallId) -> None:
        """The cell of this call runs and is told already."""
        known = self._open.get(call)
        if known is not None:
            known.has_cell = known.is_told = True

    def cell_started(self, cell: CellId, code: Text) -> tuple[list[Piece], bool] | None:
        """The line above a cell that is run for a call, and whether that is all its code."""
        known = self._open.get(self._cells.pop(cell, CallId("")))
        if known is None:
            return None
        is_all = is_whole(code) and known.summary == clean(text_of(code), colour=False).strip()
        return self._told(known, is_short=not is_all), is_all

    def refused(self, call: CallId, name: str) -> list[Piece]:
        """A rule forbids it: the line of the call, below which the rule is told."""
        known = self._open.setdefault(call, ToldCall(name))
        known.is_refused = True
        return [] if known.is_told else self._told(known)

    def head(self, call: CallId) -> str:
        """The line of a call, where it must be told once more."""
        known = self._open.get(call)
        return "" if known is None else self._line(known)

    def returned(self, block: ToolResultBlock, name: BlockId, written: int = 0) -> list[Piece]:
        """What came of a call; a cell and an equal call have told it already.

        So many lines that it has `written` were shown as they came.
        """
        call = self._open.pop(block.call, None) or ToldCall(block.name)
        if (call.has_cell and call.is_told) or call.shares is not None or call.is_refused:
            return []
        is_alone = not any(one.is_told for one in self._open.values()) and call.is_told
        before = [] if call.is_told else self._told(call)
        label = "" if is_alone or before else f"{call.name}: "
        return [*before, self._result(block, name, label, written)]

    def forget(self) -> None:
        """The turn is over: nothing is open any more. Its cells may still be to come."""
        self._open = {name: one for name, one in self._open.items() if one.has_cell}
        if not self._cells:
            self._open.clear()

    def _told(self, call: ToldCall, more: str = "", *, is_short: bool = False) -> list[Piece]:
        call.is_told = True
        return [Words(self._line(call, more, is_short=is_short), is_aside=True)]

    def _line(self, call: ToldCall, more: str = "", *, is_short: bool = False) -> str:
        lines = call.code.count("\n") + 1
        said = f"({lines} lines)" if is_short and lines > 1 else call.summary
        about = f"{said} {more}".strip()
        return f"{self._paint.strong(f'{self._paint.mark} {call.name}')}  {about}".rstrip()

    def _result(self, block: ToolResultBlock, name: BlockId, label: str, written: int) -> Words:
        arrow = "↳" if self._paint.drawings else "->"
        text, end = _parted(block)
        lines = clean(text, colour=False).strip("\n").split("\n")
        if written and end:
            lines = []
        shown = [line[:LONGEST_LINE] for line in lines[:MOST_LINES]]
        is_cut = any(len(line) > LONGEST_LINE for line in lines[:MOST_LINES])
        more = len(lines) - len(shown)
        if more or is_cut or not is_whole(block.result) or block.spilled:
            rest = f"{more} more lines" if more else "there is more"
            shown.append(f"{self._paint.more} {rest}; .show {name} shows all")
        shown += [end] if end else []
        paint = self._paint.trouble if block.is_error else self._paint.dim
        first, *others = shown
        text = "\n".join([f"  {arrow} {label}{first}", *(f"    {line}" for line in others)])
        return Words("\n".join(paint(line) for line in text.split("\n")), is_aside=True)


def _parted(block: ToolResultBlock) -> tuple[str, str]:
    """What a command wrote, and how it ended; of other tools all is what they wrote."""
    text = text_of(block.result)
    if block.name not in SHELL or not is_whole(block.result):
        return text, ""
    body, _, end = text.rstrip().rpartition("\n\n")
    if not body:
        return text, ""
    return body, clean(end, colour=False).replace("\n", " ")[:LONGEST_LINE]


def summary(arguments: Text) -> str:
    """What a call is made with, on one short line."""
    code = code_in(arguments)
    if code:
        return _short(code)
    said = decoded(arguments)
    if not isinstance(said, Mapping):
        return _short(text_of(arguments))
    if isinstance(command := said.get("command"), str):
        return _short(visible(command))
    path = said.get("path")
    if isinstance(path, str) and ("content" in said or "edits" in said):
        return _short(visible(path))  # what becomes of the file is told as a diff
    if len(said) == 1:
        (value,) = said.values()
        return _short(argument(value))
    return _short(", ".join(f"{key}={argument(value)}" for key, value in said.items()))


def code_in(arguments: Text) -> str:
    """The code that a call is about, if it is about code."""
    said = decoded(arguments)
    code = said.get("code") if isinstance(said, Mapping) else None
    return clean(code, colour=False).strip() if isinstance(code, str) else ""


def decoded(arguments: Text) -> object:
    """What a call is made with; None where that cannot be told."""
    try:
        return json.loads(text_of(arguments))
    except (ValueError, RecursionError):
        return None  # cut off, or never JSON: it is shown as it is


def argument(value: object) -> str:
    """One thing that a call is made with, as text."""
    return value if isinstance(value, str) else json.dumps(value)


def _short(text: str) -> str:
    line = " ".join(clean(text, colour=False).split())
    if "\n" not in text.strip() and len(line) <= LONGEST_SUMMARY:
        return clean(text, colour=False).strip()
    return f"{line[: LONGEST_SUMMARY - 1]}…" if len(line) > LONGEST_SUMMARY else line
