"""What can be asked over all sessions."""

import pytest
from tests.contracts.event_log import StoreMaker
from tests.contracts.facts import ANNA, NOON, new_session
from tests.log.sessions import Life

from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import CellFailed
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.reports import Raised, Stopped
from hearth.log import questions
from hearth.log.questions import definitions_of, failed_cells

BOT = Origin(Actor.AGENT, "bot", Door.MCP)
OOPS = Raised(CodeRaised("ValueError", "no"))


def authors(found: list[Envelope]) -> list[tuple[str, str]]:
    return [(one.session, one.origin.name) for one in found]


@pytest.mark.promise("SF-LOG-18")
async def test_failed_cells_of_all_sessions(open_log: StoreMaker) -> None:
    log = await open_log.make()
    hers, its = Life(new_session(), NOON, ANNA), Life(new_session(), NOON, BOT)
    hers.run("good")
    hers.run("bad", OOPS)
    its.run("worse", OOPS)
    its.run("stopped", Stopped())
    its.run("again", OOPS)
    a, b = await hers.into(log), await its.into(log)
    found = list(await failed_cells(log))
    assert authors(found) == [(a, "anna"), (b, "bot"), (b, "bot")]
    assert {type(one.event) for one in found} == {CellFailed}
    assert list(await failed_cells(log, session=a)) == found[:1]
    assert list(await failed_cells(log, limit=2)) == found[:2]
    assert list(await failed_cells(log, after=found[0].seq)) == found[1:]
    assert list(await failed_cells(log, limit=0)) == []


@pytest.mark.promise("SF-LOG-18")
async def test_who_defined_a_name(open_log: StoreMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "PAGE", 2)
    log = await open_log.make()
    hers, its = Life(new_session(), NOON, ANNA), Life(new_session(), NOON, BOT)
    hers.run("my_total = 1", names=("my_total",))
    hers.run("'my_total'")
    hers.run("total = 1", names=("total", "my_total_2"))
    its.run("my_total = 2; 1/0", OOPS, names=("other", "my_total"))
    its.run("\u00fcber = 1", names=("\u00fcber",))
    a, b = await hers.into(log), await its.into(log)
    found = list(await definitions_of(log, "my_total"))
    assert authors(found) == [(a, "anna"), (b, "bot")]
    assert authors(list(await definitions_of(log, "\u00fcber"))) == [(b, "bot")]
    assert authors(list(await definitions_of(log, "total"))) == [(a, "anna")]
    assert authors(list(await definitions_of(log, "my_total", session=b))) == [(b, "bot")]
    assert list(await definitions_of(log, "my_total", limit=1)) == found[:1]
    assert list(await definitions_of(log, "my")) == []
    assert list(await definitions_of(log, "")) == []


async def test_what_cannot_be_read_hides_nothing_else(open_log: StoreMaker) -> None:
    log = await open_log.make()
    life = Life(new_session())
    life.run("bad", OOPS, names=("x",))
    life.run("bad", OOPS, names=("x",))
    await life.into(log)
    first, second = await failed_cells(log)
    await open_log.damage_row(log, first.seq)
    assert list(await failed_cells(log)) == [second]
    assert list(await definitions_of(log, "x")) == [second]
