"""The routes by which tabs are shown, through the door."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.journeys.dashboards import PATIENCE, A, B, Steered, steered
from tests.servers.dashboard.looked_at import until
from tests.servers.dashboard.model_page import ModelPage, parsed

from hearth.core.views.timeline_shelf import ENDLESS
from hearth.core.vocabulary.ids import SessionId
from hearth.credentials.standing import Standing
from hearth.servers.dashboard.lines import MOST_TABS

STREAM = {"Accept": "text/event-stream"}


class Reading:
    """A line that is read as a browser's worker does."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""
        self.pages: dict[str, ModelPage] = {}

    def page(self, tab: str) -> ModelPage:
        return self.pages.setdefault(tab, ModelPage())

    async def until(self, tab: str, *words: str, place: str = "timeline") -> ModelPage:
        page = self.page(tab)
        async with asyncio.timeout(PATIENCE):
            while (found := page.find(place)) is None or not all(w in found.text for w in words):
                await self.more()
        return page

    async def until_told(self, tab: str, name: str, **about: str) -> None:
        async with asyncio.timeout(PATIENCE):
            told = self.page(tab).told
            while not any(e == name and about.items() <= said.items() for e, said in told):
                await self.more()

    async def more(self) -> None:
        self._rest += await anext(self._chunks)
        whole, _, self._rest = self._rest.rpartition(b"\n\n")
        for frame in whole.split(b"\n\n"):
            for tab in [*self.pages]:
                self.page(tab).take(frame + b"\n\n", tab)


@asynccontextmanager
async def reading(daemon: Steered, name: str, *tabs: str, **headers: str) -> AsyncIterator[Reading]:
    client = daemon.served.client
    path = f"/dashboard/lines/{name}"
    async with client.stream(
        "GET", path, params={"tab": tabs}, headers={**STREAM, **headers}
    ) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        one = Reading(answer.aiter_bytes())
        for tab in tabs:
            one.page(tab.partition(".")[0])
        yield one


async def post(daemon: Steered, path: str, **body: Any) -> httpx2.Response:
    return await daemon.served.client.post(path, json=body)


def page_of(answer: httpx2.Response) -> ModelPage:
    """A page as it was loaded."""
    _, _, body = answer.text.partition("<body")
    return ModelPage(body.partition(">")[2].removesuffix("</body></html>"))


def present(daemon: Steered, session: str | None = None) -> int:
    """How many are connected, to one session or at all."""
    return len(daemon.served.around.attendance.listed(SessionId(session) if session else None))


def token(daemon: Steered, standing: Standing) -> dict[str, str]:
    return {"Authorization": f"Bearer {daemon.served.tokens.add('bot', standing)}"}


@pytest.mark.promise("SF-ISO-06", "SF-ISO-07", "SF-ISO-09")
async def test_one_tab_is_switched_and_no_other_tab_or_client_notices(tmp_path: Path) -> None:
    async with (
        steered(tmp_path, sessions=(A, B)) as daemon,
        reading(daemon, "line", f"one.{A}", f"other.{A}") as line,
    ):
        await line.until("one")
        await line.until("other")
        events = await daemon.served.events()
        assert (await post(daemon, f"/dashboard/session/switch/{B}", tab="one")).status_code == 204
        await line.until_told("one", "hearth-view", session=B)
        assert await daemon.served.events() == events
        views = [said["session"] for name, said in line.page("other").told if name == "hearth-view"]
        assert views == [A]
        await daemon.run("print", B)
        await line.until("one", "oops")
        assert "oops" not in line.page("other").text("timeline")
        assert (present(daemon, A), present(daemon, B)) == (1, 1)


