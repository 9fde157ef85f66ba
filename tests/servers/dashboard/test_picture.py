"""One session as markup: what is sent step by step comes to what is there."""

import asyncio
import random
from pathlib import Path

import pytest
from tests.journeys.dashboards import PATIENCE, Steered, call
from tests.servers.dashboard.looked_at import SESSION, Watched, until, watched
from tests.servers.dashboard.model_page import ModelPage

from hearth.api import Following
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.dashboard import picture as pictures
from hearth.servers.dashboard.picture import FIRST, NotRead, Picture


class Carried:
    """A picture that is carried on by hand, and a page that is given its steps."""

    def __init__(self, watched: Watched) -> None:
        self.picture = Picture(watched.around, SESSION)
        self.page = ModelPage()
        self._following: Following = watched.daemon.served.engine.follow(SESSION)

    async def open(self) -> None:
        assert await self.picture.load() is None
        self.page.take(self.picture.whole())

    async def heard(self) -> None:
        """Take all that came."""
        await self.picture.take(await self._following.batch())

    async def up_to(self, daemon: Steered) -> None:
        """Take everything up to the newest event there is."""
        newest = (await daemon.events())[-1].version
        async with asyncio.timeout(PATIENCE):
            while self.picture._timeline.version < newest:
                await self.heard()

    async def up_to_event(self, daemon: Steered, name: str) -> None:
        """Take everything until there is an event of this name."""
        async with asyncio.timeout(PATIENCE):
            while name not in {type(one.event).__name__ for one in await daemon.events()}:
                await self.heard()
        await self.up_to(daemon)

    async def step(self) -> bytes:
        frames = await self.picture.step()
        self.page.take(frames)
        self.page.check()
        return frames

    def close(self) -> None:
        self._following.close()


async def carried(opened: Watched) -> Carried:
    one = Carried(opened)
    await one.open()
    return one


async def equal(one: Carried, opened: Watched) -> None:
    """What was sent comes to what somebody sees who looks for the first time."""
    fresh = await opened.fresh()
    shown = fresh.items()
    assert shown
    assert [item.id for item in one.page.items()[-len(shown) :]] == [item.id for item in shown]
    assert one.page.items()[-len(shown) :] == shown
    for region in ("head", "queue", "composer-state", "state"):
        assert one.page.text(region) == fresh.text(region)


