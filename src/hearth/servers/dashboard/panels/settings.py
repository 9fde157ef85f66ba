"""The settings that count where the session works, and where each is from."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from hearth.core.views.status import Status
from hearth.servers.dashboard.html import EMPTY, Child, Html, code, joined, li, p, span, strong, ul
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    LONGEST_FILTER,
    MOST,
    Column,
    badge,
    breakable,
    filtering,
    hint,
    left_out,
    nothing,
    part,
    path,
    rows_of,
    warning,
)
from hearth.servers.dashboard.panels.wording import counted, folder, one_line
from hearth.servers.http.around import ConfigShown, TrustShown
from hearth.servers.http.seeing import seen

NAME: Final = "settings"
LONGEST: Final = 300
MOST_FILES: Final = 20
_USUAL: Final = "default"
_COLUMNS: Final = (Column("Setting", "name"), Column("Value", "words"), Column("From", "words"))


async def show(looking: Looking, _: datetime) -> Html:
    """What is wrong with them, whether the project is trusted, then every one."""
    directory = await _directory(looking)
    shown = await looking.around.config.shown(directory)
    trust = await looking.around.trust.look(directory)
    wanted = looking.wanted.get("filter", "").strip()[:LONGEST_FILTER]
    warnings = [warning(one) for one in shown.warnings[:MOST]]
    return joined(
        part("Warnings", warnings) if warnings else EMPTY,
        _trust(trust),
        filtering(NAME, "Filter by name, value or source", wanted),
        _values(shown, wanted.casefold()),
    )


async def _directory(looking: Looking) -> str:
    """Where the session works; without one, the person's home."""
    if looking.session is None:
        return str(Path.home())
    status, _ = await seen(looking.around.hearth, "status", Status, looking.session)
    return status.directory or status.root or str(Path.home())


def _trust(trust: TrustShown) -> Html:
    where = strong(path(trust.root))
    if trust.trusted:
        mark = badge("trusted", "good")
        said = p("What ", where, " brings of its own takes effect, as it is now.")
    elif not trust.digest:
        mark = badge("not trusted", "warn")
        said = p(where, " cannot be looked at, so what it brings is left out.")
    elif trust.files:
        mark = badge("not trusted", "warn")
        said = p(
            "What ", where, " brings of its own is left out. ", code("hearth trust"), " lets it in."
        )
    else:
        mark = badge("nothing to trust")
        said = p(where, " brings nothing that takes effect by itself.")
    files = [li(code(one_line(one, LONGEST)), class_="p-break") for one in trust.files[:MOST_FILES]]
    return part(
        "Project",
        said,
        ul(files, class_="p-list", role="list") if files else EMPTY,
        left_out(MOST_FILES, len(trust.files), "file"),
        note=mark,
    )


def _values(shown: ConfigShown, wanted: str) -> Html:
    rows = [
        (key, _written(value), shown.sources.get(key, "")) for key, value in shown.values.items()
    ]
    found = sorted(row for row in rows if any(wanted in one.casefold() for one in row))
    changed = sum(row[2] not in {_USUAL, ""} for row in rows)
    note = f"{counted(len(rows), 'setting')}, {changed} set"
    where = hint("As they count in ", path(shown.directory))
    if not found:
        words = "No setting has this in it." if wanted else "Nothing is set."
        return part("Settings", where, nothing(words), note=note)
    # What somebody has set is looked for more often than what is usual.
    found.sort(key=lambda row: row[2] in {_USUAL, ""})
    return part(
        "Settings",
        where,
        rows_of("Settings", _COLUMNS, [_row(*row) for row in found[:MOST]]),
        left_out(MOST, len(found), "setting"),
        note=note,
    )


def _row(key: str, value: str, source: str) -> tuple[Child, Child, Child]:
    is_usual = source in {_USUAL, ""}
    told = (
        span(_USUAL, class_="muted")
        if is_usual
        else strong(breakable(one_line(folder(source), LONGEST)))
    )
    return code(breakable(one_line(key, LONGEST))), code(one_line(value, LONGEST)), told


def _written(value: Any) -> str:
    """A value as a settings file has it."""
    if isinstance(value, Mapping) and not value:
        return "{}"
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return str(value)
