"""What an element does, as attributes."""

import json

import pytest

from hearth.core.vocabulary.commands import RenameSession
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.prompting import CancelTurn
from hearth.servers.dashboard.actions import command, get, local, post
from hearth.servers.dashboard.expressions import ACT
from hearth.servers.dashboard.html import button

SESSION = SessionId("session-aaaaaa")


def test_a_command_is_that_of_the_vocabulary() -> None:
    made = command(
        SESSION, RenameSession("x"), on="submit", fills="name", confirm="Sure?", wait=True
    )
    assert made["on_submit"] is ACT
    assert json.loads(str(made["data_command"])) == {"type": "rename_session", "name": "x"}
    assert made["data_session"] == SESSION
    assert (made["data_fills"], made["data_confirm"], made["data_wait"]) == ("name", "Sure?", "1")
    bare = command(SESSION, CancelTurn())
    assert set(bare) == {"on_click", "data_command", "data_session"}


def test_what_stands_in_a_command_stays_in_its_attribute() -> None:
    made = button("x", **command(SESSION, RenameSession('"><script>')))
    assert "<script>" not in made
    assert made.count("<") == 2


def test_what_is_fetched_and_sent_is_the_dashboards() -> None:
    assert get("/dashboard/new")["data_get"] == "/dashboard/new"
    made = post("/dashboard/panel", panel="events", confirm="Sure?")
    assert json.loads(str(made["data_fields"])) == {"panel": "events"}
    assert made["data_confirm"] == "Sure?"
    assert "data_fields" not in post("/dashboard/panel")
    for path in ("/sessions", "https://x/dashboard/", "/dashboard", "//x"):
        with pytest.raises(ValueError, match="not the dashboard's"):
            get(path)
        with pytest.raises(ValueError, match="not the dashboard's"):
            post(path)


def test_a_page_does_some_things_itself() -> None:
    assert local("latest", key="x") == {"on_click": ACT, "data_local": "latest", "data_key": "x"}
