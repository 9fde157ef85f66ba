"""Taking back, trying, forking and returning over HTTP: commands as JSON, with their outcomes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.copying import SIZE, CopyingInterpreter, copied
from tests.servers.http.serving import Served

from hearth.credentials.standing import Standing
from hearth.performers.interpreter.scene import Scene

S, T = "session-aaaaaa", "session-bbbbbb"


@pytest.fixture
def copying() -> CopyingInterpreter:
    return CopyingInterpreter({**SCENES, "y = 2": Scene(names=("y",))})


@pytest.fixture
async def daemon(tmp_path: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    async with copied(tmp_path, copying) as one:
        await one.begin()
        assert (await outcome(one, type="choose_undo", who="everyone"))["type"] == "undo_chosen"
        await outcome(one, type="run_cell", code="x = 1")
        await outcome(one, type="run_cell", code="y = 2")
        yield one


async def outcome(daemon: Served, **command: Any) -> dict[str, Any]:
    """The event that ended a command."""
    answer = await daemon.command(command)
    assert answer.status_code == 200, answer.text
    assert answer.headers["preference-applied"] == "wait"
    found: dict[str, Any] = answer.json()["envelopes"][-1]["event"]
    return found


async def status(daemon: Served) -> dict[str, Any]:
    found: dict[str, Any] = (await daemon.client.get(f"/sessions/{S}")).json()["value"]
    return found


async def test_cells_are_taken_back_and_brought_back(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    before = await status(daemon)
    assert before["kept"] == {"cells": ["c1", "c2"], "size": 2 * SIZE}
    assert before["undo"] == "everyone"
    undone = await outcome(daemon, type="undo_cells", count=2)
    assert (undone["type"], undone["cells"], undone["can_redo"]) == (
        "cells_undone",
        ["c1", "c2"],
        True,
    )
    assert copying.holds(S) == {}
    now = await status(daemon)
    assert now["generation"] == before["generation"]
    assert "redo_code" in now["available"]
    assert "undo_code" not in now["available"]
    redone = await outcome(daemon, type="redo_cells")
    assert (redone["type"], redone["cells"]) == ("cells_redone", ["c1", "c2"])
    assert set(copying.holds(S)) == {"x", "y"}


async def test_one_cell_and_all_after_it_are_taken_back(daemon: Served) -> None:
    undone = await outcome(daemon, type="undo_cells", cell="c2")
    assert undone["cells"] == ["c2"]
    nothing = await daemon.command({"type": "undo_cells", "cell": "c9"})
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (409, "not_now")
    assert nothing.json()["error"]["remedy"]


async def test_variants_are_tried_and_one_is_kept(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    ended = await outcome(daemon, type="try_variants", variants=["1+1", "1/0", "print"])
    assert ended["type"] == "trial_ended"
    first, second, third = ended["results"]
    assert (first["value"], first["value_type"]) == ("2", "int")
    assert second["failure"]["name"] == "ZeroDivisionError"
    assert third["outputs"][0]["text"] == "one\ntwo\n"
    assert (await status(daemon))["trial"]["variants"] == 3
    kept = await daemon.command({"type": "keep_variant", "variant": 3})
    told = [one["event"]["type"] for one in kept.json()["envelopes"]]
    assert "variant_kept" in told
    assert told[-1] == "session_ready"
    assert set(copying.holds(S)) == {"x", "y"}
    assert "trial" not in await status(daemon)


async def test_a_fork_says_how_or_what_is_in_the_way(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    forked = await outcome(daemon, type="fork_session", to=T, name="second")
    assert (forked["type"], forked["to"], forked["how"]) == ("session_forked", T, "copy")
    assert copying.holds(T) == copying.holds(S)
    copying.obstacles = ("the thread 'pump' runs",)
    failed = await outcome(daemon, type="fork_session", to="session-cccccc")
    assert (failed["type"], failed["obstacles"]) == ("fork_failed", ["the thread 'pump' runs"])
    there = await daemon.client.get("/sessions/session-cccccc")
    assert there.status_code == 404
    rebuilt = await outcome(daemon, type="fork_session", to="session-cccccc", how="replay")
    assert (rebuilt["type"], rebuilt["how"]) == ("session_forked", "replay")


async def test_a_cell_that_cannot_be_taken_back_says_so_before_it_ends(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    copying.obstacles = ("the thread 'pump' runs",)
    answer = await daemon.command({"type": "run_cell", "code": "1+1"})
    told = [one["event"]["type"] for one in answer.json()["envelopes"]]
    assert told.index("cell_not_kept") < told.index("cell_finished")


async def test_a_session_goes_back_to_when_something_was_said_and_that_is_undone(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    await outcome(daemon, type="send_message", text="hello")
    rows = (await daemon.client.get(f"/sessions/{S}/blocks")).json()["rows"]
    block = rows[0]["event"]["block"]
    await outcome(daemon, type="run_cell", code="1+1")
    scope = {"interpreter": True}
    shown = await outcome(daemon, type="return_to", to=block, scope=scope, preview=True)
    assert (shown["type"], shown["cells"], shown["how"]) == ("return_previewed", ["c3"], "copy")
    done = await outcome(daemon, type="return_to", to=block, scope=scope)
    assert (done["type"], done["cells"]) == ("session_returned", ["c3"])
    back = await outcome(daemon, type="return_to")
    assert back["type"] == "session_returned"
    assert set(copying.holds(S)) == {"x", "y"}


async def test_an_agent_neither_returns_nor_takes_a_persons_cells_back(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    bot = daemon.bearer(daemon.tokens.add("bot", Standing.AGENT))
    for command in ({"type": "return_to", "to": "b1"}, {"type": "return_to", "preview": True}):
        answer = await daemon.command(command, **bot)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
    answer = await daemon.command({"type": "undo_cells"}, **bot)
    assert answer.status_code in {403, 409}
    assert "c2" in answer.json()["error"]["message"]
    assert set(copying.holds(S)) == {"x", "y"}


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ({"type": "undo_cells", "count": 0}, "$.count"),
        ({"type": "choose_undo", "who": "me"}, "$.who"),
        ({"type": "try_variants", "variants": []}, "$.variants"),
        ({"type": "try_variants", "variants": ["1"] * 17}, "$.variants"),
        ({"type": "keep_variant", "variant": -1}, "$.variant"),
        ({"type": "fork_session"}, "$"),
        ({"type": "fork_session", "to": T, "how": "magic"}, "$.how"),
        ({"type": "return_to", "scope": {"all": True}}, "$.scope.all"),
        ({"type": "run_cell", "code": "1", "on_error": "ignore"}, "$.on_error"),
    ],
)
async def test_what_makes_no_sense_is_told_with_its_place(
    daemon: Served, command: dict[str, Any], path: str
) -> None:
    before = await daemon.events()
    answer = await daemon.command(command)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")
    assert answer.json()["error"]["path"] == path
    assert await daemon.events() == before
