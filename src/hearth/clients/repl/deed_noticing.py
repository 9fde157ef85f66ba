"""What agents ask for and did, told as it happens: approvals, refusals, diffs, tasks, rewinds."""

from typing import TYPE_CHECKING, Final

import msgspec

from hearth.clients.agents.approval_text import described, headline
from hearth.clients.agents.diff_text import MOST_LINES, changed, compared, files
from hearth.clients.agents.lines import DIM
from hearth.clients.agents.task_text import task_line
from hearth.clients.agents.visible import one_line
from hearth.clients.repl.consenting import asked_for
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.styling import styled
from hearth.core.views.talk import Approval
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.prompting import ApprovalAnswer

if TYPE_CHECKING:  # it is there for the checker alone
    from hearth.clients.agents.lines import Line

ANSWERS: Final = {
    ApprovalAnswer.ONCE: "allowed once",
    ApprovalAnswer.SESSION: "allowed for this session",
    ApprovalAnswer.ALWAYS: "allowed for always",
    ApprovalAnswer.REJECT: "rejected",
}
CHANGES: Final = "f"
"""How `.show` is told of what became of files: `f57`, by the place in the log."""


def deed_noticed(  # noqa: PLR0911 - one case for each kind of event
    envelope: Envelope, paint: Paint, *, is_mine: bool, root: str = ""
) -> str:
    """The lines for an event about what an agent may do or did; empty if it needs none."""
    event = envelope.event
    match event:
        case t.ApprovalAnswered():
            by = "" if is_mine else f" by {author(envelope.origin)}"
            because = f", with {event.because}" if event.because else ""
            said = f"{event.approval} {ANSWERS[event.answer]}{by}{because}"
            return paint.dim(said)
        case d.ToolRefused():
            return refused(event, paint)
        case d.FilesChanged():
            return diffs(event, envelope.version, paint, root)
        case d.TaskChanged():
            return styled([task_line(msgspec.to_builtins(event.task))], paint)
        case d.FilesRewound():
            return _rewound(event, envelope, paint, is_mine=is_mine)
        case d.RewindFailed():
            return _failed(event, paint)
        case _:  # files that are kept, and comparisons, are for whoever asked for them
            return ""


def how_answered(one: Approval | t.ApprovalRequested) -> str:
    """How something is answered that nobody is asked about at the prompt."""
    longer = " [session|always]" if one.offers else ""
    return f".approve {one.approval}{longer} lets it; .reject {one.approval} [TEXT] does not"


def requested(said: Approval | t.ApprovalRequested, agent: str, paint: Paint, how: str) -> str:
    """What an agent asks for, and `how` it is answered where nobody is asked at the prompt."""
    asked = asked_for(said, agent)
    see_all = f".show {asked.approval} shows all"
    lines = styled(described(asked, how=see_all), paint)
    hint = f"\n  {how}" if how else ""
    return f"{paint.warning(headline(asked))}\n{lines}{hint}"


def refused(event: d.ToolRefused, paint: Paint) -> str:
    """Why a call is not run, and by which rule."""
    said = "; ".join(
        f"{one.need.permission} {one_line(one.need.target)} ({one_line(one.by)})"
        for one in event.judged
    )
    sign = "✗" if paint.drawings else "x"
    return paint.trouble(f"  {sign} {one_line(event.name)} is not allowed: {said}")


def diffs(
    event: d.FilesChanged, version: int, paint: Paint, root: str, *, is_whole: bool = False
) -> str:
    """What a tool did to files; what is long is folded unless all of it is wanted."""
    how = f".show {CHANGES}{version} shows all"
    lines: list[Line] = []
    for change in event.changes:
        most = 0 if is_whole else MOST_LINES
        shown = changed(msgspec.to_builtins(change), root, most=most, how=how)
        if isinstance(change.diff, Blob) and not is_whole:
            shown.append((DIM, f"{paint.more} there is more; {how}"))
        lines += shown
    return styled(lines, paint)


def _rewound(event: d.FilesRewound, envelope: Envelope, paint: Paint, *, is_mine: bool) -> str:
    count = len(event.changes) + event.left_out
    by = "" if is_mine else f" ({author(envelope.origin)})"
    said = f"{files(count)} went back; .rewind undo undoes it{by}"
    if is_mine or not count:
        return paint.dim(said)
    changes = [msgspec.to_builtins(one) for one in event.changes]
    return f"{paint.dim(said)}\n{styled(compared(changes, event.left_out), paint, '')}"


def _failed(event: d.RewindFailed, paint: Paint) -> str:
    some = f"; {files(len(event.changes))} went back all the same" if event.changes else ""
    return paint.warning(f"the files stay as they are: {one_line(event.why)}{some}")
