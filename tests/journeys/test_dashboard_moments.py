"""Whoever opens a session while something is written in it sees all of it, once."""

import asyncio
from pathlib import Path
from random import Random

import httpx2
import pytest
from playwright.async_api import Page, expect
from tests.journeys.browsing import browsing, items, path_of
from tests.journeys.dashboards import A, Steered, steered
from tests.journeys.folding import Element, fold, read

from hearth.core.vocabulary.blocks import Role, TextBlock, ThinkingBlock
from hearth.core.vocabulary.turns import BlockSealed

MOMENTS = 100
TURNS = 10
WORDS = 61
LIMIT = 60.0


def many(daemon: Steered) -> httpx2.AsyncClient:
    """Speaks for as many browsers as there are moments."""
    every = httpx2.Limits(max_connections=2 * MOMENTS)
    path = str(daemon.served.home / "hearth.sock")
    return httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=path, limits=every),
        base_url="http://hearth",
        headers=daemon.served.bearer(),
        timeout=LIMIT,
    )


async def looked(client: httpx2.AsyncClient, turn: int, number: int) -> Element:
    """A page, and all that its stream says until the turn is over."""
    answer = await client.get(path_of(A))
    assert answer.status_code == 200
    whole, page = read(answer.text), Element("root")
    page.put([one for one in map(whole.find, ("timeline", "state")) if one is not None], 0)
    rest = ""
    async with client.stream(
        "GET", f"/dashboard/lines/l{number}-{turn}?tab=t{number}.{A}"
    ) as stream:
        assert stream.status_code == 200
        async for chunk in stream.aiter_text():
            *frames, rest = (rest + chunk).split("\n\n")
            for frame in frames:
                assert "data: tab" not in frame or f"data: tab t{number}" in frame
                fold(page, frame)
            state = page.find("state")
            if (
                page.find(f"i-e-t{turn}") is not None
                and state
                and state.about["data-state"] == "idle"
            ):
                return page
    raise AssertionError("the stream ended before the turn")


async def written(daemon: Steered) -> list[str]:
    """What the model has said, as the log has it."""
    found = []
    for one in await daemon.events():
        match one.event:
            case BlockSealed(role=Role.ASSISTANT, content=TextBlock(text) | ThinkingBlock(text)):
                found.append(" ".join(str(text).split()))
            case _:
                pass
    return found


def shown(page: Element) -> list[str]:
    """The texts of the blocks on a page, in their order."""
    timeline = page.find("timeline")
    assert timeline is not None
    found = []
    for one in timeline.inside:
        if one.about.get("class", "").split()[1:2] in (["item-text"], ["item-thinking"]):
            inner = page.find(f"{one.id}-in")
            assert inner is not None
            found.append(" ".join(inner.text.split()))
    return found


@pytest.mark.slow
@pytest.mark.promise("DP-BG-01", "DP-BG-05", "DP-BG-07")
async def test_opened_at_any_moment_a_session_shows_what_the_log_has(tmp_path: Path) -> None:
    random = Random(8)  # noqa: S311 - moments are no secrets
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
        many(daemon) as client,
    ):
        pages: list[Page] = []
        for turn in range(1, TURNS + 1):
            await daemon.ask("write a lot")
            looking: list[asyncio.Task[Element]] = []
            moments = [random.randrange(1, WORDS) for _ in range(MOMENTS // TURNS)]
            for number in range(WORDS):
                say = daemon.model.write if number > WORDS // 3 else daemon.model.think
                say(_word(turn, number), new=number % (WORDS // 3) == 1)
                for _ in range(moments.count(number)):
                    looking.append(asyncio.create_task(looked(client, turn, len(looking))))
                if number == moments[0] and turn % 4 == 1:
                    pages.append(await ann.page())
                    await pages[-1].goto(f"{daemon.address}{path_of(A)}", wait_until="commit")
                # Sometimes the writer is ahead of them all, sometimes others have their turn.
                if looking and random.random() < 0.3:
                    await asyncio.wait(looking[-1:], timeout=0.02)
                else:
                    await asyncio.sleep(0)
            # One of them leaves in the middle: nobody who goes ends what goes on.
            looking.pop().cancel()
            daemon.model.end()
            await daemon.ended()
            truth = await written(daemon)
            assert len(truth) == 4 * turn
            async with asyncio.timeout(LIMIT):
                for folded in await asyncio.gather(*looking):
                    assert shown(folded) == truth[-len(shown(folded)) :]
                    assert len(shown(folded)) >= 4
        seen = set()
        for page in pages:
            await expect(page.locator(f"#i-e-t{TURNS}")).to_be_visible()
            seen.add(tuple((await items(page))[-20:]))
        (only,) = seen
        assert "".join(only).count(_word(TURNS, WORDS - 1).strip()) == 1


def _word(turn: int, number: int) -> str:
    return f"word-{turn}-{number} " + ("\n\n" if number % 17 == 0 else "")
