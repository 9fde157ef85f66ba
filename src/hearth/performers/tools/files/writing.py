"""How a file tool changes a file: known before, kept before, whole after, told exactly."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import ChangeKind, FileChange
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.tools.files.difference import Difference, difference
from hearth.performers.tools.files.lines import numbered
from hearth.performers.tools.files.opening import NotOpened, NotThere, shown, whole
from hearth.performers.tools.files.read_file import LARGEST_KNOWN
from hearth.performers.tools.files.replacing import replace
from hearth.performers.tools.files.seen import Seen, digest_of
from hearth.performers.tools.files.texts import text_of
from hearth.performers.tools.tool import Outcome, Scene

AfterWrite: TypeAlias = Callable[[Scene, tuple[str, ...]], Awaitable[str]]
"""What others have to say once files were written, such as what a checker finds in them."""

BeforeWrite: TypeAlias = Callable[[Scene, tuple[str, ...]], Awaitable[None]]
"""Lets others look at files before they are written, so that they can tell what is new."""

INLINE: Final = 16_000
"""Longer diffs are kept beside the log."""
_AROUND: Final = 2
_MOST_ROWS: Final = 60
_WIDEST: Final = 300

_said = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a file."""

    path: str
    """Canonical."""
    typed: str
    before: bytes | None
    after: bytes


class Writing:
    """Carries changes out. The tools that write share what sessions have seen."""

    def __init__(
        self,
        seen: Seen,
        after_write: AfterWrite | None = None,
        before_write: BeforeWrite | None = None,
    ) -> None:
        self._seen = seen
        self._after_write = after_write
        self._before_write = before_write

    def turn(self, path: str) -> asyncio.Lock:
        """Held from reading a file to having written it."""
        return self._seen.turn(path)

    def known(self, session: SessionId, path: str, typed: str) -> bytes | None:
        """What is in the file, None if there is none. NotOpened unless the session has seen it."""
        try:
            content = whole(path, LARGEST_KNOWN)
        except NotThere:
            return None
        digest = self._seen.digest(session, path)
        if digest is None:
            raise NotOpened(
                f"{shown(typed)} was not read in this session, or not since hearth started. "
                "Nothing was written: read it with read_file first, to know what you change."
            )
        if digest != digest_of(content):
            raise NotOpened(
                f"{shown(typed)} changed since you read it. Nothing was written: read it again, "
                "and change what is there now."
            )
        return content

    async def carry_out(self, change: Change, scene: Scene, done: str) -> Outcome:
        """Write, after what was there is kept; `done` is told first. NotOpened: it is as it was."""
        told = await asyncio.to_thread(_told, change)
        before = None
        if change.before is not None:
            before = await scene.keep(change.before, _media_type(change.before))
            await self._prepare(scene, change.path)
        await asyncio.to_thread(replace, change.path, change.before, change.after)
        digest = digest_of(change.after)
        self._seen.note(scene.session, change.path, digest)
        made = FileChange(
            change.path,
            ChangeKind.CREATED if change.before is None else ChangeKind.CHANGED,
            before,
            digest,
            await _kept(told.difference.diff, scene),
            told.difference.added,
            told.difference.removed,
        )
        text = f"{done} (+{made.added} -{made.removed} lines).{told.regions}"
        more = await self._more(scene, change.path)
        return Outcome(f"{text}\n\n{more}" if more else text, files=(change.path,), changes=(made,))

    async def _prepare(self, scene: Scene, path: str) -> None:
        if self._before_write is None:
            return
        try:
            await self._before_write(scene, (path,))
        except Exception:  # noqa: BLE001 - what others know of a file is no reason not to write it
            _said.exception("nobody could look at %s before it was written", path)

    async def _more(self, scene: Scene, path: str) -> str:
        if self._after_write is None:
            return ""
        try:
            return await self._after_write(scene, (path,))
        except Exception:  # noqa: BLE001 - the file is written, whatever others say to it
            _said.exception("nothing could be said after %s was written", path)
            return ""


@dataclass(frozen=True, slots=True)
class _Told:
    difference: Difference
    regions: str
    """The lines around what was replaced, numbered; nothing for new files."""


def _told(change: Change) -> _Told:
    old = ("", None) if change.before is None else text_of(change.before)
    new = text_of(change.after)
    if old is None or new is None:
        return _Told(Difference("", 0, 0, ()), "")
    found = difference(_sayable(old[0]), _sayable(new[0]), change.path)
    if change.before is None:
        return _Told(found, "")
    return _Told(found, "".join(f"\n{row}" for row in _rows(_sayable(new[0]), found)))


def _rows(text: str, found: Difference) -> Iterator[str]:
    """What the changed places look like now, as far as there is room."""
    lines = text.split("\n")
    count = len(lines) - (not lines[-1])
    last, room = 0, _MOST_ROWS
    for first, end in found.regions:
        start = max(last + 1, first - _AROUND)
        stop = min(count, end + _AROUND)
        if start > stop:
            continue
        if room <= 0:
            yield "…"
            return
        if last and start > last + 1:
            yield "…"
        stop, is_cut = min(stop, start + room - 1), stop > start + room - 1
        rows = ((number, lines[number - 1][:_WIDEST]) for number in range(start, stop + 1))
        yield from numbered(rows, len(str(count)))
        room -= stop - start + 1
        last = stop
        if is_cut:
            yield "…"
            return


def _sayable(text: str) -> str:
    """With a mark for what is not text, and none that a log cannot hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\u2400")


async def _kept(diff: str, scene: Scene) -> str | Blob:
    return diff if len(diff) <= INLINE else await scene.keep(diff.encode(), "text/x-diff")


def _media_type(content: bytes) -> str:
    return "application/octet-stream" if text_of(content) is None else "text/plain"
