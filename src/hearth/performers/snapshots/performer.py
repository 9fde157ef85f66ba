"""Takes the files of a project back to what they were when something was said."""

import asyncio
import logging
import os
from typing import Final

from hearth.core.views.looking_back import PAGE, tag_of
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.deeds import FilesKept
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import Kept
from hearth.log.looking import Read
from hearth.performers.snapshots.snapshots import CannotRestore, Snapshots
from hearth.performers.tools.tool import root_of

_KEPT: Final = str(FilesKept.__struct_config__.tag)
_said = logging.getLogger(__name__)


class _Impossible(Exception):
    """There is nothing that could be gone back to; the message says why."""


class Rewinding:
    """Carries out RewindProject."""

    effects: frozenset[type[Effect]] = frozenset({RewindProject})

    def __init__(self, snapshots: Snapshots, read: Read) -> None:
        self._snapshots = snapshots
        self._read = read

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Go back, or find out what that would change, and report it."""
        if not isinstance(effect, RewindProject):
            raise TypeError(f"no performer of {type(effect).__name__}")
        stage.report(await self._report(session, effect))

    async def close(self) -> None:
        """Leave off tidying up."""
        await self._snapshots.close()

    async def _report(self, session: SessionId, effect: RewindProject) -> ProjectRewound:
        question = effect.question
        kept = effect.kept
        try:
            kept = kept or await self._first_kept(session, effect.since)
            if kept is None:
                return ProjectRewound(question)
            await asyncio.to_thread(_assert_here, kept, effect.config)
            return await self._gone_back(effect, kept)
        except _Impossible as error:
            return ProjectRewound(question, kept=kept, problem=str(error))
        except CannotRestore as error:
            return ProjectRewound(
                question, error.changes, kept=kept, before=error.before, problem=str(error)
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, who asked is told
            _said.warning("%s: the files cannot be brought back: %s", session, error)
            why = f"the files cannot be brought back at the moment: {error}; try again"
            return ProjectRewound(question, kept=kept, problem=why)

    async def _gone_back(self, effect: RewindProject, kept: Kept) -> ProjectRewound:
        if effect.preview:
            compared = await self._snapshots.compare(kept)
            return ProjectRewound(
                effect.question, compared.changes, kept=kept, left_out=compared.left_out
            )
        restored = await self._snapshots.restore(kept, effect.question)
        return ProjectRewound(
            effect.question,
            restored.changes,
            kept=kept,
            before=restored.before,
            left_out=restored.left_out,
        )

    async def _first_kept(self, session: SessionId, since: int) -> Kept | None:
        """What was kept first after this version; None: nothing has been changed since then."""
        if since < 1:
            raise _Impossible("no files were taken back yet, so there is nothing to undo")
        while rows := await self._read(session, since, PAGE):
            for row in rows:
                if tag_of(row).type == _KEPT:
                    event = envelope(row).event
                    if isinstance(event, FilesKept):
                        return event.kept
            since = rows[-1].version
        return None


def _assert_here(kept: Kept, config: SessionConfig) -> None:
    """May wait for the disk."""
    root = root_of(config)
    if not root:
        raise _Impossible("this session belongs to no project, so it has no files to take back")
    if os.path.realpath(root) != os.path.realpath(kept.root):
        raise _Impossible(
            f"the files were kept in {kept.root}, and the project of this session is {root} now"
        )
