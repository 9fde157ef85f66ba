"""Lists for people: sessions, variables, findings, who is there."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hearth.clients.repl.host import Present
from hearth.clients.repl.painting import Paint, ago, moment, shortened
from hearth.clients.repl.sanitising import clean
from hearth.core.views.sessions import SessionRow
from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.content import Diagnostic
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName

STATES: dict[PhaseName, str] = {
    PhaseName.UNINITIALIZED: "stopped",
    PhaseName.WARMING_UP: "warming up",
    PhaseName.READY: "ready",
    PhaseName.EVALUATING: "running",
    PhaseName.FAULTED: "faulted",
}
"""The states, as people read them."""


def attach_lines(status: Status, others: Sequence[Present], now: datetime, paint: Paint) -> str:
    """What one is attached to: id, name, directory, start, last activity, and who else is here."""
    first = [
        paint.strong(clean(status.name, colour=False)),
        status.session,
        clean(shortened(status.root or status.directory), colour=False),
    ]
    language = (status.language or "python").capitalize()
    second = [
        f"{language} {clean(status.version, colour=False)}".rstrip(),
        STATES[status.state],
        f"started {moment(status.started_at, now)}",
        f"last used {ago(status.last_activity, now)}",
        f"with {named(others)}" if others else "nobody else is here",
    ]
    lines = [paint.dot.join(part for part in first if part), paint.dim(paint.dot.join(second))]
    lines += [paint.warning(clean(notice, colour=False)) for notice in status.notices]
    return "\n".join(lines)


def named(others: Iterable[Present]) -> str:
    """Everybody by name, and through which door."""
    return ", ".join(
        clean(f"{one.name or one.kind} ({one.door or one.kind})", colour=False) for one in others
    )


def session_lines(
    rows: Sequence[SessionRow], here: SessionId | None, now: datetime, *, numbered: bool = False
) -> str:
    """All sessions, the one that is attached with a star, or each with the number to pick it by."""
    table = [
        (
            f"{place}" if numbered else ("*" if row.session == here else " "),
            clean(row.name, colour=False),
            row.session,
            "in trouble" if row.trouble else STATES[row.state],
            clean(shortened(row.root or row.directory), colour=False),
            ago(row.last_activity, now),
        )
        for place, row in enumerate(rows, 1)
    ]
    return columns(table)


def variable_lines(variables: Sequence[Variable], total: int, width: int) -> str:
    """The variables as a table that fits the terminal."""
    if not variables:
        return "no variables"
    table = [
        (one.name, one.value_type, one.shape or _length(one), _flat(one.preview))
        for one in variables
    ]
    text = columns([tuple(clean(cell, colour=False) for cell in row) for row in table], width)
    more = total - len(variables)
    return f"{text}\n({more} more; .vars PREFIX shows fewer)" if more > 0 else text


def finding_lines(found: Sequence[Diagnostic], paint: Paint) -> str:
    """What is wrong with some code, one line each."""
    if not found:
        return paint.dim("nothing found")
    return "\n".join(
        clean(
            f"{one.start_line}:{one.start_column + 1} {one.severity.value}: {one.message}"
            + (f" ({one.rule})" if one.rule else ""),
            colour=False,
        )
        for one in found
    )


def columns(table: Sequence[Sequence[str]], width: int = 0) -> str:
    """Cells under each other; lines longer than `width` are cut."""
    if not table:
        return ""
    sizes = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    lines = [
        "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()
        for row in table
    ]
    return "\n".join(line[:width] if width else line for line in lines)


def _length(variable: Variable) -> str:
    return "" if variable.length is None else f"{variable.length} items"


def _flat(text: str) -> str:
    return " ".join(text.split())[:200]
