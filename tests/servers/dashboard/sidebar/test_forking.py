"""Forks out of the dashboard: with a copy, by replay, or why not and what else there is."""

import re
from pathlib import Path

import pytest
from tests.servers.copying import copied
from tests.servers.dashboard.branching import A, asked, copying
from tests.servers.http.serving import Served

from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.undoing import ForkHow

OBSTACLE = "a thread <b> is running"


async def forked(daemon: Served, **said: str) -> str:
    answer = await daemon.client.post("/dashboard/fork", json={"tab": "t", "session": A, **said})
    assert answer.status_code == 200, answer.text
    return answer.text


async def row(daemon: Served, markup: str) -> SessionRow:
    found = re.search(r'data-to="/dashboard/s/([^"]+)"', markup)
    assert found is not None, markup
    viewed = await daemon.engine.view("sessions")
    assert isinstance(viewed.value, Sessions)  # type: ignore[union-attr] # it is a view
    rows = {one.session: one for one in viewed.value.rows}  # type: ignore[union-attr] # it is a view
    return rows[SessionId(found[1])]


@pytest.mark.promise("DP-UI-15")
@pytest.mark.parametrize("how", ["", "copy", "replay", "new"])
async def test_a_fork_is_made_and_the_tab_goes_there(tmp_path: Path, how: str) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        await asked(daemon, A, {"type": "rename_session", "name": "loom"})
        made = await row(daemon, await forked(daemon, how=how))
        assert (made.forked_from, made.name) == (A, "loom-2")
        assert made.forked_how is ForkHow(how or "copy")


async def test_what_cannot_be_copied_is_told_with_the_ways_out(tmp_path: Path) -> None:
    interpreters = copying(OBSTACLE)
    async with copied(tmp_path, interpreters) as daemon:
        await daemon.begin(A)
        markup = await forked(daemon)
        assert "data-to" not in markup
        assert "a thread &lt;b&gt; is running" in markup
        assert "Fork by replay" in markup
        assert f"&quot;session&quot;:&quot;{A}&quot;" in markup
        made = await row(daemon, await forked(daemon, how="replay"))
        assert made.forked_how is ForkHow.REPLAY


async def test_a_session_without_an_interpreter_offers_them_too(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        await asked(daemon, A, {"type": "stop_session"})
        markup = await forked(daemon)
        assert "No fork was made" in markup
        assert "Fork with an empty interpreter" in markup


async def test_what_is_wrong_is_declined(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        for said, status in (
            ({"session": "nobody"}, 404),
            ({"session": A, "block": "b999"}, 409),
            ({"session": A, "how": "magic"}, 400),
        ):
            answer = await daemon.client.post("/dashboard/fork", json=said)
            assert answer.status_code == status, answer.text


async def test_at_what_is_no_block_no_other_kind_of_fork_is_offered(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        markup = await forked(daemon, block="b1")
        assert "No fork was made" in markup
        assert "there is no block b1 in its conversation" in markup
        assert "look at the conversation" in markup
        assert "Fork by replay" not in markup
        viewed = await daemon.engine.view("sessions")
        assert [one.session for one in viewed.value.rows] == [A]  # type: ignore[union-attr] # it is a view


async def test_two_forks_have_two_names(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        await asked(daemon, A, {"type": "rename_session", "name": "loom"})
        made = [await row(daemon, await forked(daemon)) for _ in range(2)]
        assert [one.name for one in made] == ["loom-2", "loom-3"]
