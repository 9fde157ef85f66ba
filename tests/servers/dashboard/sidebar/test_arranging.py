"""How a person arranges their list."""

from pathlib import Path
from typing import Any

import pytest
from tests.contracts.quick_agent import QuickAgent
from tests.servers.dashboard.sidebar.mounted import A, B, C, Opened, mounted

from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.turns import TurnEnd, TurnFinished
from hearth.credentials.standing import Standing
from hearth.servers.dashboard.sidebar.desks import Desk, Desks
from hearth.servers.dashboard.sidebar.lines import State
from hearth.servers.dashboard.sidebar.overview import Overview


async def ends(opened: Opened, session: SessionId) -> list[TurnEnd]:
    events = [envelope(row).event for row in await opened.daemon.log.read_session(session)]
    return [event.end for event in events if isinstance(event, TurnFinished)]


@pytest.mark.promise("DP-BG-03")
async def test_archiving_cancels_stops_and_puts_away_for_good(tmp_path: Path) -> None:
    agent = QuickAgent(lambda _: None)
    async with mounted(tmp_path, agent=agent) as opened:
        await opened.begin(A, B, C)
        await opened.desks.change(opened.person, order=(A, B, C))
        said = await opened.post(f"/sessions/{B}/commands", type="send_message", text="hello")
        assert said.status_code == 202
        await opened.until(lambda shown: "agent working" in shown)
        shown = await opened.posted("/dashboard/archive", tab="t", session=B)
        assert f'data-left="{B}"' in shown
        assert shown.index(f'id="s-{C}"') < shown.index("Earlier") < shown.index(f'id="s-{B}"')
        await opened.until(lambda _: _state(opened, B) is State.STOPPED)
        assert await ends(opened, B) == [TurnEnd.CANCELLED]
        # Another device, another daemon.
        again = await Overview(opened.around, Desks(tmp_path)).shown(opened.person)
        assert again.index("Earlier") < again.index(f'id="s-{B}"')
        assert len(await opened.daemon.log.read_session(B)) > 0
        assert opened.desk.order == (A, C)


def _state(opened: Opened, session: SessionId) -> State:
    return next(line.state for line in opened.overview.lines if line.session == session)


async def test_what_is_over_can_be_archived_too_and_twice_is_once(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        await opened.daemon.command({"type": "stop_session"})
        for _ in range(2):
            await opened.posted("/dashboard/archive", session=A)
        assert opened.desk.archived == (A,)
        nobody = await opened.post("/dashboard/archive", session="nobody")
        assert nobody.status_code == 404
        assert opened.desk.archived == (A,)


@pytest.mark.promise("DP-UI-15")
async def test_an_archived_session_is_taken_out_and_resumed(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        await opened.posted("/dashboard/archive", session=A)
        out = await opened.posted("/dashboard/unarchive", session=A)
        assert 'id="go"' not in out
        assert opened.desk.archived == ()
        await opened.posted("/dashboard/archive", session=A)
        back = await opened.posted("/dashboard/unarchive", session=A, resume="yes")
        assert f'data-to="/dashboard/s/{A}"' in back
        await opened.until(lambda _: _state(opened, A) is State.READY)
        assert "Earlier" not in await opened.sidebar()


@pytest.mark.promise("DP-BG-02", "DP-UI-08")
async def test_the_order_is_kept_as_it_was_made(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A, B, C)
        shown = await opened.posted("/dashboard/order", tab="t", session=A, order=[B, A, C, B])
        places = [shown.index(f'id="s-{one}"') for one in (B, A, C)]
        assert places == sorted(places)
        assert Desks(tmp_path).of(opened.person).order == (B, A, C)


@pytest.mark.promise("DP-UI-08", "DP-UI-16")
@pytest.mark.parametrize(
    ("fields", "desk"),
    [
        ({"theme": "dark"}, Desk(theme="dark")),
        ({"collapsed": True}, Desk(collapsed=True)),
        ({"collapsed": "true"}, Desk(collapsed=True)),
        ({"panel": "usage", "panel_width": 500}, Desk(panel="usage", panel_width=500)),
        ({"thinking": "true"}, Desk(thinking=True)),
        ({"earlier": "40"}, Desk(earlier=40)),
        ({"earlier": "999"}, Desk(earlier=200)),
        ({"earlier": "0"}, Desk(earlier=1)),
        ({"filter": "true"}, Desk(filter="true")),
        ({}, Desk()),
    ],
)
async def test_how_the_page_looks_is_kept(
    fields: dict[str, Any], desk: Desk, tmp_path: Path
) -> None:
    async with mounted(tmp_path) as opened:
        answer = await opened.post("/dashboard/desk", tab="t", session="", **fields)
        assert answer.status_code == 204
        assert opened.desk == Desks(tmp_path).of(opened.person) == desk


async def test_what_cannot_be_is_refused_with_the_place(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        answer = await opened.post("/dashboard/desk", theme="pink")
        assert (answer.status_code, answer.json()["error"]["path"]) == (400, "$.theme")
        assert opened.desk == Desk()


@pytest.mark.parametrize("standing", [Standing.AGENT, Standing.READER])
async def test_no_other_token_arranges_anything(standing: Standing, tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        token = opened.token(standing)
        for path, fields in (
            ("archive", {"session": A}),
            ("unarchive", {"session": A, "resume": "yes"}),
            ("order", {"order": [A]}),
            ("desk", {"theme": "dark"}),
        ):
            answer = await opened.daemon.client.post(
                f"/dashboard/{path}", json=fields, headers=token
            )
            assert answer.status_code == 403, path
        assert opened.desk == Desk()
        assert "Earlier" not in await opened.sidebar()
