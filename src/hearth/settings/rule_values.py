"""What a file says about one permission, sorted into rules that can be read and the others."""

from typing import Final, NamedTuple

import msgspec

from hearth.settings.jsonc import Json
from hearth.settings.safety import Action, ExemplifiedRule

ALL: Final = "*"
"""The pattern that a mere action is for."""
LONGEST: Final = 2000
"""Signs of a pattern."""


class Unreadable(NamedTuple):
    """A rule that cannot be read."""

    pattern: str | None
    """None: it is not even known which patterns there are."""
    what: str


class Sorted(NamedTuple):
    """What was said about a permission."""

    value: Json
    """As it was written, without what cannot be read."""
    unreadable: tuple[Unreadable, ...] = ()


def sorted_out(value: Json) -> Sorted:
    """The rules of a value, and what is wrong with the others. Nothing is guessed."""
    if isinstance(value, str):
        what = _wrong_action(value)
        return Sorted({}, (Unreadable(None, what),)) if what else Sorted(value)
    if not isinstance(value, dict):
        return Sorted({}, (Unreadable(None, "is neither a text nor an object"),))
    found: dict[str, Json] = {}
    unreadable = []
    for pattern, one in value.items():
        what = _wrong_pattern(pattern) or _wrong(one)
        if what:
            unreadable.append(Unreadable(pattern, what))
        else:
            found[pattern] = one
    return Sorted(found, tuple(unreadable))


def rules_in(value: Json) -> dict[str, ExemplifiedRule]:
    """The rules of a value that was sorted out, by their patterns, in their order."""
    said = {ALL: value} if isinstance(value, str) else value
    if not isinstance(said, dict):
        return {}
    return {
        pattern: msgspec.convert({"action": one} if isinstance(one, str) else one, ExemplifiedRule)
        for pattern, one in said.items()
    }


def _wrong_pattern(pattern: str) -> str:
    if not pattern:
        return "the pattern is empty"
    if len(pattern) > LONGEST:
        return f"the pattern has more than {LONGEST:,} characters"
    return "the pattern holds half a character" if _has_half(pattern) else ""


def _wrong(rule: Json) -> str:
    if isinstance(rule, str):
        return _wrong_action(rule)
    if not isinstance(rule, dict):
        return "is neither a text nor an object"
    try:
        msgspec.convert(rule, ExemplifiedRule)
    except msgspec.ValidationError:
        return 'is no rule with examples: {"action": …, "matches": […], "not": […]}'
    texts = [*_texts(rule.get("matches")), *_texts(rule.get("not"))]
    return "holds half a character" if any(map(_has_half, texts)) else ""


def _texts(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _wrong_action(text: str) -> str:
    try:
        msgspec.convert(text, Action)
    except msgspec.ValidationError:
        return "is no action"
    return ""


def _has_half(text: str) -> bool:
    return any("\ud800" <= one <= "\udfff" for one in text)
