"""A session whose process is gone is rebuilt from its log, and what differs is told."""

from pathlib import Path

import pytest
from tests.contracts.hasty_clock import HastyClock
from tests.contracts.hearth_api import status_of
from tests.contracts.scenes import ANN
from tests.journeys.live import Live, S
from tests.journeys.test_live_projects import config, project

from hearth.api import settle
from hearth.app import living
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.refusals import NotNow
from hearth.performers.interpreter.preferences import Preferences

WANTED = Preferences(spares=0)
COUNTS = "import pathlib; n = pathlib.Path({!r}); n.write_text(n.read_text() + 'x')"


async def replayed(live: Live, source: SessionId | None = None) -> e.SessionReplayed:
    ended = await live.settle(c.ReplaySession(source))
    assert isinstance(ended, e.SessionReplayed)
    return ended


@pytest.mark.promise("SF-REPLAY-01", "SF-REPLAY-02")
async def test_names_come_back_after_a_crash_and_only_looking_is_not_repeated(
    tmp_path: Path,
) -> None:
    counter = tmp_path / "counter"
    counter.write_text("")
    async with living(tmp_path, preferences=WANTED, clock=HastyClock(), watch=False) as hearth:
        live = Live(hearth.engine, tmp_path)
        await live.create()
        for code in ("x = 40", COUNTS.format(str(counter)), "x", "x += 2", "def f(): return x"):
            await live.run(code)
        await live.run("y = 5; 1/0")  # failed, and bound a name all the same
        await live.run("import os; os._exit(3)")
        await live.seen(e.SessionReady, count=2)
        assert Affordance.REPLAY_SESSION in (await status_of(live.engine, S)).available
        assert counter.read_text() == "x"  # nothing was run again by itself
        told = await replayed(live)
        assert told.skipped[0] == "c3"
        assert told.ran[:4] == ("c1", "c2", "c4", "c5")
        assert "c6" in told.partial
        assert (told.problem, told.missing) == ("", ())
        assert await live.value("x, f(), y") == "(42, 42, 5)"
        assert counter.read_text() == "xx"
        again = await settle(live.engine, S, c.ReplaySession(), ANN)
        assert isinstance(again, NotNow)  # it is not fresh any more
        assert again.remedy == (Affordance.HARD_RESET_SESSION,)
        await live.close()
        await hearth.end_all()


@pytest.mark.promise("SF-REPLAY-01", "SF-REPLAY-03")
async def test_a_stored_session_is_rebuilt_elsewhere_and_what_differs_or_is_missing_is_told(
    tmp_path: Path,
) -> None:
    package = project(tmp_path / "loom", cogs="TEETH = 12\n", gone="HERE = True\n")
    async with living(tmp_path / "home", preferences=WANTED, watch=False) as hearth:
        live = Live(hearth.engine, tmp_path / "home")
        await live.create(config=config(tmp_path / "loom"))
        for code in ("teeth = loom.cogs.TEETH; teeth", "here = loom.gone.HERE", "plain = 1"):
            await live.run(code)
        await live.settle(c.StopSession())
        await live.close()
        await hearth.end_all()
    # Of another size: a file of the same, written in the same second, is not read by Python again.
    (package / "cogs.py").write_text("TEETH = 100\n")
    (package / "gone.py").unlink()
    other = SessionId("session-new")
    async with living(tmp_path / "home", preferences=WANTED, watch=False) as hearth:
        live = Live(hearth.engine, tmp_path / "home")
        await live.create(other, config(tmp_path / "loom"))
        ended = await live.settle(c.ReplaySession(S), other)
        assert isinstance(ended, e.SessionReplayed)
        (difference,) = [one for one in ended.differing if one.cell == "c1"]
        assert (difference.before, difference.after) == ("12", "100")
        assert any("gone" in one for one in ended.missing)
        assert await live.value("teeth, plain", other) == "(100, 1)"
        await live.close()
        await hearth.end_all()
