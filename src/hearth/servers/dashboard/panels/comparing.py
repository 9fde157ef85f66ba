"""What two sessions hold otherwise, side by side; and of which moment that is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from hearth.core.views.differences import differing
from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.phases import PhaseName
from hearth.servers.dashboard.html import EMPTY, Html, code, joined, span
from hearth.servers.dashboard.panels.parts import (
    MOST,
    Column,
    choice,
    hint,
    left_out,
    nothing,
    part,
    rows_of,
    trouble,
    when,
)
from hearth.servers.dashboard.panels.variables import Known, Listed
from hearth.servers.dashboard.panels.wording import counted, one_line

NAME: Final = "branches"
LONGEST: Final = 100
STOPPED: Final = "it is stopped, and they are gone"
BUSY: Final = "it is busy. They come as soon as it answers"
_GONE: Final = {
    PhaseName.UNINITIALIZED: "it has no interpreter",
    PhaseName.WARMING_UP: "its interpreter is being started",
    PhaseName.FAULTED: "its interpreter is gone, and they with it",
}


class Side(NamedTuple):
    """One of the two, and what is known of it."""

    name: str
    status: Status
    known: Known

    @property
    def listed(self) -> Listed | None:
        """Its variables; None where there are none now, whatever was known of them once."""
        return None if self.gone else self.known.listed

    @property
    def gone(self) -> str:
        """Why it has no variables, if it has none."""
        return STOPPED if self.status.stopped else _GONE.get(self.status.state, "")

    @property
    def is_whole(self) -> bool:
        """All of them are listed."""
        return self.listed is not None and self.listed.total <= len(self.listed.variables)


def compared_with(
    name: str, sides: Sequence[Side], wanted: Mapping[str, str], now: datetime
) -> Html:
    """The names that differ; or which of the two does not tell, and why.

    `wanted` is what shows this comparison again.
    """
    heading, close = f"Compared with {name}", choice("Close the comparison", NAME)
    about = [_standing(one, wanted, now) for one in sides]
    here, there = sides
    if here.listed is None or there.listed is None:
        return part(heading, *about, close)
    found = differing(here.listed.variables, there.listed.variables)
    left = max(one.total - len(one.variables) for one in (here.listed, there.listed))
    unseen = hint(f"{counted(left, 'variable')} could not be looked at.") if left > 0 else EMPTY
    if not found:
        return part(heading, *about, nothing("No variable differs."), unseen, close)
    columns = (Column("Name", "name"), Column("Here", "words"), Column("There", "words"))
    rows = (
        (code(one_line(one.name, LONGEST)), _value(one.here, here), _value(one.there, there))
        for one in found[:MOST]
    )
    return part(
        heading,
        *about,
        rows_of(f"Variables that differ between this session and {name}", columns, rows),
        left_out(MOST, len(found), "variable"),
        unseen,
        close,
        note=counted(len(found), "difference"),
    )


def _standing(side: Side, wanted: Mapping[str, str], now: datetime) -> Html:
    """What must be known about one side: that it does not tell, or that it told long ago."""
    known = side.known
    again = EMPTY
    if known.problem and not side.gone:
        again = choice("Ask again", NAME, {**wanted, "again": str(known.number)})
    if side.listed is None:
        why = side.gone or known.problem or BUSY
        return joined(trouble(f"{side.name} does not tell its variables: {why}."), again)
    if known.is_current:
        return EMPTY
    why = known.problem or "it is busy"
    since = when(side.listed.at, now, is_clock=True)
    return joined(hint(f"{side.name} as of ", since, f": {one_line(why)}."), again)


def _value(variable: Variable | None, side: Side) -> Html:
    if variable is None:
        return span("not there" if side.is_whole else "not listed", class_="muted")
    kind = one_line(variable.value_type, 60).rpartition(".")[2]
    much = variable.shape or ("" if variable.length is None else counted(variable.length, "item"))
    return joined(
        code(kind),
        span(f" {one_line(much, 60)}", class_="muted") if much else None,
        code(
            one_line(variable.preview, LONGEST),
            class_="p-clip muted",
            title=one_line(variable.preview, 500),
        )
        if variable.preview
        else None,
    )
