"""Rules, grants, decisions and explanations, as people and programs read them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from hearth.core.rules.permission import USUAL, Layer, shadowed
from hearth.core.vocabulary.permitting import Judged, Verdict
from hearth.offline.live_permissions import Live
from hearth.settings.grants import StoredGrant
from hearth.settings.permissions import PermissionSettings

if TYPE_CHECKING:  # it takes longer to import than all the rest, and only one verb needs it
    from hearth.performers.tools.explaining import Explained

VERDICTS: Final = {
    Verdict.ALLOW: "allowed: it would be run without asking",
    Verdict.ASK: "asked: a person would have to allow it",
    Verdict.DENY: "denied: it would not be run",
}
ANSWERS: Final = {
    "once": "once",
    "session": "session",
    "always": "always",
    "reject": "no",
    "denied": "denied",
}
_WIDEST: Final = 50


def explained_lines(found: "Explained") -> list[str]:
    """The verdict first, then how it comes about."""
    shown = [VERDICTS[found.verdict]]
    if found.problem:
        shown.append(f"  {found.problem}")
    if found.parse:
        shown += ["", "read as", *(f"  {line}" for line in found.parse.split("\n"))]
    elif found.doubts:
        shown += ["", *(f"  doubt: {one}" for one in found.doubts)]
    if found.judged:
        shown += ["", "needs", *_judged_lines(found.judged)]
    return shown


def explained_json(found: "Explained") -> dict[str, Any]:
    """The same for programs."""
    return {
        "verdict": found.verdict.value,
        "problem": found.problem,
        "parts": list(found.parts),
        "parse": found.parse,
        "doubts": list(found.doubts),
        "needs": [
            {
                "permission": one.need.permission,
                "target": one.need.target,
                "resolved": one.need.resolved,
                "why": one.need.why,
                "verdict": one.verdict.value,
                "by": one.by,
                "pattern": one.need.pattern,
            }
            for one in found.judged
        ],
    }


def rule_lines(settings: PermissionSettings, root: str) -> list[str]:
    """The rules by file: in each the last that matches counts, of several files the strictest."""
    shown = []
    for layer in settings.layers:
        hidden = {id(one.rule): one.by for one in shadowed(layer)}
        rows = []
        for rule in layer.rules:
            by = hidden.get(id(rule))
            note = f"never counts: {_place(by.where, layer)} matches all that it does" if by else ""
            rule_place = _place(rule.where, layer)
            rows.append((rule.permission, f'"{rule.pattern}"', rule.action.value, rule_place, note))
        shown += [layer.name, *_columns(rows)]
    if not shown:
        shown = ["no rules: people are asked for what is not proven to be harmless"]
    if settings.mode == "auto":
        shown.append("nobody is asked: permissions.mode is auto")
    for said, names in (("off", settings.disabled_tools), ("on", settings.enabled_tools)):
        if names:
            shown.append(f"tools switched {said}: {', '.join(sorted(names))}")
    shown += [f"counts as inside of {root}: {one}" for one in settings.auto_allow]
    return shown


def layers_json(settings: PermissionSettings) -> list[dict[str, Any]]:
    """The rules for programs."""
    return [
        {
            "source": layer.name,
            "rules": [
                {
                    "permission": rule.permission,
                    "pattern": rule.pattern,
                    "action": rule.action.value,
                    "where": rule.where,
                    "shadowed_by": next(
                        (one.by.where for one in shadowed(layer) if one.rule is rule), None
                    ),
                }
                for rule in layer.rules
            ],
        }
        for layer in settings.layers
    ]


def grant_lines(grants: Sequence[StoredGrant], root: str) -> list[str]:
    """What was allowed for always: first what counts here, then what counts elsewhere."""
    if not grants:
        return ["nothing is allowed for always"]
    here = [one for one in grants if one.root == root]
    rows = [
        (
            one.id,
            one.permission,
            f'"{one.pattern}"',
            "here" if one.root == root else one.root or "sessions of no project",
            _moment(one.at),
            f"by {one.by}" if one.by else "",
            f"for: {one.why}" if one.why else "",
        )
        for one in (*here, *(one for one in grants if one.root != root))
    ]
    hint = "`hearth permissions revoke ID` takes one back"
    return ["allowed for always", *_columns(rows), hint]


def grants_json(grants: Iterable[StoredGrant]) -> list[dict[str, Any]]:
    """The grants for programs."""
    return [
        {
            "id": one.id,
            "permission": one.permission,
            "pattern": one.pattern,
            "root": one.root,
            "at": one.at.isoformat(),
            "by": one.by,
            "session": one.session,
            "why": one.why,
        }
        for one in grants
    ]


def granted(one: StoredGrant) -> str:
    """One grant in a sentence."""
    return f'{one.permission} "{one.pattern}" in {one.root or "sessions of no project"}'


def live_lines(live: Live | None) -> list[str]:
    """What is allowed as long as a session lives."""
    if live is None or not live.grants:
        return []
    rows = [(one.permission, f'"{one.pattern}"') for one in live.grants]
    return ["", f"allowed as long as {live.name or live.session} lives", *_columns(rows)]


def decision_lines(live: Live) -> list[str]:
    """What people and rules decided, the oldest first."""
    if not live.decided:
        return [f"nothing was decided in {live.session} yet"]
    rows = []
    for one in live.decided:
        answer = str(one.get("answer", ""))
        by = one.get("by") or {}
        who = "a rule" if answer == "denied" else str(by.get("name") or by.get("actor") or "")
        patterns = [f'"{grant.get("pattern", "")}"' for grant in one.get("grants") or ()]
        notes = [
            f"allows {', '.join(patterns)}" if patterns else "",
            f"with {one['because']}" if one.get("because") else "",
            f"said: {one['text']}" if one.get("text") else "",
        ]
        rows.append(
            (
                _when(str(one.get("at", ""))),
                str(one.get("approval") or ""),
                ANSWERS.get(answer, answer),
                f"by {who}",
                str(one.get("what", "")),
                "; ".join(note for note in notes if note),
            )
        )
    return _columns(rows, indent="")


def _judged_lines(judged: Sequence[Judged]) -> list[str]:
    rows = []
    for one in judged:
        by = "no rule says anything" if one.by == USUAL else one.by
        need = one.need
        really = f"is {need.resolved}" if _leads_elsewhere(one) else ""
        notes = "; ".join(note for note in (need.why, really, by) if note)
        rows.append((one.verdict.value, need.permission, need.target, notes))
    return _columns(rows)


def _leads_elsewhere(one: Judged) -> bool:
    target, resolved = one.need.target, one.need.resolved
    return bool(resolved) and not (resolved == target or resolved.endswith(f"/{target}"))


def _place(where: str, layer: Layer) -> str:
    """Where a rule stands, in a list that names the file already."""
    source = layer.name.partition(" (agents ")[0]
    return f"line {where[len(source) + 1 :]}" if where.startswith(f"{source}:") else where


def _columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Cells under each other; one that is very wide pushes only its own line."""
    if not rows:
        return []
    widths = [min(_WIDEST, max(len(row[at]) for row in rows)) for at in range(len(rows[0]))]
    return [
        (
            indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _moment(at: datetime) -> str:
    return at.astimezone().strftime("%Y-%m-%d %H:%M")


def _when(text: str) -> str:
    try:
        return _moment(datetime.fromisoformat(text))
    except ValueError:
        return text
