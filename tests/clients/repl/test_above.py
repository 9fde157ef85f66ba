"""What is shown above the prompt is rendered first, and reaches the terminal whole."""

from pathlib import Path

import pytest
from tests.clients.repl.controlling import typing

from hearth.clients.repl.above import Above
from hearth.clients.repl.host import Question
from hearth.clients.repl.images import Drawing, Pictures
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Picture, Words
from hearth.core.vocabulary.ids import CellId


async def nothing(_: str) -> bytes:
    raise KeyError


async def test_pieces_and_notes_are_written_and_questions_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with typing() as here:
        written: list[str] = []
        monkeypatch.setattr(here.terminal, "_put", written.append)
        pictures = Pictures(nothing, str(tmp_path), Drawing.LINK, Paint(), links=False)
        above = Above(here.terminal, pictures)
        await above.show([Words("one"), Picture("image/svg+xml", "<svg/>", "c1-1")])
        await above.note("two")
        above.refresh()
        assert written[0].startswith(f"one\n<image/svg+xml, 6 bytes> {tmp_path}/c1-1-")
        assert written[1:] == ["two"]
        question = Question(CellId("c1"), "name? ", password=True)
        above.ask(question)
        assert here.terminal._question == question
