"""The demo plays to its end: an agent works, hears what is said meanwhile, and draws."""

from pathlib import Path

import pytest

from hearth.clients.repl.images import Drawing
from hearth.clients.repl.painting import Paint
from hearth.demo import play as playing
from hearth.demo.page import Page
from hearth.demo.play import DemoFailed, play
from hearth.demo.story import FAST, FIRST, SECOND, Pace
from hearth.performers.interpreter.preferences import Preferences

IN_ORDER = (
    f"> {FIRST}\n",
    "── scripted:demo.json ──\n",
    "  I should see what is in the file",
    "I look at the file first.\n",
    "── c1  scripted:demo.json (agent) ──\n",
    "15 rows\nmonth,shop,amount\n",
    "── c1 finished in ",
    "\nadding Jan\n",
    f"\n> {SECOND}\n",
    "m1 ",
    "── c2 finished in ",
    "m1 delivered",
    "Without the returns, then.",
    "── c3  scripted:demo.json (agent) ──\n",
    "\nJun ████████████████████████████████ 3,680\n",
    "── c3 finished in ",
    "There it is.",
    "# t1 done",
    ">>> max(sums, key=sums.get)\n'Jun'",
)


def folders(tmp_path: Path) -> tuple[Path, Path]:
    home, pictures = tmp_path / "scratch", tmp_path / "pictures"
    home.mkdir()
    return home, pictures


async def played(tmp_path: Path, drawing: Drawing) -> str:
    home, pictures = folders(tmp_path)
    written: list[str] = []
    pace = Pace(0.0, 0.0, 0.1, 0.0)  # time for her to speak up, however busy the machine is
    await play(home, pictures, Page(written.append, Paint()), pace, drawing)
    return "".join(written)


async def test_the_play(tmp_path: Path) -> None:
    text = await played(tmp_path, Drawing.LINK)
    place = 0
    for line in IN_ORDER:
        assert line in text[place:], f"{line!r} does not come after:\n{text[:place]}"
        place = text.index(line, place) + len(line)
    (picture,) = (tmp_path / "pictures").iterdir()
    assert f"<image/svg+xml, 1 KB> {picture}\n" in text
    assert "sales without returns" in picture.read_text("utf-8")
    assert "of them cached" in text
    assert "Traceback" not in text
    assert str(tmp_path / "scratch") not in text


async def test_a_terminal_that_can_is_given_the_picture_itself(tmp_path: Path) -> None:
    text = await played(tmp_path, Drawing.KITTY)
    assert "\x1b_Ga=T,f=100" in text
    assert "svg" not in text
    assert not (tmp_path / "pictures").exists()


async def test_a_machine_that_is_too_slow_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PATIENCE", 0.0)
    home, pictures = folders(tmp_path)
    with pytest.raises(DemoFailed, match="takes longer than"):
        await play(home, pictures, Page(lambda _: None, Paint()), FAST, Drawing.LINK)


async def test_an_interpreter_that_does_not_start_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "WANTED", Preferences(spares=0, warm_up=0.0001))
    home, pictures = folders(tmp_path)
    with pytest.raises(DemoFailed, match="could not be started"):
        await play(home, pictures, Page(lambda _: None, Paint()), FAST, Drawing.LINK)
