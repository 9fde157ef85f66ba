"""What people see, and the projects of a folder."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers.http.serving import served
from tests.servers.mcp.clients import MODERN, call, connected

from hearth.servers.mcp.outside import FoundProjects


class Found:
    """One project, wherever one looks."""

    async def found(self, directory: str) -> FoundProjects:
        return FoundProjects(directory, "git", (f"{directory}/a",), ("two workspace files",))


@pytest.mark.promise("SF-MCP-21")
async def test_the_regions_of_the_screen(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="print")
        await call(client, "check_code", code="undefined")
        await call(client, "run_code", code="1/0")
        said = await call(client, "get_ui_state")
        assert said["editor"] == "1/0"
        assert said["output"][0]["stdout"] == "one\ntwo\n"
        assert said["output"][1]["error"] == "division by zero"
        assert said["diagnostics"] == [{"message": "undefined name", "line": 1}]
        assert said["sessions"][0]["id"] == "session-aaaaaa"
        async with connected(daemon, MODERN) as other:
            assert (await call(other, "get_ui_state"))["output"] == []


@pytest.mark.promise("SF-RES-06")
async def test_projects_are_those_of_where_the_caller_works(tmp_path: Path) -> None:
    headers = {"Hearth-Directory": str(tmp_path)}
    async with served(tmp_path) as daemon:
        speaking_around = replace(daemon.around, projects=Found())
        daemon.door._mcp._around = speaking_around
        async with connected(daemon, headers=headers) as client:
            said = await call(client, "get_available_projects")
            assert said["projects"] == [f"{tmp_path}/a"]
            assert (said["source"], said["notices"]) == ("git", ["two workspace files"])
            other = await call(client, "get_available_projects", directory="/x/")
            assert other["root"] == "/x"
            wrong = await call(client, "get_available_projects", directory="x")
            assert wrong["error"]["path"] == "$.directory"
        async with connected(daemon, MODERN) as client:
            unsaid = await call(client, "get_available_projects")
            assert unsaid["error"]["type"] == "malformed"


@pytest.mark.promise("SF-MCP-27")
async def test_without_a_daemon_around_it_a_tool_is_not_available(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        for tool in ("get_available_projects", "export_session", "import_session"):
            said = await call(client, tool)
            assert said.is_error
            assert (said["error"]["type"], said["error"]["tool"]) == ("tool_unavailable", tool)
