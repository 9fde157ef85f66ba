"""What happened since a cursor."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.contracts.scenes import ANN, BOT
from tests.servers.http.serving import PATIENCE, served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, EventId, InputId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow
from hearth.servers.mcp.tools.events import LONGEST, shortened, told_shortly

S = "session-aaaaaa"


def stored(event: e.Event) -> Envelope:
    return Envelope(
        seq=7,
        session=SessionId(S),
        version=3,
        id=EventId("i.0"),
        at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        origin=ANN,
        cause=InputId("i"),
        event=event,
    )


@pytest.mark.promise("SF-MCP-12")
@pytest.mark.parametrize("era", ERAS)
async def test_pages_by_cursor_are_disjoint_and_whole(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        for _ in range(5):
            await daemon.command({"type": "run_cell", "code": "print"})
        seqs: list[int] = []
        cursor, more = 0, True
        while more:
            said = await call(client, "get_recent_events", since=cursor, limit=3, session=S)
            seqs += [one["seq"] for one in said["events"]]
            assert said["cursor"] > cursor
            cursor, more = said["cursor"], said.fields.get("more", False)
        assert seqs == sorted(set(seqs))
        rows = [row for row in await daemon.log.read() if row.session == S]
        quiet = [row for row in rows if b'"state_transitioned"' in row.data]
        assert len(seqs) == len(rows) - len(quiet)
        nothing = await call(client, "get_recent_events", since=cursor, session=S)
        assert (nothing["events"], nothing["cursor"]) == ([], cursor)


async def test_without_a_cursor_the_newest_come(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="print")
        said = await call(client, "get_recent_events", limit=2)
        assert [one["type"] for one in said["events"]] == ["cell_started", "cell_finished"]
        assert said["events"][1]["stdout"] == "one\ntwo\n"


async def test_who_waits_hears_of_the_end_of_a_cell(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        handle = await call(client, "run_code", code="hang", wait=0.1)
        waiting = asyncio.create_task(
            call(client, "get_recent_events", since=handle["cursor"], wait=PATIENCE)
        )
        await daemon.command({"type": "cancel_cell"})
        async with asyncio.timeout(PATIENCE):
            said = await waiting
            types = [one["type"] for one in said["events"]]
            while "cell_cancelled" not in types:
                said = await call(client, "get_recent_events", since=said["cursor"], wait=PATIENCE)
                types += [one["type"] for one in said["events"]]
        assert said["cursor"] > handle["cursor"]


def test_an_event_is_told_shortly_and_own_code_not_at_all() -> None:
    event = e.CellStarted(CellId("c1"), "x = 1", reload=False)
    assert told_shortly(stored(event), ANN) == {
        "seq": 7,
        "type": "cell_started",
        "at": "03:04:05",
        "cell": "c1",
    }
    theirs = told_shortly(stored(event), BOT)
    assert theirs is not None
    assert (theirs["by"], theirs["code"]) == ("ann", "x = 1")
    assert told_shortly(stored(e.StateTransitioned(PhaseName.READY, PhaseName.FAULTED))) is None


def test_what_is_long_is_cut_and_says_where_it_is() -> None:
    long = e.CellFinished(CellId("c1"), 0.12345, outputs=(StreamText("stdout", "x" * 9999),))
    told = told_shortly(stored(long))
    assert told is not None
    assert len(told["stdout"]) < LONGEST + 100
    assert told["duration"] == 0.123
    far = told_shortly(stored(e.CellFinished(CellId("c1"), 0.1, outputs=Blob("d" * 64, 9))))
    assert far is not None
    assert far["outputs"] == f"see hearth://sessions/{S}/cells/c1/output"
    assert shortened([1] * 99) == [1] * 20


def test_what_became_of_the_interpreter_is_told_in_words() -> None:
    undone = told_shortly(stored(e.CellsUndone((CellId("c2"), CellId("c3")), can_redo=True)), BOT)
    assert undone is not None
    assert (undone["type"], undone["by"]) == ("cells_undone", "ann")
    assert undone["cells"] == ["c2", "c3"]
    assert "before c2, c3; redo_code brings it back" in undone["what"]
    assert "kept" not in undone
    forked = told_shortly(stored(e.SessionForked(SessionId("t"), ForkHow.COPY)))
    assert forked is not None
    assert forked["to"] == "t"


def test_of_a_trial_its_code_is_for_those_who_did_not_send_it() -> None:
    trial = e.TrialStarted(CellId("c1"), ("x = 1", "y" * 2 * LONGEST))
    own, theirs = told_shortly(stored(trial), ANN), told_shortly(stored(trial), BOT)
    assert own is not None
    assert "variants" not in own
    assert theirs is not None
    assert theirs["variants"][0] == "x = 1"
    assert len(theirs["variants"][1]) < LONGEST + 100
