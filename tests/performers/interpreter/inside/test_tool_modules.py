"""The modules of `hearth_tools`, as code sees them."""

import asyncio
import importlib
import inspect
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.telling_daemon import SAY, TURN, TellingDaemon
from tests.performers.interpreter.inside.unchanged import unchanged_process

from hearth.performers.interpreter.inside import tools
from hearth.performers.interpreter.inside.tool_results import NotAvailable, ToolError


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[TellingDaemon]:
    finders = list(sys.meta_path)
    with tempfile.TemporaryDirectory(prefix="hm-", dir="/tmp") as made, unchanged_process(tmp_path):
        one = TellingDaemon(Path(made))
        tools.install(Path(made))
        yield one
        one.listening.close()
        tools.forget()
    sys.meta_path[:] = finders


async def beside(code: Callable[[], Any]) -> Any:
    """Run what waits for the daemon in a thread: the daemon is in this one."""
    async with asyncio.timeout(20):
        return await asyncio.to_thread(code)


def run(code: str) -> Any:
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the test's own lines
    return names.get("found")


async def test_nothing_is_asked_before_a_server_is_wanted(daemon: TellingDaemon) -> None:
    await beside(lambda: importlib.import_module("hearth_tools"))
    assert daemon.asked == []


@pytest.mark.parametrize(
    "code",
    [
        "from hearth_tools import the_mill\nfound = the_mill.turn",
        "from hearth_tools.the_mill import turn as found",
        "import hearth_tools\nfound = hearth_tools.the_mill.turn",
        "import hearth_tools.the_mill\nfound = hearth_tools.the_mill['turn']",
    ],
)
async def test_tools_are_functions_however_they_are_imported(
    daemon: TellingDaemon, code: str
) -> None:
    found = await beside(lambda: run(code))
    assert inspect.isfunction(found)
    assert (found.__name__, found.__module__) == ("turn", "hearth_tools.the_mill")
    assert str(inspect.signature(found)) == "(*, wheels: int)"
    assert "Turn wheels." in (found.__doc__ or "")
    assert await beside(lambda: found(wheels=3)) == "done"
    assert daemon.asked[-1]["server"] == "the-mill"
    assert daemon.asked[-1]["arguments"] == {"wheels": 3}


async def test_what_there_is_can_be_listed(daemon: TellingDaemon) -> None:
    daemon.catalogue["servers"]["7"] = []
    found = await beside(lambda: run("import hearth_tools\nfound = dir(hearth_tools)"))
    assert found == ["NotAllowed", "NotAvailable", "Picture", "ToolError", "n7", "the_mill"]
    mill = await beside(lambda: run("from hearth_tools import the_mill as found"))
    assert dir(mill) == ["say_it", "turn"]
    assert "turn" in mill.__doc__


async def test_a_server_that_is_not_there_says_which_are_and_what_is_wrong(
    daemon: TellingDaemon,
) -> None:
    daemon.catalogue["problems"] = ["the loom cannot be started"]
    told = "no MCP server 'loom'.* there are: the_mill; the loom cannot be started"
    with pytest.raises(ImportError, match=told):
        await beside(lambda: run("from hearth_tools import loom"))
    with pytest.raises(ImportError, match=told):
        await beside(lambda: run("import hearth_tools.loom"))
    with pytest.raises(AttributeError, match=told):
        await beside(lambda: run("import hearth_tools\nhearth_tools.loom"))
    with pytest.raises(ModuleNotFoundError):
        await beside(lambda: run("import hearth_tools.the_mill.turn"))


async def test_where_no_daemon_is_the_import_says_so(daemon: TellingDaemon) -> None:
    daemon.listening.close()
    with pytest.raises(ImportError, match="cannot be asked") as told:
        await beside(lambda: run("from hearth_tools import the_mill"))
    assert isinstance(told.value, NotAvailable)


async def test_an_unknown_tool_is_looked_for_once_more(daemon: TellingDaemon) -> None:
    mill = await beside(lambda: run("from hearth_tools import the_mill as found"))
    with pytest.raises(AttributeError, match="no tool 'fly'; there are: say_it, turn"):
        await beside(lambda: mill.fly)
    with pytest.raises(AttributeError, match="no tool 'fly'; there are: say-it, turn"):
        await beside(lambda: mill["fly"])
    daemon.catalogue["servers"]["the-mill"] = [SAY, {**TURN, "name": "fly"}]
    assert callable(await beside(lambda: mill.fly))
    assert dir(mill) == ["fly", "say_it"]
    assert not await beside(lambda: hasattr(mill, "turn"))
    asked = len(daemon.asked)
    with pytest.raises(AttributeError, match="no attribute '_repr_html_'"):
        _ = mill._repr_html_
    assert len(daemon.asked) == asked


async def test_arguments_are_given_by_name(daemon: TellingDaemon) -> None:
    mill = await beside(lambda: run("from hearth_tools import the_mill as found"))
    with pytest.raises(TypeError, match=r"by name: \(\*, wheels: int\)"):
        mill.turn(3)
    assert all(one["ask"] == "catalogue" for one in daemon.asked)


async def test_beside_others_it_can_be_awaited_and_cancelled(daemon: TellingDaemon) -> None:
    daemon.catalogue["servers"]["the-mill"].append({"name": "hang"})
    mill = await beside(lambda: run("from hearth_tools import the_mill as found"))
    assert await mill.turn.aio(wheels=1) == "done"
    waiting = asyncio.create_task(mill.hang.aio())
    await asyncio.wait_for(daemon.begun.wait(), 20)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(daemon.stopped.wait(), 20)


async def test_an_interrupt_before_it_is_waited_for_stops_it_too(
    daemon: TellingDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.catalogue["servers"]["the-mill"].append({"name": "hang"})
    mill = await beside(lambda: run("from hearth_tools import the_mill as found"))
    loop = asyncio.get_running_loop()
    begin = loop.run_in_executor
    begun: list[asyncio.Future[Any]] = []

    def interrupted(*said: Any) -> None:
        begun.append(begin(*said))
        raise KeyboardInterrupt

    monkeypatch.setattr(loop, "run_in_executor", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mill.hang.aio().send(None)
    with pytest.raises(ToolError):
        await asyncio.wait_for(begun[0], 20)
