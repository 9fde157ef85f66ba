"""What an agent asks for, as people read it: what it wants to do, what for, and what by."""

from __future__ import annotations

import json

from hearth.clients.agents.lines import (
    ADDED,
    DIM,
    PLAIN,
    REMOVED,
    STRONG,
    WARNING,
    folded,
    shortened,
)
from hearth.clients.agents.visible import one_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.agents.asked_for import AskedFor, Needed
    from hearth.clients.agents.lines import Line

MOST_LINES: Final = 12
"""Of what is to be done; all of it is shown to whoever asks."""
MOST_NEEDS: Final = 12
LONGEST: Final = 400
"""Characters of one line."""
ALL: Final = "v shows all"
"""How the rest is seen."""
ONLY_ONCE: Final = "only once: it cannot be told what else would be allowed with it"
_WIDEST: Final = 40
"""A target that is longer pushes nothing else to the right."""


def described(asked: AskedFor, *, how: str = ALL, is_whole: bool = False) -> list[Line]:
    """Everything a person must know to answer; long things folded, `how` says how to see all."""
    lines = [] if is_whole else folded(_deed(asked, LONGEST), MOST_LINES, how)
    if is_whole:
        lines = _deed(asked, 0)
    if asked.is_cut:
        lines.append((WARNING, f"its end is not here, because it is long; {how}"))
    needs = needed(asked.needs)
    if needs:
        lines.append((DIM, "needs"))
        lines += needs if is_whole else folded(needs, MOST_NEEDS, how)
    elif asked.why:
        lines.append((PLAIN, visible(asked.why)))
    if asked.tool:
        lines += offered(asked)
    return lines


def is_folded(asked: AskedFor) -> bool:
    """Whether there is more than `described` shows at first."""
    return len(described(asked, is_whole=True)) > len(described(asked)) or any(
        len(text) > LONGEST for _, text in _deed(asked, 0)
    )


def headline(asked: AskedFor, age: str = "") -> str:
    """Which one it is, and who asks."""
    who = one_line(asked.agent) or "the agent"
    tool = one_line(asked.tool)
    wants = f"{who} wants to use {tool}" if tool else f"{who} waits for you"
    return " · ".join(part for part in (asked.approval, wants, age) if part)


def offered(asked: AskedFor) -> list[Line]:
    """What could be allowed for longer than once, word for word."""
    if not asked.offers:
        return [(DIM, ONLY_ONCE)]
    return [(DIM, "can be allowed for longer"), *((PLAIN, f"  {one}") for one in stored(asked))]


def stored(asked: AskedFor) -> list[str]:
    """Exactly what a grant for longer would be, one line each."""
    width = max((len(permission) for permission, _ in asked.offers), default=0)
    return [f'{permission:<{width}}  "{one_line(text)}"' for permission, text in asked.offers]


def needed(needs: tuple[Needed, ...]) -> list[Line]:
    """One line for each thing: permission, target, why, and which rule asks."""
    if not needs:
        return []
    names = max(len(one.permission) for one in needs)
    targets = [one_line(one.target) for one in needs]
    width = min(_WIDEST, max(map(len, targets)))
    lines = []
    for one, target in zip(needs, targets, strict=True):
        notes = ", ".join(part for part in (visible(one.why), _asking(one)) if part)
        line = f"  {one.permission:<{names}}  {target:<{width}}  {notes}".rstrip()
        lines.append((PLAIN, line))
    return lines


def _asking(one: Needed) -> str:
    return f"by {one_line(one.by)}" if one.by else ""


# -- what is to be done --------------------------------------------------------------------------


def _deed(asked: AskedFor, longest: int) -> list[Line]:
    said = _arguments(asked.details) if asked.tool and not asked.is_cut else None
    lines = _changes(said) if said is not None else _text(asked.details)
    return [
        (style, shortened(text, longest)) if longest else (style, text) for style, text in lines
    ]


def _text(details: str) -> list[Line]:
    """A command, code, or whatever else is to be done, just as it is."""
    if not details:
        return []
    lines = visible(details.expandtabs(4)).rstrip("\n").split("\n")
    return [(STRONG, line) for line in lines]


def _arguments(details: str) -> dict[str, Any] | None:
    """What a tool is given, if that is JSON."""
    if not details.startswith("{"):
        return None
    try:
        said = json.loads(details)
    except (ValueError, RecursionError):
        return None  # it is shown as it is
    return said if isinstance(said, dict) and said else None


def _changes(said: dict[str, Any]) -> list[Line]:
    """A change of a file as what goes and what comes; other arguments a line each."""
    rest = dict(said)
    lines: list[Line] = []
    if isinstance(command := rest.get("command"), str):
        lines += _text(f"$ {command}")
        del rest["command"]
    if isinstance(code := rest.get("code"), str):
        lines += _text(code)
        del rest["code"]
    if isinstance(path := rest.pop("path", None), str):
        lines.append((STRONG, one_line(path)))
    elif path is not None:
        rest["path"] = path
    if isinstance(content := rest.pop("content", None), str):
        lines += _marked("+", content)
    elif content is not None:
        rest["content"] = content
    edits = rest.get("edits")
    if isinstance(edits, list) and all(_is_edit(one) for one in edits):
        del rest["edits"]
        for edit in edits:
            everywhere = " (everywhere)" if edit.get("all") else ""
            lines.append((DIM, f"@@{everywhere}"))
            lines += [*_marked("-", edit["old"]), *_marked("+", edit["new"])]
    for key, value in rest.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        first, *more = visible(text).split("\n")
        lines.append((PLAIN, f"{one_line(key)}: {first}"))
        lines += [(PLAIN, f"  {line}") for line in more]
    return lines


def _is_edit(one: Any) -> bool:
    return isinstance(one, dict) and all(isinstance(one.get(key), str) for key in ("old", "new"))


def _marked(sign: str, text: str) -> list[Line]:
    if not text:
        return []
    style = ADDED if sign == "+" else REMOVED
    return [(style, f"{sign}{line}") for line in visible(text).removesuffix("\n").split("\n")]
