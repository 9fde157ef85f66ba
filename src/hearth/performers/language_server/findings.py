"""What language servers find, who was given it, and how the servers are: data for every door."""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.wire import Part

ORDER: Final = {one: place for place, one in enumerate(Severity)}
"""The worst first."""


class Finding(Part, frozen=True):
    """One thing that a server found in a file. Lines and columns count from 1."""

    path: str
    """Absolute."""
    line: int
    column: int
    severity: Severity
    message: str
    rule: str = ""
    server: str = ""
    source: str = ""
    """The line that it is about, without its indentation; empty where the text is not known. By it
    a finding is known again when lines above it come and go."""


class GivenTo(Part, frozen=True):
    """Who was given a finding."""

    session: SessionId
    agent: str = ""
    at: str = ""
    """When, as ISO 8601."""


class Noted(Part, frozen=True):
    """A finding, and who was given it."""

    finding: Finding
    given: tuple[GivenTo, ...] = ()
    is_current: bool = True
    """False: it was given to somebody, and is not found any more."""


class ServerState(StrEnum):
    """How a server is."""

    STARTING = "starting"
    READY = "ready"
    CRASHED = "crashed"
    """It ended by itself, and is started again after a while."""
    STOPPED = "stopped"
    """It is not used now, or ended too often to be started again."""
    MISSING = "missing"
    """Its program is not installed."""


class ServerStatus(Part, frozen=True):
    """One server of one project."""

    root: str
    server: str
    state: ServerState
    why: str = ""
    """What is wrong, or why it stopped; what would help."""
    restarts: int = 0
    """How often it ended by itself in the last ten minutes."""
    pid: int = 0
    open_files: int = 0
    since: str = ""
    """Since when it is in this state, as ISO 8601."""


def new_ones(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of `after` that were not there before, wherever in the file they stood then."""
    old, new = list(before), list(after)
    for known_by in (identity, _by_line):
        counts = Counter(map(known_by, old))
        kept = counts & Counter(map(known_by, new))
        old, new = _without(old, kept, known_by), _without(new, kept, known_by)
    # Where the text was not or is not known, only what is said can be compared.
    vague = Counter(identity(one)[:-1] for one in old if not one.source)
    known = Counter(identity(one)[:-1] for one in old)
    fresh = []
    for one in new:
        rest = vague if one.source else known
        said = identity(one)[:-1]
        if rest[said] > 0:
            rest[said] -= 1
        else:
            fresh.append(one)
    return tuple(fresh)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first, then by place."""
    return sorted(
        findings,
        key=lambda one: (ORDER[one.severity], one.path, one.line, one.column, one.server, one.rule),
    )


def identity(one: Finding) -> tuple[str, ...]:
    """By which a finding is known again; the last of it is the line that it is about."""
    return (one.path, one.server, one.severity, one.rule, one.message, one.source)


def _by_line(one: Finding) -> tuple[str, ...]:
    """The same on a line that was changed."""
    return (*identity(one)[:-1], str(one.line))


def _without(
    findings: list[Finding],
    kept: Counter[tuple[str, ...]],
    known_by: Callable[[Finding], tuple[str, ...]],
) -> list[Finding]:
    left = kept.copy()
    rest = []
    for one in findings:
        if left[known_by(one)] > 0:
            left[known_by(one)] -= 1
        else:
            rest.append(one)
    return rest
