"""The variables as a table: sorted, filtered, and to be put into what one writes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.serving import Served, served

from hearth.api import Hearth
from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.phases import PhaseName
from hearth.servers.dashboard.panels.parts import MOST
from hearth.servers.dashboard.panels.variable_table import VariablePanel
from hearth.servers.dashboard.panels.variables import Known, Listed, Variables, moment_of
from hearth.servers.http.seeing import seen

ROWS = (
    Variable("b", "int", 28, preview="1"),
    Variable("Data", "pandas.core.frame.DataFrame", 5000, 10, "(10, 2)", "   x  y\n0  1  2"),
    Variable("a", "list", 88, 3, preview="[1, 2, 3]"),
)


class Told(Variables):
    """Knows what a test says."""

    def __init__(self, known: Known) -> None:
        super().__init__(lambda: NOW)
        self.known = known

    async def look(self, hearth: Hearth, status: Status, again: str = "") -> Known:
        del hearth, status, again
        return self.known


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def known(daemon: Served, *rows: Variable, total: int = 0) -> Known:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    listed = Listed(rows, total or len(rows), NOW, moment_of(status))
    return Known(listed, is_current=True, is_asked=False, problem="", number=1)


async def shown(daemon: Served, what: Known, **wanted: str) -> Read:
    panel = VariablePanel(Told(what))
    return tame(await panel.show(looking(daemon.around, **wanted), SESSION, NOW))


def names(read: Read) -> list[str]:
    return [one.attributes["data-put"] for one in read.all("button", class_="p-insert mono")]


async def test_the_real_panel_shows_what_the_interpreter_answers(daemon: Served) -> None:
    panel = VariablePanel(Variables(lambda: NOW, 30.0))
    assert (
        "Nothing is defined yet."
        in tame(await panel.show(looking(daemon.around), SESSION, NOW)).text
    )


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["a", "b", "Data"]),
        ("name", ["a", "b", "Data"]),
        ("-name", ["Data", "b", "a"]),
        ("-size", ["Data", "a", "b"]),
        ("size", ["b", "a", "Data"]),
        ("nonsense", ["a", "b", "Data"]),
    ],
)
async def test_they_are_sorted_as_one_wants(daemon: Served, sort: str, expected: list[str]) -> None:
    assert names(await shown(daemon, await known(daemon, *ROWS), sort=sort)) == expected


async def test_a_column_that_is_sorted_by_says_so_and_turns_around(daemon: Served) -> None:
    read = await shown(daemon, await known(daemon, *ROWS), sort="-size", filter="a")
    assert [one.attributes.get("aria-sort") for one in read.all("th")] == [
        "none",
        None,
        "descending",
    ]
    assert read.button("Size ▼").fields == {"panel": "variables", "sort": "size", "filter": "a"}
    assert read.button("Name").fields == {"panel": "variables", "sort": "name", "filter": "a"}


async def test_a_filter_looks_at_names_and_types(daemon: Served) -> None:
    what = await known(daemon, *ROWS)
    assert names(await shown(daemon, what, filter="FRAME")) == ["Data"]
    assert names(await shown(daemon, what, filter="b")) == ["b"]
    nothing = await shown(daemon, what, filter="zzz")
    assert "Nothing has this name or type." in nothing.text
    assert nothing.button("Clear").fields == {"panel": "variables", "sort": "name"}


async def test_a_type_is_short_and_its_size_and_value_stand_beside_it(daemon: Served) -> None:
    read = await shown(daemon, await known(daemon, *ROWS))
    assert "DataFrame" in read.text
    assert "pandas.core" not in read.text
    assert "(10, 2)" in read.text
    assert "3 items" in read.text
    assert "5.0 KB" in read.text
    assert "x y 0 1 2" in read.text


async def test_more_than_fit_are_counted(daemon: Served) -> None:
    rows = [Variable(f"v{number:04}", "int", 28) for number in range(MOST + 10)]
    read = await shown(daemon, await known(daemon, *rows, total=MOST + 300))
    assert len(names(read)) == MOST
    assert "300 more variables not shown" in read.text


async def test_hostile_names_types_and_values_are_text(daemon: Served) -> None:
    row = Variable(HOSTILE, HOSTILE, 1, 1, HOSTILE, HOSTILE)
    read = await shown(daemon, await known(daemon, row, Variable("<b>", "<i>", preview="<script>")))
    assert "<script>" in read.text
    assert names(read) == ["<b>"], "what nobody would type is not offered"


async def test_what_is_old_says_from_when_it_is(daemon: Served) -> None:
    what = (await known(daemon, *ROWS))._replace(is_current=False, is_asked=True)
    read = await shown(daemon, what)
    assert "As of" in read.text
    assert "busy" in read.text
    assert "Ask again" not in read.buttons()
    failed = what._replace(is_asked=False, problem="no answer <b>", number=7)
    read = await shown(daemon, failed)
    assert "no answer <b>" in read.text
    assert read.button("Ask again").fields == {"panel": "variables", "again": "7"}


async def test_what_is_not_known_says_why(daemon: Served) -> None:
    nobody = Known(None, is_current=False, is_asked=True, problem="", number=1)
    assert "busy" in (await shown(daemon, nobody)).text
    failed = nobody._replace(is_asked=False, problem="it was not answered")
    read = await shown(daemon, failed)
    assert "it was not answered" in read.text
    assert read.button("Ask again").fields["again"] == "1"


@pytest.mark.parametrize("state", PhaseName)
async def test_an_interpreter_that_cannot_be_asked_is_not_offered_to_be(
    daemon: Served, state: PhaseName
) -> None:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    around = instead(daemon.around, status=replace(status, state=state, available=()))
    panel = VariablePanel(Told(Known(None, is_current=False, is_asked=False, problem="", number=0)))
    read = tame(await panel.show(looking(around), SESSION, NOW))
    assert "nterpreter" in read.text
    assert read.buttons() == []
