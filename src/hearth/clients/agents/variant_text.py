"""What the variants of a trial came to, one under the other."""

from __future__ import annotations

import re

from hearth.clients.agents.diff_text import text_of
from hearth.clients.agents.lines import ADDED, DIM, PLAIN, REMOVED, WARNING, folded, shortened
from hearth.clients.agents.visible import one_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from hearth.clients.agents.lines import Line

MOST_LINES: Final = 8
"""Of what a variant printed, and of its value."""
MOST_NAMES: Final = 8
LONGEST: Final = 300
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]{0,64}m")


def tried(
    results: Sequence[Mapping[str, Any]], codes: Sequence[str] = (), *, is_whole: bool = False
) -> list[Line]:
    """Each with its number, how it ended, its code, what it printed and came to, its names."""
    lines: list[Line] = []
    for place, result in enumerate(results):
        code = codes[place] if place < len(codes) else ""
        head, *body = variant(place + 1, result, code, 0 if is_whole else MOST_LINES)
        lines += [head, *((style, f"   {text}".rstrip()) for style, text in body)]
    return lines


def variant(
    number: int, result: Mapping[str, Any], code: str = "", most: int = MOST_LINES
) -> list[Line]:
    """One of them, with so many lines at `most` of each thing that it showed; 0: all."""
    good = is_ok(result)
    style = ADDED if good else WARNING if result.get("stopped") else REMOVED
    lines: list[Line] = [(style, f"{number}  {outcome(result)}{_names(result)}")]
    if code.strip():
        first, *more = code.strip().split("\n")
        goes_on = " …" if more else ""
        lines.append((DIM, f"{shortened(one_line(_plain(first)), LONGEST)}{goes_on}"))
    lines += _text(_printed(result), most)
    if isinstance(result.get("outputs"), dict):
        lines.append((DIM, "it printed more than is shown here"))
    if failure := result.get("failure"):
        lines.append((REMOVED, why_failed(failure)))
    kind = str(result.get("value_type") or "")
    if kind not in {"", "NoneType"}:
        lines += _text(text_of(result.get("value")), most, note=kind)
    return lines


def outcome(result: Mapping[str, Any]) -> str:
    """How a variant ended: `ok in 0.4 s`."""
    took = lasted(float(result.get("duration") or 0.0))
    if result.get("stopped"):
        return f"stopped after {took}"
    if result.get("failure"):
        return f"failed after {took}"
    return f"ok in {took}"


def is_ok(result: Mapping[str, Any]) -> bool:
    """Whether it ran to its end."""
    return not result.get("stopped") and not result.get("failure")


def why_failed(failure: Mapping[str, Any]) -> str:
    """A failure on one line."""
    match failure.get("type"):
        case "code_raised":
            said = _plain(text_of(failure.get("message"))).strip()
            name = str(failure.get("name", ""))
            return shortened(one_line(f"{name}: {said}" if said else name), LONGEST)
        case "timed_out":
            return f"it ran longer than {lasted(float(failure.get('limit') or 0.0))}"
        case "worker_crashed":
            said = _plain(text_of(failure.get("message"))).strip()
            return shortened(one_line(f"its interpreter died: {said}"), LONGEST)
        case other:
            said = _plain(text_of(failure.get("message"))).strip()
            return shortened(one_line(said or str(other)), LONGEST)


def lasted(seconds: float) -> str:
    """A duration for people."""
    if seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _names(result: Mapping[str, Any]) -> str:
    names = [one_line(str(one)) for one in result.get("names") or ()]
    if not names:
        return ""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f" · sets {', '.join(names[:MOST_NAMES])}{more}"


def _printed(result: Mapping[str, Any]) -> str:
    outputs = result.get("outputs") or ()
    if not isinstance(outputs, (list, tuple)):
        return ""  # too much of it to be in an event
    return "".join(text_of(one.get("text")) for one in outputs if one.get("type") == "stream_text")


def _text(text: str, most: int, note: str = "") -> list[Line]:
    said = visible(_plain(text)).rstrip("\n")
    if not said:
        return []
    lines: list[Line] = [
        (PLAIN, shortened(one, LONGEST) if most else one) for one in said.split("\n")
    ]
    if note and len(lines) == 1:
        lines = [(PLAIN, f"{lines[0][1]}  # {one_line(note)}")]
    return folded(lines, most, "") if most else lines


def _plain(text: str) -> str:
    return _COLOURS.sub("", text).replace("\r\n", "\n")
