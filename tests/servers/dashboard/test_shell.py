"""The document around everything that is drawn."""

from pathlib import Path

import pytest
from tests.servers.dashboard.looked_at import SESSION, watched
from tests.servers.dashboard.model_page import ModelPage, Node, parsed

from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.html import Html, aside, div, header, nav, p
from hearth.servers.dashboard.panels.panel import Looking, Panel
from hearth.servers.dashboard.shell import document, home_page, panel_aside, session_page

NASTY = '"><script>alert(1)</script>'


async def shown(_: Looking) -> Html:
    return p("what it shows")


ONE = Panel("one", "One", shown)
ALL = Panel("all", "All", shown, needs_session=False)


def session() -> Html:
    return session_page(
        sidebar=nav(id_="sidebar"),
        head=header(id_="head"),
        timeline=div(id_="timeline"),
        queue=div(id_="queue"),
        composer=div(id_="composer"),
        panel=aside(id_="panel"),
        state=div(id_="state"),
    )


def find(markup: Html, name: str) -> Node:
    found = ModelPage(markup).find(name)
    assert found is not None, name
    return found


def test_the_ids_that_patches_are_for_are_there_once() -> None:
    page = ModelPage(session())
    page.check()
    for name in (
        *("banner", "app", "sidebar", "main", "head", "scroll", "timeline", "latest", "queue"),
        *("composer", "panel", "state", "toasts", "ask", "palette", "keys", "dialog"),
    ):
        assert page.find(name) is not None, name
    home = ModelPage(home_page(nav(id_="sidebar"), div(id_="home"), aside(id_="panel"), div()))
    home.check()
    assert home.find("home") is not None
    assert home.find("composer") is None


def test_a_banner_is_there_for_when_something_is_wrong() -> None:
    banner = find(session(), "banner")
    assert banner.attributes["role"] == "alert"
    assert "hidden" in banner.attributes
    assert find(session(), "toasts").attributes["aria-live"] == "polite"


def test_what_is_said_about_a_page_stays_where_it_is_said() -> None:
    made = document(assets(), NASTY, NASTY, Html("<main></main>"), session=NASTY)
    assert "<script>alert" not in made
    assert "data-theme" not in made
    assert made.count("<script ") == 2
    assert made.startswith('<!doctype html><html lang="en">')
    assert f'data-build="{assets().build}"' in made


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_is_known_before_anything_is_painted(theme: str) -> None:
    made = document(assets(), "x", theme, Html(""))
    assert f'<html lang="en" data-theme="{theme}">' in made


async def test_one_panel_is_open_and_the_others_are_named(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        looking = Looking(opened.around, SESSION)
        made = await panel_aside((ONE, ALL), ONE, looking)
        (panel,) = parsed(made)
        assert panel.attributes["data-panel"] == "one"
        assert "what it shows" in panel.text
        assert find(made, "tab-one").attributes["aria-selected"] == "true"
        assert find(made, "tab-all").attributes["aria-selected"] == "false"
        assert "Close the panel" in made
        none = await panel_aside((ONE, ALL), None, looking)
        assert "what it shows" not in none
        assert "Close the panel" not in none


async def test_what_needs_a_session_is_not_offered_without_one(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        looking = Looking(opened.around, None)
        made = await panel_aside((ONE, ALL), ALL, looking)
        assert "tab-one" not in made
        left = await panel_aside((ONE, ALL), ONE, looking)
        assert "what it shows" not in left
        assert left == await panel_aside((ONE, ALL), None, looking)
