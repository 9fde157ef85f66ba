"""What agents are told about findings."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server.findings import ORDER, Finding, in_order

MOST: Final = 20
MOST_FILES: Final = 50
"""So many findings are told with an edit, and so many files are counted in a summary."""

NEW: Final = "New diagnostics after this edit:"
NOT_KNOWN: Final = "Diagnostics after this edit (what there was before it is not known):"


def shown(finding: Finding, root: str) -> str:
    """One finding, on one line."""
    by = ", ".join(filter(None, (finding.rule, finding.server)))
    place = f"{shown_path(finding.path, root)}:{finding.line}:{finding.column}"
    return f"{place} {finding.severity} {finding.message} ({by})"


def shown_path(path: str, root: str) -> str:
    """A path from the root of its project, on one line whatever is in its name."""
    inside = path.startswith(f"{root.rstrip('/')}/")
    said = os.path.relpath(path, root) if inside else path
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in said)


def worth_telling(findings: Iterable[Finding], written: Collection[str]) -> list[Finding]:
    """The errors first, and those in files that were just written before all others."""
    found = in_order(one for one in findings if one.severity is not Severity.HIDDEN)
    return sorted(found, key=lambda one: (ORDER[one.severity], one.path not in written))


def after_edit(found: Sequence[Finding], root: str, *, is_before_known: bool) -> str:
    """What comes back with an edit, of what is worth telling; "" for nothing."""
    if not found:
        return ""
    lines = [NEW if is_before_known else NOT_KNOWN]
    lines += (shown(one, root) for one in found[:MOST])
    if len(found) > MOST:
        lines.append(f"and {len(found) - MOST} more: call diagnostics to see those of a file.")
    return "\n".join(lines)


def of_file(findings: Iterable[Finding], path: str, root: str) -> str:
    """All that is known of a file."""
    found = sorted(findings, key=lambda one: (one.line, one.column, ORDER[one.severity]))
    told = [shown(one, root) for one in found if one.severity is not Severity.HIDDEN]
    return "\n".join(told) or f"{shown_path(path, root)}: no diagnostics."


def of_project(by_file: Mapping[str, Sequence[Finding]], root: str) -> str:
    """How many there are of each kind, in the whole and by file, the worst files first."""
    counts = {path: _counted(found) for path, found in by_file.items()}
    counts = {path: count for path, count in counts.items() if count}
    if not counts:
        return "No diagnostics."
    total = sum(counts.values(), Counter[Severity]())
    lines = [f"{_said(total)} in {_plural(len(counts), 'file')}."]
    worst = sorted(counts, key=lambda path: (*(-counts[path][one] for one in Severity), path))
    lines += (f"{shown_path(path, root)}: {_said(counts[path])}" for path in worst[:MOST_FILES])
    if len(worst) > MOST_FILES:
        lines.append(f"and {_plural(len(worst) - MOST_FILES, 'more file')}.")
    return "\n".join(lines)


def _counted(findings: Iterable[Finding]) -> Counter[Severity]:
    return Counter(one.severity for one in findings if one.severity is not Severity.HIDDEN)


def _said(counts: Counter[Severity]) -> str:
    return ", ".join(_plural(counts[one], one) for one in Severity if counts[one])


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 or what == Severity.INFO else f"{count} {what}s"
