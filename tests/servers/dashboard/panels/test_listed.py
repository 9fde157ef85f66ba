"""Every panel can be drawn at any time, whatever there is to show."""

from pathlib import Path

import pytest
from tests.servers.dashboard.panels.looking_at import SESSION, instead, looking, tame
from tests.servers.http.serving import served

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.servers.dashboard.panels.listed import panels

NAMES = (
    "approvals",
    "variables",
    "branches",
    "diagnostics",
    "tasks",
    "usage",
    "events",
    "connections",
    "health",
    "settings",
)  # fmt: skip - one line of names


async def test_they_stand_in_a_certain_order_and_each_says_what_it_needs(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        found = panels(daemon.around)
    assert tuple(one.name for one in found) == NAMES
    free = {one.name for one in found if not one.needs_session}
    assert free == {"approvals", "connections", "health", "settings"}
    assert all(one.title for one in found)


async def test_what_moves_a_panel_is_what_it_shows(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        found = {one.name: one for one in panels(daemon.around)}
    assert found["events"].moved_by >= {e.CellStarted, e.ModelAsked, e.StateTransitioned}
    assert found["variables"].moved_by >= {e.CellFinished, e.CellsUndone, e.CellsRedone}
    assert found["branches"].moved_by >= {e.SessionForked, e.SessionStopped, e.SessionRenamed}
    assert found["branches"].moved_by >= {e.CellStarted, e.TrialStarted, e.SessionWarmUpStarted}
    assert found["branches"].moved_by >= {e.VariablesReturned, e.QuestionAbandoned}
    assert found["branches"].everywhere
    assert e.VariablesRequested not in found["variables"].moved_by
    assert e.ApprovalRequested in found["approvals"].moved_by
    assert found["approvals"].everywhere
    assert found["health"].every == found["connections"].every == 5.0


@pytest.mark.parametrize("session", [SESSION, SessionId("session-zzzzzz"), None])
async def test_each_is_drawn_with_a_session_without_one_and_with_one_that_is_gone(
    tmp_path: Path, session: SessionId | None
) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        for panel in panels(daemon.around):
            read = tame(await panel.show(looking(daemon.around, session)))
            assert read.text, panel.name
            assert "went wrong inside" not in read.text, panel.name
            if session is None and panel.needs_session:
                assert "Open one" in read.text


async def test_each_says_what_is_wrong_when_the_store_is_down(tmp_path: Path) -> None:
    down = StoreUnavailable(why="the store is down")
    views = ("status", "approvals", "permissions", "diagnostics", "tasks", "usage", "sessions")
    async with served(tmp_path) as daemon:
        await daemon.begin()
        around = instead(daemon.around, **dict.fromkeys(views, down))
        for panel in panels(around):
            read = tame(await panel.show(looking(around)))
            assert read.text
            assert "went wrong inside" not in read.text, panel.name
            if panel.name not in {"connections", "health"}:
                assert "the store is down" in read.text, panel.name


async def test_no_two_elements_of_a_panel_have_one_id(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        for panel in panels(daemon.around):
            read = tame(await panel.show(looking(daemon.around)))
            ids = [one.attributes["id"] for one in read.elements if "id" in one.attributes]
            assert len(ids) == len(set(ids)), panel.name
