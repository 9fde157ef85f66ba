"""A panel always says something."""

import logging
from datetime import datetime
from pathlib import Path

import pytest
from tests.servers.dashboard.panels.looking_at import NOW, SESSION, looking, tame
from tests.servers.http.serving import served

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.saying import said, said_of
from hearth.servers.http.answers import Trouble
from hearth.servers.http.asked import Declined


async def test_a_panel_is_told_the_time_and_the_session(tmp_path: Path) -> None:
    async def show(_: Looking, session: SessionId, now: datetime) -> Html:
        return p(f"{session} {now:%H}")

    async with served(tmp_path) as daemon:
        shown = await said_of(show, lambda: NOW)(looking(daemon.around))
        assert tame(shown).text == f"{SESSION} 12"


async def test_a_panel_of_a_session_says_that_there_is_none(tmp_path: Path) -> None:
    async def show(_: Looking, __: SessionId, ___: datetime) -> Html:
        raise AssertionError("it is not asked")

    async with served(tmp_path) as daemon:
        shown = tame(await said_of(show)(looking(daemon.around, None)))
        assert "Open one" in shown.text


async def test_a_refusal_is_shown_with_what_would_help(tmp_path: Path) -> None:
    async def show(_: Looking, __: datetime) -> Html:
        raise Declined(Trouble(503, "store_unavailable", "the store is down", "wait for it"))

    async with served(tmp_path) as daemon:
        shown = tame(await said(show)(looking(daemon.around)))
        assert shown.text == "the store is down wait for it"
        assert shown.all("div", role="status")


async def test_a_defect_is_logged_and_not_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def show(_: Looking, __: datetime) -> Html:
        raise ZeroDivisionError("secret")

    async with served(tmp_path) as daemon:
        with caplog.at_level(logging.ERROR):
            shown = tame(await said(show)(looking(daemon.around)))
    assert "went wrong inside hearth" in shown.text
    assert "secret" not in shown.text
    assert "ZeroDivisionError" in caplog.text
