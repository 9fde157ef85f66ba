"""What a panel is, and what it is unless it says otherwise."""

from pathlib import Path

from tests.servers.http.serving import served

from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.panels.panel import Looking, Panel


async def show(looking: Looking) -> Html:
    return p(looking.wanted.get("filter", "nothing"))


def test_a_panel_is_about_one_session_and_stands_still_unless_it_says_otherwise() -> None:
    panel = Panel("tasks", "Tasks", show)
    assert panel.needs_session
    assert not panel.everywhere
    assert panel.every is None
    assert panel.moved_by == frozenset()


async def test_whoever_looks_has_chosen_nothing_at_first(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        assert await show(Looking(daemon.around, None)) == "<p>nothing</p>"
        assert await show(Looking(daemon.around, None, {"filter": "x"})) == "<p>x</p>"
