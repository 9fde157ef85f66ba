"""Whose is what an interpreter publishes: the running cell's, the warm-up's, or a past cell's."""

from collections.abc import Callable
from typing import Final

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import Progress, WarmUpStep
from hearth.performers.interpreter.collecting import plain
from hearth.performers.interpreter.connection import Message
from hearth.performers.interpreter.heard import HeardMark
from hearth.performers.interpreter.late_output import LateOutput
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.running_cell import RunningCell, cell_of
from hearth.performers.interpreter.sequence import Sequence
from hearth.performers.interpreter.worker_folder import WorkerFolder

PUBLISHED: Final = frozenset(
    {"stream", "display_data", "execute_result", "update_display_data", "clear_output"}
)


class Publishing:
    """Sorts what is published, and marks for the next daemon how far it was told."""

    def __init__(
        self,
        folder: WorkerFolder,
        preferences: Preferences,
        tell: Callable[[r.Report], None],
        show: Callable[[Progress], None],
    ) -> None:
        self._tell = tell
        self._show = show
        self._late = LateOutput(self._tell_late, preferences.output, preferences.displays)
        self._heard = HeardMark(folder.path / "heard")
        self._sequence: Sequence | None = None
        self._told_before = 0
        self._last_cell: CellId | None = None
        self.warm_up = ""
        """The request whose output is shown as steps of the warm-up."""

    def follow(self, sequence: Sequence) -> None:
        """Messages are numbered by this one; without it, none are."""
        self._sequence = sequence

    def take_up(self) -> None:
        """What an earlier daemon told is not told again."""
        self._told_before = self._heard.read()

    def hear(self, message: Message, running: RunningCell | None, generation: int) -> None:
        """One published message."""
        cell = cell_of(message.parent)
        if running is not None and (cell == running.cell or not message.parent):
            for progress in running.collected.hear(message.type, message.content):
                self._show(progress)
        elif message.parent and message.parent == self.warm_up:
            if message.type == "stream":
                self._show(WarmUpStep(plain(str(message.content.get("text", ""))).rstrip("\n")))
        elif (late := cell or self._last_cell) is not None and self.is_news():
            self._late.hear(generation, late, message.type, message.content)

    def ended(self, cell: CellId, generation: int) -> None:
        """A cell is over; what it left running is late from now on."""
        self._last_cell = cell
        self._late.flush(generation)

    def flush(self, generation: int) -> None:
        """Tell what came late so far."""
        self._late.flush(generation)

    def mark(self) -> None:
        """All that was heard so far has been told."""
        if self._sequence is not None:
            self._heard.write(self._sequence.last)

    def close(self) -> None:
        """Tell nothing more."""
        self._late.close()
        self._heard.close()

    def _tell_late(self, report: r.OutputCameLate) -> None:
        self._tell(report)
        self.mark()

    def is_news(self) -> bool:
        """Of what a dead daemon reported already, the journal still tells."""
        return self._sequence is None or self._sequence.last > self._told_before