async def test_when_a_browser_is_gone_nothing_of_its_line_is_left(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        async with reading(daemon, "line", f"one.{A}", "home") as line:
            await line.until("one")
            await line.until("home", place="home")
            assert (daemon.lines, present(daemon)) == (1, 2)
        await until(lambda: not present(daemon))
        assert daemon.lines == 0


async def test_a_tab_more_and_a_tab_less(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon, reading(daemon, "line", f"one.{A}") as line:
        line.page("two")
        added = await post(daemon, "/dashboard/tabs", line="line", tab="two", session=A)
        assert added.status_code == 204
        await line.until("two")
        assert (await post(daemon, "/dashboard/tabs/leave", tab="two")).status_code == 204
        assert present(daemon) == 1
        # It is gone already: that is what was wanted.
        assert (await post(daemon, "/dashboard/tabs/leave", tab="two")).status_code == 204


async def test_too_many_tabs_are_declined(tmp_path: Path) -> None:
    tabs = [f"t{number}." for number in range(MOST_TABS)]
    async with steered(tmp_path) as daemon, reading(daemon, "line", *tabs):
        answer = await post(daemon, "/dashboard/tabs", line="line", tab="more")
        assert answer.status_code == 409
        assert answer.json()["error"]["code"] == "too_many_tabs"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/dashboard/tabs", {"line": "nobody", "tab": "t"}),
        (f"/dashboard/session/switch/{A}", {"tab": "t"}),
        ("/dashboard/panel", {"tab": "t", "panel": "events"}),
        ("/dashboard/panel", {}),
    ],
)
async def test_a_tab_that_is_not_connected_is_told_to_connect(
    path: str, body: dict[str, str], tmp_path: Path
) -> None:
    async with steered(tmp_path) as daemon:
        answer = await post(daemon, path, **body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (410, "unknown_line")
        assert answer.json()["error"]["hint"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/dashboard/tabs", {}),
        ("/dashboard/tabs", {"line": "a b", "tab": "t"}),
        ("/dashboard/tabs", {"line": "l", "tab": "t" * 65}),
        ("/dashboard/tabs", {"line": "l", "tab": "t\n"}),
        ("/dashboard/tabs", {"line": "l", "tab": "t", "session": "s" * 301}),
        ("/dashboard/tabs", {"line": "l", "tab": "t", "odd": "x"}),
        ("/dashboard/tabs/leave", {"tab": 7}),
        (f"/dashboard/session/switch/{A}", {}),
        ("/dashboard/panel", {"tab": "t", "panel": "no-such"}),
        ("/dashboard/panel", {"tab": "t", "panel": ["events"]}),
        ("/dashboard/panel", {f"k{number}": "" for number in range(21)}),
        ("/dashboard/panel", {"tab": "t", "row": "x" * 501}),
    ],
)
async def test_what_makes_no_sense_is_declined(
    path: str, body: dict[str, Any], tmp_path: Path
) -> None:
    async with steered(tmp_path) as daemon:
        assert (await post(daemon, path, **body)).status_code == 400
        assert daemon.lines == 0


