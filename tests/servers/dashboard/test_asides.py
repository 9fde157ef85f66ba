"""Panels that are open: drawn once for all who have them open, and contained."""

import asyncio
from pathlib import Path

import pytest
from tests.servers.dashboard.looked_at import SESSION, until, watched

from hearth.core.vocabulary.events import CellFinished
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard import asides as module
from hearth.servers.dashboard.asides import NOT_DRAWN, Asides, Chosen
from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.panels.panel import Looking, Panel


class Counted:
    """A panel that counts how often it was drawn."""

    def __init__(self, **about: object) -> None:
        self.drawn = 0
        self.panel = Panel("counted", "Counted", self.show, needs_session=False, **about)  # type: ignore[arg-type] # as given

    async def show(self, looking: Looking) -> Html:
        self.drawn += 1
        return p(f"drawn {self.drawn} for {looking.wanted.get('row', 'nobody')}")


async def broken(_: Looking) -> Html:
    raise RuntimeError("<boom>")


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BETWEEN", 0)


async def test_all_who_have_it_open_are_given_one_drawing(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        counted = Counted(moved_by=frozenset({CellFinished}))
        asides = Asides(opened.around, [counted.panel])
        chosen = Chosen(SESSION, "counted")
        opened.hearth.followed.clear()
        news = [asyncio.Event() for _ in range(50)]
        leaving = [asides.of(chosen).watch(one.set) for one in news]
        await asyncio.gather(*(one.wait() for one in news))
        assert counted.drawn == 1
        assert opened.hearth.followed == [SESSION]
        assert asides.open == 1
        assert b"drawn 1" in asides.of(chosen).frames
        number = asides.of(chosen).number
        await opened.daemon.run("1+1")
        await until(lambda: asides.of(chosen).number > number)
        assert b"drawn 2" in asides.of(chosen).frames
        for leave in leaving:
            leave()
            leave()
        await until(lambda: SESSION not in opened.hearth.open)
        assert asides.open == 0


async def test_what_was_chosen_otherwise_is_drawn_otherwise(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        counted = Counted()
        asides = Asides(opened.around, [counted.panel])
        one = asides.of(Chosen(SESSION, "counted", {"row": "ann"}))
        other = asides.of(Chosen(SESSION, "counted", {"row": "ben"}))
        elsewhere = asides.of(Chosen(SessionId("session-bbbbbb"), "counted"))
        leaving = [each.watch(lambda: None) for each in (one, other, elsewhere)]
        await until(lambda: all(each.number for each in (one, other, elsewhere)))
        assert (b"for ann" in one.frames, b"for ben" in other.frames) == (True, True)
        assert b"for nobody" in elsewhere.frames
        for leave in leaving:
            leave()


async def test_what_happens_elsewhere_does_not_move_it(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        counted = Counted(moved_by=frozenset({CellFinished}))
        asides = Asides(opened.around, [counted.panel])
        one = asides.of(Chosen(SESSION, "counted"))
        leave = one.watch(lambda: None)
        await until(lambda: one.number == 1)
        await opened.daemon.run("1/0")  # it fails, and so does not finish
        await opened.daemon.run("1+1")
        await until(lambda: one.number > 1)
        assert counted.drawn == 2
        leave()


async def test_one_that_grows_old_is_drawn_anew(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        counted = Counted(every=0.0)
        asides = Asides(opened.around, [counted.panel])
        leave = asides.of(Chosen(None, "counted")).watch(lambda: None)
        await until(lambda: counted.drawn > 2)
        leave()


async def test_without_a_panel_its_names_are_drawn_once(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        aside = opened.asides.of(Chosen(SESSION))
        before = list(opened.hearth.followed)
        leave = aside.watch(lambda: None)
        await until(lambda: aside.number == 1)
        await until(aside._drawing.done)
        assert b"panel-tabs" in aside.frames
        assert opened.hearth.followed == before
        leave()


@pytest.mark.promise("DP-BG-06")
async def test_a_panel_that_cannot_be_drawn_says_so_and_the_others_can_be_chosen(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        counted = Counted()
        asides = Asides(opened.around, [Panel("bad", "Bad", broken), counted.panel])
        drawn = await asides.draw(Chosen(SESSION, "bad"))
        assert NOT_DRAWN.split(":", maxsplit=1)[0] in drawn
        assert "boom" not in drawn
        assert 'aria-selected="true"' in drawn
        assert 'id="tab-counted"' in drawn
        assert "drawn 1" in await asides.draw(Chosen(SESSION, "counted"))
