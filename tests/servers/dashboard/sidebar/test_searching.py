"""Searching all sessions."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.contracts.quick_agent import QuickAgent
from tests.servers.dashboard.sidebar.mounted import A, B, mounted
from tests.servers.dashboard.sidebar.showing import EVIL, NOW

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.html import joined
from hearth.servers.dashboard.sidebar.searching import MOST, marked
from hearth.servers.http.around import Found


@pytest.mark.promise("DP-UI-15")
async def test_code_output_and_chat_are_found_by_session(tmp_path: Path) -> None:
    async with mounted(tmp_path, agent=QuickAgent()) as opened:
        await opened.begin(A, B)
        await opened.ask(A, {"type": "rename_session", "name": "loom"})
        await opened.ask(A, {"type": "run_cell", "code": "print"})
        await opened.ask(B, {"type": "send_message", "text": "where is the print"})
        shown = await opened.get("/dashboard/search", q="PRINT")
        assert shown.startswith('<div id="found"')
        assert ">loom<" in shown
        assert "<mark>print</mark>" in shown
        assert ">code<" in shown
        assert ">message<" in shown
        assert f"/dashboard/s/{A}?at=" in shown
        assert ">output<" in await opened.get("/dashboard/search", q="two")
        assert "Nothing was found" in await opened.get("/dashboard/search", q="teapot print")


async def test_without_a_query_the_dialog_is_answered(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        shown = await opened.get("/dashboard/search", **{"for": EVIL})
        assert 'id="dialog-in"' in shown
        assert 'id="found"' in shown
        assert "<img" not in shown
        empty = await opened.get("/dashboard/search", q="  ... ")
        assert "all sessions" in empty
        assert 'id="dialog-in"' not in empty


async def test_what_is_found_is_text_and_bounded(tmp_path: Path) -> None:
    asked: list[int] = []

    async def search(_: str, most: int) -> Sequence[Found]:
        asked.append(most)
        one = Found(
            session=SessionId("gone"),
            version=3,
            seq=9,
            at=NOW,
            author=Origin(Actor.AGENT, EVIL),
            kind=EVIL,
            excerpt=f"img {EVIL}" + "x" * 10_000,
        )
        return [one] * most

    async with mounted(tmp_path, search=search) as opened:
        shown = await opened.get("/dashboard/search", q="img")
        assert asked == [MOST]
        assert f"{MOST} or more found" in shown
        assert "<img" not in shown
        assert "\u202e" not in shown
        assert len(shown) < 100_000


async def test_a_search_that_fails_says_so_in_words(tmp_path: Path) -> None:
    failure: Exception = OSError("the disk is gone <b>")

    async def search(_: str, __: int) -> Sequence[Found]:
        await asyncio.sleep(0)
        raise failure

    async with mounted(tmp_path, search=search) as opened:
        shown = await opened.get("/dashboard/search", q="x")
        assert "cannot be searched now: the disk is gone" in shown
        assert "<b>" not in shown
        failure = TimeoutError()
        assert "took too long" in await opened.get("/dashboard/search", q="x")
    async with mounted(tmp_path, search=None) as opened:
        assert "Nothing can be searched" in await opened.get("/dashboard/search", q="x")


def test_all_words_are_marked_and_nothing_is_lost() -> None:
    assert joined(marked("The tea, the TEApot <b>", ("tea", "b"))) == (
        "The <mark>tea</mark>, the <mark>TEA</mark>pot &lt;<mark>b</mark>&gt;"
    )
    assert joined(marked("nothing", ("x",))) == "nothing"