@pytest.mark.parametrize("path", ["/dashboard/lines/a.b", "/dashboard/lines/l?tab=a%20b"])
async def test_bad_names_open_no_line(path: str, tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        assert (await daemon.served.client.get(path)).status_code == 400
        assert daemon.lines == 0
        assert (await daemon.served.client.head("/dashboard/lines/l")).status_code == 405


async def test_another_session_that_is_not_there_is_not_switched_to(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon, reading(daemon, "line", f"one.{A}") as line:
        await line.until("one")
        answer = await post(daemon, "/dashboard/session/switch/session-zzzzzz", tab="one")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_session")
        assert present(daemon, A) == 1


async def test_the_panel_that_was_chosen_is_there_on_the_next_page(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon, reading(daemon, "line", f"one.{A}") as line:
        await line.until("one", place="panel")
        answer = await post(daemon, "/dashboard/panel", tab="one", panel="events", session=A)
        assert answer.status_code == 204
        page = line.page("one")
        async with asyncio.timeout(PATIENCE):
            while True:
                panel = page.find("panel")
                assert panel is not None
                if panel.attributes["data-panel"] == "events":
                    break
                await line.more()
        shown = (await daemon.served.client.get(f"/dashboard/s/{A}")).text
        assert 'data-panel="events"' in shown


@pytest.mark.parametrize("standing", [Standing.AGENT, Standing.READER])
async def test_who_only_looks_has_tabs_and_panels_and_changes_no_desk(
    standing: Standing, tmp_path: Path
) -> None:
    async with steered(tmp_path) as daemon:
        bearer = token(daemon, standing)
        client = daemon.served.client
        async with reading(daemon, "line", f"one.{A}", **bearer) as line:
            await line.until("one")
            for path, body in (
                ("/dashboard/panel", {"tab": "one", "panel": "events"}),
                (f"/dashboard/session/switch/{A}", {"tab": "one"}),
            ):
                answer = await client.post(path, json=body, headers=bearer)
                assert answer.status_code == 204, answer.text
            # The tab is theirs alone: the person has none of this name.
            assert (await post(daemon, "/dashboard/panel", tab="one")).status_code == 410
        for who in ({}, bearer):
            shown = (await client.get(f"/dashboard/s/{A}", headers=who)).text
            assert 'data-panel="events"' not in shown
        desk = await client.post("/dashboard/desk", json={"theme": "dark"}, headers=bearer)
        assert desk.status_code == 403


@pytest.mark.promise("DP-EVICT-06")
async def test_a_timeline_is_read_back_page_by_page_without_a_gap(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        for _ in range(130):
            await daemon.run("1+1")
        client = daemon.served.client
        page = page_of(await client.get(f"/dashboard/s/{A}"))
        timeline = page.find("timeline")
        assert timeline is not None
        assert timeline.attributes["data-more"] == "1"
        seen = [one.attributes["data-order"] for one in page.items()]
        ids = [one.id for one in page.items()]
        older = True
        while older:
            answer = await client.get(f"/dashboard/s/{A}/items", params={"before": str(seen[0])})
            assert answer.status_code == 200, answer.text
            (found,) = parsed(answer.text)
            assert found.id == "page"
            assert found.children
            seen[:0] = [one.attributes["data-order"] for one in found.children]
            ids[:0] = [one.id for one in found.children]
            older = "data-older" in found.attributes
        assert len(ids) == len(set(ids))
        cells = [one for one in ids if one.startswith("i-c")]
        assert cells == [f"i-c{number}" for number in range(1, 131)]
        # And forward again, from the first of them.
        answer = await client.get(f"/dashboard/s/{A}/items", params={"after": str(seen[0])})
        (found,) = parsed(answer.text)
        assert [one.id for one in found.children] == ids[1 : 1 + len(found.children)]
        assert found.attributes["data-newer"] == "1"
        # From something that is being written, which stands behind all that is stored.
        answer = await client.get(f"/dashboard/s/{A}/items?before=1.{ENDLESS}.0")
        (found,) = parsed(answer.text)
        assert [one.id for one in found.children] == ids[-len(found.children) :]
        answer = await client.get(f"/dashboard/s/{A}/items", params={"at": "200"})
        (found,) = parsed(answer.text)
        around = [one.id for one in found.children]
        assert around == ids[ids.index(around[0]) : ids.index(around[-1]) + 1]
        assert {"data-older", "data-newer"} <= set(found.attributes)


@pytest.mark.parametrize(
    "query",
    ["", "before=1-2-3", "before=1.2", "after=x", "at=-1", "at=x", "before=1.2.3.4", "at=²"],
)
async def test_a_place_that_is_none_is_declined(query: str, tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        answer = await daemon.served.client.get(f"/dashboard/s/{A}/items?{query}")
        assert answer.status_code == 400, answer.text


@pytest.mark.promise("DP-BG-06")
async def test_a_store_that_is_down_declines_older_items_in_words(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        await daemon.served.client.get(f"/dashboard/s/{A}")

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(daemon.served.around, "rows", down)
        answer = await daemon.served.client.get(f"/dashboard/s/{A}/items?before=0.3.0")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
        assert "disk" not in answer.text
