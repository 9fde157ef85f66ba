"""One session's log is broken: it alone is set aside, and says so."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.contracts.facts import NOON
from tests.contracts.hearth_api import begin, ran
from tests.contracts.scenes import ANN, SCENES
from tests.journeys.busy_daemon import usable

from hearth.api import Hearth, Viewed
from hearth.app import running
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Quarantined
from hearth.log.archive import export_session
from hearth.log.opening import open_log
from hearth.performers.interpreter.scripted import ScriptedInterpreter

GOOD, BAD, FINE = (SessionId(f"session-{word}") for word in ("good", "bad", "fine"))
Harm = Callable[[sqlite3.Connection, int], object]


def _no_json(connection: sqlite3.Connection, seq: int) -> None:
    connection.execute("UPDATE events SET data = x'7b226964' WHERE seq = ?", (seq,))


def _unknown_type(connection: sqlite3.Connection, seq: int) -> None:
    _change(connection, seq, type="dream_dreamt")


def _unknown_field(connection: sqlite3.Connection, seq: int) -> None:
    _change(connection, seq, colour="green")


def _impossible(connection: sqlite3.Connection, seq: int) -> None:
    _change(connection, seq, cell="c99")


def _missing(connection: sqlite3.Connection, seq: int) -> None:
    connection.execute("DELETE FROM events WHERE seq = ?", (seq,))


def _change(connection: sqlite3.Connection, seq: int, **fields: str) -> None:
    (data,) = connection.execute("SELECT data FROM events WHERE seq = ?", (seq,)).fetchone()
    fact = json.loads(data)
    fact["event"] |= fields
    connection.execute("UPDATE events SET data = ? WHERE seq = ?", (json.dumps(fact).encode(), seq))


def _harm(home: Path, harm: Harm) -> None:
    """Do something to the event that closed a cell of the bad session."""
    with closing(sqlite3.connect(home / "data" / "hearth.db")) as connection, connection:
        # As after a crash: no snapshot spares the replay of what is broken.
        connection.execute("DELETE FROM snapshots")
        (seq,) = connection.execute(
            "SELECT seq FROM events WHERE session = ? AND type = 'cell_finished'", (BAD,)
        ).fetchone()
        harm(connection, seq)


async def _troubles(hearth: Hearth) -> dict[SessionId, str]:
    viewed = await hearth.view("sessions")
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Sessions)
    return {row.session: row.trouble for row in viewed.value.rows}


@pytest.mark.promise("SF-LOG-01", "SF-STATE-05")
@pytest.mark.parametrize("harm", [_no_json, _unknown_type, _unknown_field, _impossible, _missing])
async def test_one_bad_session_never_keeps_the_others_from_starting(
    tmp_path: Path, harm: Harm
) -> None:
    home = tmp_path / "home"
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        for session in (GOOD, BAD, FINE):
            await begin(engine, session)
            await ran(engine, c.RunCell("1+1"), session)
    _harm(home, harm)
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        for session in (GOOD, FINE):
            await usable(engine, session)
        troubles = await _troubles(engine)
        assert (troubles[GOOD], troubles[FINE]) == ("", "")
        assert troubles[BAD]
        for command in (c.RunCell("1+1"), c.HardResetSession(), c.CreateSession()):
            refusal = await engine.submit(BAD, command, ANN)
            assert isinstance(refusal, Quarantined)
            assert refusal.session == BAD
            assert refusal.why == troubles[BAD]
            assert refusal.remedy
        assert isinstance(await engine.view("status", BAD), Quarantined)
    # It is kept as it is: nothing was appended, and it can be taken out of the log as it is.
    log = await open_log(None, home, "the auditor")
    rows = await log.read_session(BAD)
    assert {finding.session for finding in await log.check()} <= {BAD}
    last = rows[-1].version
    if harm is not _missing:
        written = await export_session(log, BAD, tmp_path / "bad.jsonl", NOON)
        assert written.events == len(rows) == last
    await log.close()
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        assert (await _troubles(engine))[BAD]
        await usable(engine, GOOD)
    log = await open_log(None, home, "the auditor")
    assert (await log.read_session(BAD))[-1].version == last
    await log.close()