@pytest.mark.promise("DP-BG-05", "DP-BG-07")
@pytest.mark.parametrize("seed", range(6))
async def test_steps_at_random_moments_come_to_what_a_fresh_look_shows(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311 - which moments, nothing secret
    async with watched(tmp_path) as opened:
        daemon, model = opened.daemon, opened.daemon.model
        one = await carried(opened)
        for number in range(12):
            match chance.choice(("cell", "fails", "turn", "calls")):
                case "cell":
                    await daemon.run("print")
                case "fails":
                    await daemon.run("1/0")
                case "turn":
                    await daemon.ask(f"say {number}")
                    for piece in (
                        "# Hello\n\n",
                        "some *words* ",
                        "and more\n\n",
                        "```py\n1\n```\n",
                    ):
                        model.write(piece)
                        if chance.random() < 0.5:
                            await one.heard()
                            await one.step()
                    model.end()
                    await daemon.ended()
                case _:
                    await daemon.ask("do")
                    model.think("hm")
                    model.write("I will", new=True)
                    model.end(calls=[call()])
                    await model.asked()
                    await daemon.run("1+1")
                    model.write("done")
                    model.end()
                    await daemon.ended()
            if chance.random() < 0.6:
                await one.up_to(daemon)
                await one.step()
                await equal(one, opened)
        await one.up_to(daemon)
        await one.step()
        await equal(one, opened)
        one.close()


@pytest.mark.promise("DP-BG-05")
async def test_a_page_that_comes_while_something_is_written_has_all_of_it(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        model = opened.daemon.model
        await opened.daemon.ask("write")
        whole = ""
        one = await carried(opened)
        for number in range(30):
            model.write(f"word{number} ")
            whole += f"word{number} "
            fresh = await opened.fresh()
            assert whole.strip() in fresh.text("timeline")
            await one.heard()
            await one.step()
            assert one.page.items() == fresh.items()
        model.end()
        await opened.daemon.ended()
        await one.up_to(opened.daemon)
        await one.step()
        assert one.page.text("timeline").count("word29") == 1
        one.close()


async def test_a_page_that_is_given_the_whole_while_something_is_drawn_has_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole is of one moment, to which the next step belongs."""
    async with watched(tmp_path) as opened:
        await opened.daemon.ask("write")
        opened.daemon.model.write("one two three\n\n")
        one = await carried(opened)
        monkeypatch.setattr(pictures, "AT_ONCE", 1)  # others get their turn after each item
        for number in range(5):
            opened.daemon.model.write(f"paragraph {number}\n\n")
            await one.heard()
            stepping = asyncio.create_task(one.picture.step())
            pages = []
            while not stepping.done():
                page = ModelPage()
                page.take(one.picture.whole())
                pages.append(page)
                await asyncio.sleep(0)
            frames = await stepping
            one.page.take(frames)
            assert pages
            for page in pages[:-1]:
                page.take(frames)
                page.check()
                assert page.items() == one.page.items()
        one.close()


async def test_what_happens_while_it_is_read_anew_is_not_lost(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        await opened.daemon.turn("first", "answer")
        one = await carried(opened)
        one.picture._timeline.is_cut = True  # as after BranchSwitched
        reached, go = asyncio.Event(), asyncio.Event()
        rows = opened.around.rows

        async def slow(session: SessionId, after: int, limit: int) -> object:
            found = await rows(session, after, limit)
            reached.set()
            await go.wait()
            return found

        object.__setattr__(opened.around, "rows", slow)
        stepping = asyncio.create_task(one.step())
        await until(lambda: reached.is_set() or stepping.done())
        assert not stepping.done(), stepping
        await opened.daemon.run("1+1")
        taking = asyncio.create_task(one.up_to(opened.daemon))
        await asyncio.sleep(0)
        go.set()
        await stepping
        await taking
        object.__setattr__(opened.around, "rows", rows)
        await one.step()
        await equal(one, opened)
        assert "1+1" in one.page.text("timeline")
        one.close()


async def test_a_page_begins_with_the_newest_items_and_says_that_there_are_more(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        one = await carried(opened)
        assert "data-more" not in one.picture.timeline
        for _ in range(FIRST + 5):
            await opened.daemon.run("1+1")
        await one.up_to(opened.daemon)
        await one.step()
        assert len(one.page.items()) > FIRST
        late = ModelPage()
        late.take(one.picture.whole())
        assert len(late.items()) == FIRST
        assert 'data-more="1"' in one.picture.timeline
        assert one.page.items()[-FIRST:] == late.items()
        one.close()


async def test_what_is_trimmed_stays_in_pages_and_more_is_said_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST", 4)
    async with watched(tmp_path) as opened:
        one = await carried(opened)
        before = len(one.page.items())
        for _ in range(4):
            await opened.daemon.run("1+1")
            await one.up_to(opened.daemon)
            await one.step()
        assert len(one.page.items()) == before + 4
        assert len(one.picture._finished.keys) == 4
        assert 'data-more="1"' in one.picture.timeline
        # So much at once that nothing of before is left: it is given the whole.
        for _ in range(9):
            await opened.daemon.run("1+1")
        await one.up_to(opened.daemon)
        await one.step()
        await one.step()
        assert len(one.page.items()) == 4
        one.close()


async def test_what_is_only_written_asks_for_no_view(tmp_path: Path) -> None:
    """At two hundred tokens a second, nothing is looked up for each of them."""
    async with watched(tmp_path) as opened:
        await opened.daemon.ask("write")
        one = await carried(opened)
        await one.up_to(opened.daemon)
        await one.step()
        opened.hearth.views.clear()
        opened.daemon.model.write("more")
        await one.heard()
        assert b"more" in await one.step()
        assert not opened.hearth.views
        one.close()


async def test_nothing_is_sent_when_nothing_is_otherwise(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        await opened.daemon.run("1+1")
        one = await carried(opened)
        assert await one.step() == b""
        one.close()


async def test_its_cursor_is_that_of_what_is_drawn(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        one = await carried(opened)
        before = one.picture.cursor
        await opened.daemon.run("1+1")
        await one.up_to(opened.daemon)
        assert one.picture.cursor == before
        await one.step()
        assert one.picture.cursor == (await opened.daemon.served.log.read())[-1].seq
        one.close()


async def test_buttons_follow_what_is_allowed(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        one = await carried(opened)
        await opened.daemon.command("run_cell", wait=False, code="hang")
        await one.up_to_event(opened.daemon, "CellStarted")
        await one.step()
        assert "cancel_cell" in one.picture.timeline
        await opened.daemon.command("cancel_cell", wait=False)
        await one.up_to_event(opened.daemon, "CellCancelled")
        await one.step()
        assert "cancel_cell" not in one.picture.timeline
        await equal(one, opened)
        one.close()


@pytest.mark.promise("DP-BG-06")
async def test_a_store_that_is_down_is_said_and_does_not_raise(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(opened.around, "rows", down)
        trouble = await Picture(opened.around, SESSION).load()
        assert isinstance(trouble, Refused)
        assert "cannot be read" in trouble.why
        assert "the disk" not in trouble.why


async def test_what_cannot_be_read_anew_is_not_shown_as_if_it_could(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        await opened.daemon.turn("first", "answer")
        one = await carried(opened)
        shown = one.picture.whole()
        one.picture._timeline.is_cut = True  # as after BranchSwitched

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(opened.around, "rows", down)
        with pytest.raises(NotRead):
            await one.picture.step()
        assert one.picture.whole() == shown
        one.close()


async def test_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        trouble = await Picture(opened.around, SessionId("session-zzzzzz")).load()
        assert isinstance(trouble, Refused)
