"""The forms."""

from tests.servers.dashboard.sidebar.showing import EVIL, before, line, looked

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar.desks import Desk
from hearth.servers.dashboard.sidebar.forms import (
    Wanted,
    dialog,
    found_nothing,
    found_projects,
    new_session,
    rename,
    usual,
)
from hearth.servers.mcp.outside import FoundProjects


def test_a_new_session_is_proposed_where_the_last_one_is() -> None:
    lines = [
        line("a", directory="/a", at=before(hours=1)),
        line("b", directory="/b", at=before(hours=2)),
        line("c", directory="", at=before()),
        line("d", directory="/a", at=None),
    ]
    assert usual(looked(*lines)).directory == "/a"
    assert usual(looked(*lines)).offered == ("/a", "/b")
    assert usual(looked(*lines, desk=Desk(active="b"))).directory == "/b"
    assert usual(looked()).directory == "~"


def test_what_is_wrong_stands_at_its_field_and_what_was_written_stays() -> None:
    wrong = {"directory": "There is no such directory.", "": "Too many."}
    shown = new_session(Wanted("/nowhere", EVIL, "bare", ("/a",), wrong), place="dialog")
    assert 'aria-describedby="new-dialog-directory-wrong"' in shown
    assert 'id="new-dialog-directory-wrong"' in shown
    assert "Too many." in shown
    assert 'value="/nowhere"' in shown
    assert 'value="bare" checked' in shown
    assert "<img" not in shown
    fine = new_session(Wanted("/a"), place="home")
    assert "aria-invalid" not in fine
    assert "Cancel" not in fine
    assert 'value="project" checked' in fine


def test_what_is_found_is_told_and_bounded() -> None:
    many = tuple(f"p{number}" for number in range(100))
    shown = found_projects("dialog", FoundProjects("/root", "git", many, (EVIL,)))
    assert 'id="new-dialog-found"' in shown
    assert "found by git" in shown
    assert "and 88 more" in shown
    assert "<img" not in shown
    alone = found_projects("home", FoundProjects("/d", "directory", ()))
    assert "no project was found above it" in alone
    assert "Projects:" not in alone
    assert "slow" in found_nothing("home", "slow")


def test_a_dialog_is_opened_and_a_new_name_is_a_command() -> None:
    shown = rename(SessionId("a"), EVIL)
    assert 'id="dialog-in"' in shown
    assert 'data-opens="1"' in shown
    assert "rename_session" in shown
    assert 'data-fills="name"' in shown
    assert "<img" not in shown
    assert dialog("Title", "words").count("Title") == 1
