"""Beginning sessions from the dashboard."""

import re
from pathlib import Path

import pytest
from tests.servers.dashboard.sidebar.mounted import A, Opened, mounted
from tests.servers.dashboard.sidebar.showing import EVIL

from hearth.core.views.sessions import SessionRow, Sessions
from hearth.credentials.standing import Standing
from hearth.servers.mcp.outside import FoundProjects


class Discovering:
    """Finds two projects in every folder; `fails` instead, if it is told to."""

    def __init__(self) -> None:
        self.fails: Exception | None = None
        self.asked: list[str] = []

    async def found(self, directory: str) -> FoundProjects:
        self.asked.append(directory)
        if self.fails is not None:
            raise self.fails
        return FoundProjects(directory, "git", ("loom", "weave"), ("one is odd",))


async def rows(opened: Opened) -> dict[str, SessionRow]:
    viewed = await opened.daemon.engine.view("sessions")
    assert isinstance(viewed.value, Sessions)  # type: ignore[union-attr] # it is a view
    return {row.session: row for row in viewed.value.rows}  # type: ignore[union-attr] # it is a view


def gone_to(html: str) -> str:
    found = re.search(r'data-to="/dashboard/s/([^"]+)"', html)
    assert found is not None, html
    return found[1]


@pytest.mark.promise("SF-DASH-02")
async def test_a_session_is_begun_and_the_tab_goes_there(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        answer = await opened.posted(
            "/dashboard/new",
            tab="t",
            session="",
            directory=str(tmp_path),
            name=" loom ",
            mode="bare",
        )
        row = (await rows(opened))[gone_to(answer)]
        assert (row.name, row.directory, row.mode) == ("loom", str(tmp_path), "bare")
        assert 'id="dialog-in"' not in answer


@pytest.mark.promise("SF-DASH-02")
async def test_the_form_proposes_a_folder_and_tells_what_is_found_there(tmp_path: Path) -> None:
    projects = Discovering()
    async with mounted(tmp_path, projects=projects) as opened:
        assert 'value="~"' in await opened.get("/dashboard/new")
        assert projects.asked == [str(Path.home())]
        await opened.posted("/dashboard/new", directory=str(tmp_path))
        shown = await opened.get("/dashboard/new")
        assert f'value="{tmp_path}"' in shown
        assert "weave" in shown
        assert 'data-opens="1"' in shown
        found = await opened.get("/dashboard/projects", directory=str(tmp_path), place="home")
        assert found.startswith('<div id="new-home-found"')
        assert "one is odd" in found


async def test_a_folder_that_cannot_be_looked_at_is_no_reason_to_fail(tmp_path: Path) -> None:
    projects = Discovering()
    async with mounted(tmp_path, projects=projects) as opened:
        projects.fails = PermissionError(13, EVIL)
        found = await opened.get("/dashboard/projects", directory=str(tmp_path))
        assert "cannot be said" in found
        assert "<img" not in found
        projects.fails = TimeoutError()
        assert "takes long" in await opened.get("/dashboard/projects", directory=str(tmp_path))
        for odd in ("", "relative", "/nowhere/at/all", "/\0", "/" + "x" * 4000):
            found = await opened.get("/dashboard/projects", directory=odd)
            assert "<p>" not in found
    async with mounted(tmp_path, projects=None) as opened:
        assert "<p>" not in await opened.get("/dashboard/projects", directory=str(tmp_path))


@pytest.mark.parametrize(
    ("directory", "words"),
    [
        ("", "Say in which directory"),
        ("loom", "absolute path"),
        ("/\0", "absolute path"),
        ("/nowhere/at/all", "no such directory"),
    ],
)
async def test_what_is_wrong_is_told_at_the_field(
    directory: str, words: str, tmp_path: Path
) -> None:
    async with mounted(tmp_path) as opened:
        shown = await opened.posted("/dashboard/new", directory=directory, name=EVIL, place="home")
        assert words in shown
        assert 'aria-invalid="true"' in shown
        assert 'data-opens="1"' in shown
        assert "<img" not in shown
        assert await rows(opened) == {}


async def test_a_refusal_is_told_in_the_form(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        opened.daemon.engine.most_sessions = 1
        await opened.begin(A)
        shown = await opened.posted("/dashboard/new", directory=str(tmp_path))
        assert 'role="alert"' in shown
        assert "data-to" not in shown
        assert list(await rows(opened)) == [A]


async def test_a_session_is_renamed_by_the_command_of_the_dialog(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        shown = await opened.get("/dashboard/rename", session=A)
        assert "rename_session" in shown
        assert f'data-session="{A}"' in shown
        answer = await opened.daemon.client.get("/dashboard/rename", params={"session": "nobody"})
        assert answer.status_code == 404


async def test_who_only_reads_begins_nothing(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        reader = opened.token(Standing.READER)
        answer = await opened.daemon.client.post(
            "/dashboard/new", json={"directory": str(tmp_path)}, headers=reader
        )
        assert answer.status_code == 403
        looked = await opened.daemon.client.get("/dashboard/new", headers=reader)
        assert looked.status_code == 200
        assert await rows(opened) == {}
