"""What became of files: each line of a diff with its sign and a class, each file with counts."""

from collections.abc import Iterable
from typing import Final

from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.deeds import ChangeKind, FileChange
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, details, div, pre, span, summary
from hearth.servers.dashboard.rendering.bounding import bounded, note
from hearth.servers.dashboard.rendering.visible import one_line, visible

MOST_LINES: Final = 400
"""Of the diff of one file."""
MOST_FILES: Final = 50
LONGEST: Final = 1000
"""Characters of one line."""
FOLDED: Final = 30
"""A diff with more lines is folded."""

_KINDS: Final = {
    ChangeKind.CREATED: ("A", "created"),
    ChangeKind.CHANGED: ("M", "changed"),
    ChangeKind.DELETED: ("D", "deleted"),
}
_CLASSES: Final = {"+": "dl dl-add", "-": "dl dl-del", "@": "dl dl-at"}


def changed(changes: Iterable[FileChange], session: SessionId) -> list[Html]:
    """What a tool did to files, an element for each."""
    listed = list(changes)
    made = [_file(one, session, is_alone=len(listed) == 1) for one in listed[:MOST_FILES]]
    if len(listed) > MOST_FILES:
        made.append(note(f"… and {len(listed) - MOST_FILES} more files"))
    return made


def _file(change: FileChange, session: SessionId, *, is_alone: bool) -> Html:
    sign, words = _KINDS[change.kind]
    shown = unified(change.diff, session)
    few = change.added + change.removed <= FOLDED
    return details(
        summary(
            span(sign, class_=f"sign sign-{words}", title=words),
            span(words, class_="sr"),
            span(one_line(change.path[-LONGEST:]), class_="path mono"),
            counts(change.added, change.removed),
        ),
        shown or note("There is no diff to show."),
        class_="file",
        open=is_alone and few,
        data_preserve_attr="open",
    )


def counts(added: int, removed: int) -> Html:
    """How many lines came and went: `+3 -1`."""
    return span(
        span(f"+{added}", class_="dl-plus") if added else None,
        " " if added and removed else None,
        span(f"-{removed}", class_="dl-minus") if removed else None,
        class_="counts mono",
    )


def unified(diff: Text, session: SessionId) -> Html:
    """A diff in the unified form; empty where there is none."""
    words, about = bounded(diff, session)
    if not words:
        return Html("")
    lines = words.rstrip("\n").split("\n")
    while lines and lines[0].startswith(("--- ", "+++ ")):
        del lines[0]
    return diff_lines(lines, about)


def diff_lines(lines: list[str], about: Html | None = None) -> Html:
    """Lines that begin with their signs."""
    more = len(lines) - MOST_LINES
    if more > 0:
        about = Html(note(f"… and {more:,} more lines") + (about or ""))
    return div(pre(*map(_line, lines[:MOST_LINES]), class_="diff", tabindex="0"), about)


def _line(line: str) -> Html:
    cut = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return span(visible(cut), "\n", class_=_CLASSES.get(line[:1], "dl"))
