"""Two doors, one answer: whatever HTTP refuses in a state, a tool refuses in the same words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.servers.http.serving import Served, served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.rules.interpreter import ACCEPTS, ALWAYS, COMMAND_OF
from hearth.core.rules.restart import LONGEST_DELAY
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.servers.mcp.tools.said import EVERYWHERE
from hearth.servers.mcp.tools.table import BY_NAME

S: Final = "session-aaaaaa"
TAKEN: Final[Mapping[Affordance, Mapping[str, Any]]] = {
    Affordance.RUN_CODE: {"code": "1+1"},
    Affordance.CHECK_CODE: {"code": "x"},
    Affordance.GET_COMPLETIONS: {"code": "x", "cursor": 1},
    Affordance.INSPECT: {"code": "x", "cursor": 1},
    Affordance.LOAD_SCRIPT: {"path": "script.py"},
    Affordance.EXPLORE_MODULE: {"name": "json"},
    Affordance.EXPLORE_TYPE: {"name": "json"},
    Affordance.ANSWER_INPUT: {"text": "x"},
    Affordance.TRY_CODE: {"variants": ["x = 1", "1+1"]},
    Affordance.KEEP_VARIANT: {"variant": 1},
}
LEADS_TO: Final = {
    PhaseName.UNINITIALIZED: {"type": "stop_session"},
    PhaseName.READY: {"type": "run_cell", "code": "1+1"},
    PhaseName.EVALUATING: {"type": "run_cell", "code": "hang"},
    PhaseName.FAULTED: {"type": "run_cell", "code": "die"},
}


@pytest.fixture(autouse=True)
def _a_fault_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody starts what has crashed anew while a test still looks at it."""
    monkeypatch.setattr("hearth.core.rules.restart.FIRST_DELAY", LONGEST_DELAY)


async def led(daemon: Served, state: PhaseName) -> None:
    """A session in this state."""
    await daemon.begin()
    following = daemon.engine.follow(S)  # type: ignore[arg-type] # a session's id
    headers = {} if state is PhaseName.EVALUATING else {"Prefer": "wait=30"}
    await daemon.client.post(f"/sessions/{S}/commands", json=LEADS_TO[state], headers=headers)
    while (await status(daemon))["state"] != state:
        await following.batch()
    following.close()


async def status(daemon: Served) -> dict[str, Any]:
    found: dict[str, Any] = (await daemon.client.get(f"/sessions/{S}")).json()["value"]
    return found


def test_everything_that_is_offered_is_a_tool() -> None:
    assert {one.value for one in Affordance} <= set(BY_NAME)
    assert {*ALWAYS, Affordance.GET_STATUS} == EVERYWHERE


@pytest.mark.promise("SF-AFF-09", "SF-AFF-05", "SF-AFF-06", "SF-STATE-07")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("state", LEADS_TO)
async def test_a_tool_is_refused_as_http_refuses_it(
    tmp_path: Path, era: str, state: PhaseName
) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await led(daemon, state)
        refused = [
            (offer, command)
            for offer, command in COMMAND_OF.items()
            if state not in ACCEPTS[command]
        ]
        before = await daemon.events()
        for offer, command in refused:
            arguments = TAKEN.get(offer, {})
            tag = str(command.__struct_config__.tag)
            over_http = await daemon.client.post(
                f"/sessions/{S}/commands", json={"type": tag, **arguments}
            )
            assert over_http.status_code == 409, over_http.text
            expected = over_http.json()["error"]
            said = await call(client, offer.value, session=S, **arguments)
            assert said.is_error
            assert said["error"]["type"] == expected["code"]
            assert said["error"]["message"] == expected["message"]
            assert said["error"]["state"] == expected["state"] == said["state"]
            assert said["remedy"] == expected["remedy"]
            assert said["remedy"]
        assert await daemon.events() == before


@pytest.mark.promise("SF-AFF-01", "SF-AFF-03", "SF-AFF-04")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("state", LEADS_TO)
async def test_what_is_offered_is_what_http_offers_and_the_list_of_tools_is_the_same(
    tmp_path: Path, era: str, state: PhaseName
) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        tools = [one.name for one in (await client.list_tools()).tools]
        await led(daemon, state)
        said = await call(client, "get_status", session=S)
        offered = [one for one in (await status(daemon))["available"] if one not in EVERYWHERE]
        assert said["available_actions"] == offered
        assert said.shown["available_actions"] == offered
        assert ("cancel_eval" in offered) is (state is PhaseName.EVALUATING)
        assert [one.name for one in (await client.list_tools()).tools] == tools == sorted(tools)


async def test_a_crash_is_typed_and_leads_to_a_reset(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="die")
        assert said["error"]["type"] == "worker_crashed"
        assert said["state"] in {"faulted", "warming_up", "ready"}
        assert e.CellFailed.__struct_config__.tag == "cell_failed"
