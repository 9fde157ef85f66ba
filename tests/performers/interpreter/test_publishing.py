"""What is published reaches the cell it belongs to, and is told once."""

from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import OutputChunk, Progress, WarmUpStep
from hearth.performers.interpreter.collecting import Collected
from hearth.performers.interpreter.connection import Message
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.publishing import Publishing
from hearth.performers.interpreter.running_cell import RunningCell
from hearth.performers.interpreter.sequence import Sequence
from hearth.performers.interpreter.worker_folder import WorkerFolder

C1, C2 = CellId("c1"), CellId("c2")


class Heard:
    """A publishing that was told to, and what it passed on."""

    def __init__(self, folder: Path) -> None:
        self.reports: list[r.Report] = []
        self.shown: list[Progress] = []
        self.folder = folder
        self.publishing = Publishing(
            WorkerFolder(folder), Preferences(), self.reports.append, self.shown.append
        )
        self.sequence = Sequence(folder, lambda _: None)
        self.publishing.follow(self.sequence)

    def say(self, parent: str, text: str, running: RunningCell | None = None) -> None:
        """Something is printed on behalf of a request."""
        self.sequence.last += 1
        content: dict[str, Any] = {"name": "stdout", "text": text}
        self.publishing.hear(Message("stream", parent, content, {}), running, 1)


def running(cell: CellId) -> RunningCell:
    return RunningCell(cell, Collected(cell, 1000, 1000))


@pytest.fixture
def heard(tmp_path: Path) -> Heard:
    return Heard(tmp_path)


async def test_each_text_goes_to_the_cell_that_caused_it(heard: Heard) -> None:
    now = running(C2)
    heard.say("cell:c2", "mine", now)
    heard.say("", "nobody's", now)
    heard.say("cell:c1", "late", now)
    assert now.collected.outputs() == (StreamText("stdout", "minenobody's"),)
    assert heard.shown == [OutputChunk(C2, "stdout", "mine"), OutputChunk(C2, "stdout", "nobody's")]
    heard.publishing.flush(1)
    assert heard.reports == [r.OutputCameLate(1, C1, (StreamText("stdout", "late"),))]


async def test_what_the_warm_up_prints_is_shown_as_its_steps(heard: Heard) -> None:
    heard.publishing.warm_up = "prepare-1"
    heard.say("prepare-1", "importing loom\n")
    heard.say("some-question", "of no one\n")
    assert heard.shown == [WarmUpStep("importing loom")]
    assert heard.reports == []


async def test_what_an_earlier_daemon_told_is_not_told_again(heard: Heard) -> None:
    heard.say("cell:c1", "told\n")
    heard.publishing.flush(1)
    heard.publishing.close()
    after = Heard(heard.folder)
    after.publishing.take_up()
    after.say("cell:c1", "told\n")
    after.say("cell:c1", "and more\n")
    after.publishing.flush(1)
    assert after.reports == [r.OutputCameLate(1, C1, (StreamText("stdout", "and more\n"),))]
    after.publishing.close()


async def test_late_output_is_told_before_the_end_of_the_next_cell(heard: Heard) -> None:
    heard.say("cell:c1", "late", running(C2))
    heard.publishing.ended(C2, 1)
    assert [type(one) for one in heard.reports] == [r.OutputCameLate]
    heard.say("", "after all cells")
    heard.publishing.flush(1)
    assert heard.reports[-1] == r.OutputCameLate(1, C2, (StreamText("stdout", "after all cells"),))
