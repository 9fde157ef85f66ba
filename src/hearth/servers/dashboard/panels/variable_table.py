"""The variables of the interpreter: name, type, size and how each begins."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.servers.dashboard.actions import local
from hearth.servers.dashboard.html import EMPTY, Html, button, code, div, joined, span
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    LONGEST_FILTER,
    MOST,
    Column,
    breakable,
    choice,
    filtering,
    hint,
    left_out,
    nothing,
    part,
    rows_of,
    trouble,
    when,
)
from hearth.servers.dashboard.panels.variables import Known, Listed, Variables
from hearth.servers.dashboard.panels.wording import counted, one_line, size
from hearth.servers.http.seeing import seen

NAME: Final = "variables"
LONGEST: Final = 120
_WHY: Final = {
    PhaseName.UNINITIALIZED: "There is no interpreter, so there are no variables.",
    PhaseName.WARMING_UP: "The interpreter is being started.",
    PhaseName.READY: "The interpreter cannot be asked now.",
    PhaseName.EVALUATING: "The interpreter cannot be asked now.",
    PhaseName.FAULTED: "The interpreter is gone, and its variables with it.",
}
_ORDERS: Final[dict[str, tuple[Callable[[Variable], Any], bool]]] = {
    "name": (lambda one: (one.name.casefold(), one.name), False),
    "-name": (lambda one: (one.name.casefold(), one.name), True),
    "-size": (lambda one: (-one.size, one.name), False),
    "size": (lambda one: (one.size, one.name), False),
}


class VariablePanel:
    """Draws them, sorted and filtered as whoever looks wants."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables

    async def show(self, looking: Looking, session: SessionId, now: datetime) -> Html:
        """The table, or why there is none."""
        hearth = looking.around.hearth
        status, _ = await seen(hearth, "status", Status, session)
        known = await self._variables.look(hearth, status, looking.wanted.get("again", ""))
        if known.listed is None:
            return _unknown(status, known)
        wanted = looking.wanted.get("filter", "")[:LONGEST_FILTER]
        order = looking.wanted.get("sort", "")
        order = order if order in _ORDERS else "name"
        return joined(
            _standing(status, known, known.listed, now),
            filtering(NAME, "Filter by name or type", wanted, {"sort": order}),
            _table(known.listed, order, wanted),
        )


def _unknown(status: Status, known: Known) -> Html:
    if Affordance.LIST_VARIABLES not in status.available:
        return nothing(_WHY[status.state])
    if known.is_asked or not known.problem:
        return nothing("The interpreter was asked and is busy. They come as soon as it answers.")
    return joined(trouble(f"The variables are not known: {known.problem}"), _again(known))


def _again(known: Known) -> Html:
    return div(choice("Ask again", NAME, {"again": str(known.number)}), class_="row")


def _standing(status: Status, known: Known, listed: Listed, now: datetime) -> Html:
    """From when it is, where that is not now."""
    if known.is_current:
        return EMPTY
    since = when(listed.at, now, is_clock=True)
    if known.is_asked or status.state is PhaseName.EVALUATING:
        return hint("As of ", since, "; the interpreter is busy.")
    why = known.problem or _WHY[status.state]
    return joined(hint("As of ", since, f": {one_line(why)}"), _again(known))


def _table(listed: Listed, order: str, wanted: str) -> Html:
    found = [one for one in listed.variables if _fits(one, wanted.casefold())]
    key, is_reversed = _ORDERS[order]
    found.sort(key=key, reverse=is_reversed)
    total = counted(listed.total, "variable")
    note = f"{len(found)} of {total}" if wanted else total
    if not found:
        words = "Nothing has this name or type." if wanted else "Nothing is defined yet."
        return part("Variables", nothing(words), note=note)
    columns = (
        _sorting("Name", "name", order, wanted),
        Column("Type", "words"),
        _sorting("Size", "size", order, wanted),
    )
    rows = ((joined(_name(one), _value(one)), _type(one), size(one.size)) for one in found[:MOST])
    more = listed.total - len(listed.variables) if not wanted else 0
    return part(
        "Variables",
        rows_of("Variables of the interpreter", columns, rows),
        left_out(MOST, len(found) + more, "variable"),
        note=note,
    )


def _fits(one: Variable, wanted: str) -> bool:
    return wanted in one.name.casefold() or wanted in one.value_type.casefold()


def _sorting(title: str, by: str, order: str, wanted: str) -> Column:
    """The head of a column that can be sorted by; once more turns it around."""
    is_on = order.lstrip("-") == by
    usual = "-size" if by == "size" else by
    turned = {"name": "-name", "-name": "name", "size": "-size", "-size": "size"}
    arrow = "" if not is_on else (" ▲" if not order.startswith("-") else " ▼")
    words = joined(title, span(arrow, aria_hidden="true"))
    about = f"Sort by {title.lower()}"
    then = turned[order] if is_on else usual
    head = choice(words, NAME, {"sort": then, "filter": wanted}, is_on=is_on, about=about)
    kind = "num" if by == "size" else "name"
    if not is_on:
        return Column(head, kind, "none")
    return Column(head, kind, "descending" if order.startswith("-") else "ascending")


def _name(one: Variable) -> Html:
    shown = one_line(one.name, LONGEST)
    if shown != one.name:
        return code(shown)  # nothing that somebody would type
    return button(
        breakable(shown),
        type_="button",
        class_="p-insert mono",
        title=f"Put {shown} into what you write",
        **local("insert", put=one.name),
    )


def _type(one: Variable) -> Html:
    whole = one_line(one.value_type, 300)
    short = whole.rpartition(".")[2] or whole
    much = one.shape or ("" if one.length is None else counted(one.length, "item"))
    more = div(one_line(much, 60), class_="muted") if much else EMPTY
    return joined(code(one_line(short, 60), title=whole if whole != short else None), more)


def _value(one: Variable) -> Html:
    if not one.preview:
        return EMPTY
    whole = one_line(one.preview, 500)
    return code(one_line(one.preview, LONGEST), class_="p-clip muted", title=whole)
