"""What is wrong with code: by the checks of this session, and by language servers."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from hearth.core.views.diagnostics import Diagnostics
from hearth.core.views.status import Status
from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import (
    EMPTY,
    Html,
    code,
    details,
    div,
    joined,
    li,
    p,
    span,
    summary,
    ul,
)
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import MOST, Tone, badge, breakable, hint, left_out, part
from hearth.servers.dashboard.panels.wording import below, counted, one_line
from hearth.servers.http.agents.oversight import FoundInProject, FoundOne
from hearth.servers.http.seeing import seen

LONGEST: Final = 500
MOST_FILES: Final = 100
_ORDER: Final = tuple(Severity)
_TONES: Final[dict[Severity, Tone]] = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warn",
    Severity.INFO: "info",
    Severity.HIDDEN: "",
}
_MARKS: Final = {
    Severity.ERROR: "✕",
    Severity.WARNING: "▲",
    Severity.INFO: "i",
    Severity.HIDDEN: "·",
}


class Finding(NamedTuple):
    """One finding. Lines and columns count from 1."""

    severity: Severity
    line: int
    column: int
    message: str
    rule: str = ""
    told: str = ""
    """Which agents know of it, in words."""
    is_gone: bool = False


class InFile(NamedTuple):
    """The findings of one file."""

    name: str
    findings: tuple[Finding, ...]


async def show(looking: Looking, session: SessionId, _: datetime) -> Html:
    """Both, grouped by file, the worst first."""
    around = looking.around
    status, _seq = await seen(around.hearth, "status", Status, session)
    checked, _seq = await seen(around.hearth, "diagnostics", Diagnostics, session)
    root = status.root or status.directory
    own = _of_session(checked, root)
    said = _part("Checked in this session", own, "Nothing is wrong with what was checked here.")
    try:
        found = await around.agents.found(root)
    except Exception as error:  # noqa: BLE001 - what servers do must not hide what is known here
        why = f"What language servers found cannot be told now: {error}"
        return joined(said, part("Project", hint(one_line(why))))
    nothing = "Language servers found nothing so far. They look at files that agents touch."
    return joined(said, _part("Found in the project", _of_project(found), nothing))


def _of_session(checked: Diagnostics, root: str) -> list[InFile]:
    files = []
    for key, one in checked.by_key.items():
        found = (
            Finding(each.severity, each.start_line, each.start_column + 1, each.message, each.rule)
            for each in one.diagnostics
        )
        name = below(key, root) if "/" in key else "code without a file"
        files.append(InFile(name, _worst_first(found)))
    return [one for one in reversed(files) if one.findings]


def _of_project(project: FoundInProject) -> list[InFile]:
    return [
        InFile(below(file.path, project.root), _worst_first(map(_found, file.findings)))
        for file in project.files
        if file.findings
    ]


def _found(one: FoundOne) -> Finding:
    names = list(dict.fromkeys(one_line(each.agent, 60) or "an agent" for each in one.given))
    told = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    rule = f"{one.server} {one.rule}".strip()
    return Finding(
        one.severity, one.line, one.column, one.message, rule, told, is_gone=not one.current
    )


def _worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    def rank(one: Finding) -> tuple[bool, int, int, int]:
        return (one.is_gone, _ORDER.index(one.severity), one.line, one.column)

    return tuple(sorted(found, key=rank))


def _part(heading: str, files: Sequence[InFile], nothing: str) -> Html:
    if not files:
        return part(heading, hint(nothing), note="nothing found")
    ordered = sorted(files, key=lambda one: [-number for number in _numbers([one])])
    room, shown = MOST, []
    for one in ordered[:MOST_FILES]:
        if room <= 0:
            break
        shown.append(_file(one, room))
        room -= len(one.findings)
    total = sum(len(one.findings) for one in files)
    return part(
        heading,
        shown,
        left_out(min(MOST, total), total, "finding"),
        note=_counts(files),
    )


def _file(file: InFile, room: int) -> Html:
    rows = [_row(one) for one in file.findings[:room]]
    return details(
        summary(
            span(breakable(one_line(file.name, LONGEST)), class_="p-file mono"),
            span(_counts([file]), class_="muted small"),
        ),
        ul(rows, class_="p-findings", role="list"),
        open=True,
        data_preserve_attr="open",
        class_="p-more",
    )


def _row(one: Finding) -> Html:
    mark = span(_MARKS[one.severity], class_="p-severity-mark", aria_hidden="true")
    told = p(f"told to {one.told}", class_="muted small") if one.told else EMPTY
    gone = badge("not found any more") if one.is_gone else EMPTY
    return li(
        div(
            mark,
            badge(str(one.severity), _TONES[one.severity]),
            span(f"{one.line}:{one.column}", class_="mono"),
            code(one_line(one.rule, 60), class_="muted") if one.rule else EMPTY,
            gone,
            class_="row row-wrap",
        ),
        p(one_line(one.message, LONGEST)),
        told,
        class_=f"p-finding p-finding-{one.severity}",
    )


def _numbers(files: Sequence[InFile]) -> tuple[int, int, int, int]:
    """How many there are of each severity, of those that still hold."""
    found = [one.severity for file in files for one in file.findings if not one.is_gone]
    error, warning, info, hidden = (found.count(one) for one in _ORDER)
    return error, warning, info, hidden


def _counts(files: Sequence[InFile]) -> str:
    error, warning, info, hidden = _numbers(files)
    said = []
    if error:
        said.append(counted(error, "error"))
    if warning:
        said.append(counted(warning, "warning"))
    if info + hidden:
        said.append(counted(info + hidden, "note"))
    return ", ".join(said) or "nothing left"
