"""Nothing of the dashboard is loaded before somebody looks."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.journeys.dashboards import A, steered

from hearth.servers.dashboard import mounting as module

HEAVY = ("markdown_it", "nh3", "pygments", "hearth.servers.dashboard.rendering")


def test_the_door_loads_nothing_that_draws() -> None:
    code = (
        "import sys, hearth.servers.http.door\n"
        f"print(sorted(one for one in sys.modules if one.startswith({HEAVY!r})))"
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


async def test_it_is_loaded_by_the_first_who_looks_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = 0
    load = module._loaded

    def counted() -> object:
        nonlocal loads
        loads += 1
        return load()

    monkeypatch.setattr(module, "_loaded", counted)
    async with steered(tmp_path) as daemon:
        mounted = daemon.served.door._dashboard
        assert not mounted.is_loaded
        await daemon.served.client.get("/sessions")
        assert not mounted.is_loaded
        paths = ("/dashboard", f"/dashboard/s/{A}", "/dashboard", "/dashboard/new")
        answers = await asyncio.gather(*(daemon.served.client.get(path) for path in paths))
        assert [one.status_code for one in answers] == [200] * 4
        assert mounted.is_loaded
        assert loads == 1


async def test_who_comes_while_it_ends_is_told_so(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        await daemon.served.door._dashboard.close()
        answer = await daemon.served.client.get("/dashboard")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "shutting_down")
        assert not daemon.served.door._dashboard.is_loaded


async def test_what_cannot_be_loaded_is_tried_again_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> object:
        raise FileNotFoundError("datastar.js")

    async with steered(tmp_path) as daemon:
        monkeypatch.setattr(module, "_loaded", missing)
        assert (await daemon.served.client.get("/dashboard")).status_code == 500
        monkeypatch.undo()
        assert (await daemon.served.client.get("/dashboard")).status_code == 200
