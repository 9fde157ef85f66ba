"""What can be read under an address."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.mcp.reading import Address, address_of, changed_by

S = "session-aaaaaa"
BASE = f"hearth://sessions/{S}"


async def read(client: Client, uri: str) -> str:
    content: Any = (await client.read_resource(uri)).contents[0]
    return str(content.text)


def test_an_address_means_one_thing_or_nothing() -> None:
    assert address_of("hearth://sessions") == Address()
    assert address_of(f"{BASE}/events") == Address(SessionId(S), "events")
    output = address_of(f"{BASE}/cells/c12/output")
    assert output is not None
    assert (output.what, output.cell) == ("output", "c12")
    for wrong in ("", "file:///etc/passwd", BASE, f"{BASE}/cells/../output", f"{BASE}/events/x",
                  "hearth://sessions/../events", f"{BASE}/secrets"):  # fmt: skip
        assert address_of(wrong) is None


def test_an_event_changes_what_is_read_of_its_session() -> None:
    row = Stored(1, SessionId(S), 1, b"{}")
    assert changed_by(row) == (f"{BASE}/events", f"{BASE}/transcript")


@pytest.mark.parametrize("era", ERAS)
async def test_events_transcript_and_outputs_are_read(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        await call(client, "run_code", code="print", session=S)
        await call(client, "run_code", code="big", session=S)
        await call(client, "run_code", code="1/0", session=S)
        uris = {str(one.uri) for one in (await client.list_resources()).resources}
        assert {"hearth://sessions", f"{BASE}/events", f"{BASE}/transcript"} <= uris
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 3
        events = json.loads(await read(client, f"{BASE}/events"))
        assert events["events"][-1]["type"] == "cell_failed"
        assert events["cursor"] > 0
        transcript = await read(client, f"{BASE}/transcript")
        assert "c1 by tester: finished" in transcript
        assert "one\ntwo" in transcript
        assert (await read(client, f"{BASE}/cells/c1/output")) == "one\ntwo\noops"
        whole = await read(client, f"{BASE}/cells/c2/output")
        assert whole.count("x") == 300_000
        assert whole.count("y") == 100_000
        assert "ZeroDivisionError" in await read(client, f"{BASE}/cells/c3/output")
        assert S in await read(client, "hearth://sessions")


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_not_there_is_said(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        for uri in (
            f"{BASE}/cells/c9/output",
            "hearth://sessions/nope/events",
            "hearth://sessions/nope/transcript",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError, match="no resource"):
                await client.read_resource(uri)
