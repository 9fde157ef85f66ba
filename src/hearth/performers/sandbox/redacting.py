"""Takes secrets out of what programs show, before it is stored or sent anywhere.

What a model wrote is never changed: providers compare it. What a tool or a cell brings back is
changed before it becomes a report, so that the log, the clients and the provider get the same.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.modelling import ToolReturned
from hearth.core.vocabulary.reports import Report
from hearth.performers.sandbox.secret_forms import Forms

REDACTED: Final = "[redacted]"
_REPORTS: Final = (
    r.WorkerReady,
    r.WorkerFailed,
    r.WorkerLost,
    r.CellEnded,
    r.CodeChecked,
    r.CodeCompleted,
    r.CodeInspected,
    r.VariablesFound,
    r.MembersFound,
    r.SourcesTaken,
    r.InputAsked,
    r.OutputCameLate,
    r.ToolAsked,
    r.ToolUsed,
    ToolReturned,
)
"""What tells what a program showed. Not those that repeat what a model, or a person, asked for."""
_ENCODED: Final = ("image/", "audio/", "video/", "application/pdf")
"""Bytes in base64, of which nothing can be replaced without breaking them."""
AT_ONCE: Final = 512 * 1024
"""Characters that are looked at without a break: a thread that does not pause stops all others."""


class Redactor:
    """Replaces secrets. `secrets` is asked whenever something is looked at: they may change."""

    def __init__(self, secrets: Callable[[], Iterable[str]]) -> None:
        self._secrets = secrets
        # One attribute, for threads ask, too: forms without their secrets would miss some.
        self._known: tuple[frozenset[str], Forms] = (frozenset(), Forms(()))

    @property
    def forms(self) -> Forms:
        """What is looked for just now."""
        secrets = frozenset(self._secrets())
        known, forms = self._known
        if secrets != known:
            forms = Forms(secrets)
            self._known = (secrets, forms)
        return forms

    def text(self, text: str) -> str:
        """The text without them."""
        forms = self.forms
        for one in (*_found_in(text, forms), *forms.unwrapped(text)):
            text = text.replace(one, REDACTED)
        return text

    def report(self, report: Report) -> Report:
        """A report without them; the same one if there are none, or if it is not about output."""
        if not isinstance(report, _REPORTS):
            return report
        cleaned: Report = self._cleaned(report)
        return cleaned

    def bundle(self, bundle: Mapping[str, Any]) -> dict[str, Any]:
        """What was displayed, each representation still what its type says."""
        return {kind: self._represented(kind, value) for kind, value in bundle.items()}

    def _represented(self, kind: str, value: Any) -> Any:
        cleaned = self._cleaned(value)
        if cleaned is value or not isinstance(cleaned, str):
            return cleaned
        if kind.startswith(_ENCODED) and "svg" not in kind:
            return ""
        if kind.endswith("json") and not _is_json(cleaned):
            return json.dumps(REDACTED)
        return cleaned

    def _cleaned(self, value: Any) -> Any:
        """A value with every text in it cleaned; the very same if nothing had to be."""
        match value:
            case str():
                cleaned = self.text(value)
                return value if cleaned == value else cleaned
            case RichData():
                bundle = self.bundle(value.bundle)
                same = all(bundle[kind] is one for kind, one in value.bundle.items())
                return value if same else msgspec.structs.replace(value, bundle=bundle)
            case msgspec.Struct():
                changed = {
                    name: cleaned
                    for name in value.__struct_fields__
                    if (cleaned := self._cleaned(before := getattr(value, name))) is not before
                }
                return msgspec.structs.replace(value, **changed) if changed else value
            case tuple() | list():
                items = type(value)(map(self._cleaned, value))
                same = all(map(_is_same, items, value))
                return value if same else items
            case dict():
                values = {self._cleaned(name): self._cleaned(one) for name, one in value.items()}
                same = all(name in values and values[name] is one for name, one in value.items())
                return value if same else values
            case _:
                return value


def _found_in(text: str, forms: Forms) -> Iterable[str]:
    """What is to be looked for in a text; of a long one it is told piece by piece."""
    if len(text) <= AT_ONCE or not forms.all:
        return forms.found_in(text)
    overlap = len(forms.all[0])  # the longest: none is cut in two
    found = {
        one
        for start in range(0, len(text), AT_ONCE)
        for one in forms.found_in(text[start : start + AT_ONCE + overlap])
    }
    return [one for one in forms.all if one in found]


def _is_same(one: object, other: object) -> bool:
    return one is other


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
