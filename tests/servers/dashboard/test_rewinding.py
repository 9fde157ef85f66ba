"""The dialog that takes a session back tells of each way what it would change."""

from pathlib import Path

import msgspec
import pytest
from tests.servers.copying import copied
from tests.servers.dashboard.branching import A, asked, copying
from tests.servers.dashboard.composing.reading import by_id, read

from hearth.core.vocabulary.commands import ReturnTo
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.ids import BlockId, CellId
from hearth.core.vocabulary.undoing import ForkHow, ReturnPreviewed
from hearth.servers.dashboard.rewinding import MOST_CELLS, WAYS, Way, rewind
from hearth.servers.dashboard.shapes import REWIND

B4 = BlockId("b4")
FOUND = ReturnPreviewed(
    5,
    (CellId("c2"), CellId("c3")),
    ForkHow.COPY,
    (PathChange("a<b>.py", ChangeKind.CHANGED),),
    problems=("the interpreter: <no copy>",),
)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_tells_what_it_changes_and_sends_its_scope(way: Way) -> None:
    markup = rewind(A, B4, FOUND)
    one = by_id(markup, f"rewind-{way.name}")
    sent = msgspec.json.decode(one.attributes["data-command"], type=ReturnTo)
    assert sent == ReturnTo(B4, way.scope)
    assert "5 blocks" in one.text
    assert ("c2, c3" in one.text) is way.scope.interpreter
    assert ("a<b>.py" in one.text) is way.scope.files
    assert one.attributes["data-closes"]
    names = [each.attributes.get("aria-label") for each in read(markup) if each.tag == "button"]
    assert names.count(f"Rewind: {way.words.lower()}") == 1


def test_what_could_not_be_taken_back_is_said() -> None:
    assert "the interpreter: &lt;no copy&gt;" in rewind(A, B4, FOUND)
    without = ReturnPreviewed(1, problems=("the files: no history",))
    assert "The files cannot go along" in rewind(A, B4, without)
    assert "could not be" not in rewind(A, B4, ReturnPreviewed(1))


def test_a_busy_interpreter_leaves_the_other_ways_open() -> None:
    markup = rewind(A, B4, FOUND, "a cell is running")
    for way in WAYS:
        attributes = by_id(markup, f"rewind-{way.name}").attributes
        assert ("data-command" in attributes) is not way.scope.interpreter
    assert "Not now: a cell is running." in markup


def test_what_is_there_already_is_said_so() -> None:
    markup = rewind(A, B4, ReturnPreviewed(0))
    for words in ("is there already", "holds what it held then", "No files would be changed"):
        assert words in markup
    many = tuple(CellId(f"c{number}") for number in range(MOST_CELLS + 2))
    again = rewind(A, B4, ReturnPreviewed(1, many, ForkHow.REPLAY))
    assert "are run again" in again
    assert "and 2 more" in again


async def test_the_dialog_comes_from_a_preview_that_changes_nothing(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        await asked(daemon, A, {"type": "choose_undo", "who": "everyone"})
        await asked(daemon, A, {"type": "send_message", "text": "hello"})
        viewed = await daemon.engine.view("conversation", A)
        block = viewed.value.rows[0].block  # type: ignore[union-attr] # it is a view
        await asked(daemon, A, {"type": "run_cell", "code": "x = 1"})
        answer = await daemon.client.post(REWIND, json={"session": A, "block": block})
        assert answer.status_code == 200, answer.text
        assert "Taken back by a copy that is kept: c1." in answer.text
        assert "undo_cells" not in answer.text
        wrong = await daemon.client.post(REWIND, json={"session": A, "block": "b999"})
        assert wrong.status_code == 409
        nobody = await daemon.client.post(REWIND, json={"session": "nobody", "block": block})
        assert nobody.status_code == 404
