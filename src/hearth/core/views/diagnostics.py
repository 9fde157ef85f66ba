"""The newest diagnostics by file, or by code where there is no file."""

from datetime import datetime

import msgspec

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Diagnostic
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.wire import Part

MOST_KEYS = 128
"""Those checked longest ago are dropped."""


class Checked(Part, frozen=True):
    """What the last check of one key found."""

    diagnostics: tuple[Diagnostic, ...]
    updated: datetime


class Diagnostics(Part, frozen=True):
    """Key (path, or hash of the code) to what was found, oldest check first."""

    by_key: dict[str, Checked] = msgspec.field(default_factory=dict)


def diagnose(view: Diagnostics, fact: Fact) -> Diagnostics:
    """The diagnostics after this fact."""
    event = fact.event
    if isinstance(event, e.DiagnosticsCleared):
        return Diagnostics()
    if not isinstance(event, e.DiagnosticsChecked):
        return view
    rest = {key: found for key, found in view.by_key.items() if key != event.key}
    while len(rest) >= MOST_KEYS:
        del rest[next(iter(rest))]
    return Diagnostics({**rest, event.key: Checked(event.diagnostics, fact.at)})
