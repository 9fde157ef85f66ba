"""The tree of forks around a session, and what two of them hold otherwise."""

import html
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.servers.copying import copied
from tests.servers.dashboard.branching import A, B, C, asked, copying
from tests.servers.dashboard.panels.looking_at import NOW
from tests.servers.http.serving import Served

from hearth.core.views.session_tree import BranchTree, branch_tree
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.panels import branches
from hearth.servers.dashboard.panels.branches import BranchPanel
from hearth.servers.dashboard.panels.comparing import STOPPED
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.variables import Variables
from hearth.servers.dashboard.shapes import KEEP


async def looked(daemon: Served, **wanted: str) -> str:
    panel = BranchPanel(Variables(lambda: NOW))
    return html.unescape(await panel.show(Looking(daemon.around, A, wanted), A, NOW))


async def grown(daemon: Served) -> None:
    """B goes on from A, and C from B."""
    await daemon.begin(A)
    await asked(daemon, A, {"type": "run_cell", "code": "x = 1"})
    await asked(daemon, A, {"type": "fork_session", "to": B, "name": "<other>"})
    await asked(daemon, B, {"type": "fork_session", "to": C})


async def test_a_session_alone_can_be_branched(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        shown = await looked(daemon)
        assert "Branch here" in shown
        assert "Nothing was forked" in shown
        assert "Keep" not in shown


async def test_the_tree_is_drawn_and_leads_to_the_others(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await grown(daemon)
        shown = await looked(daemon)
        assert "3 branches" in shown
        assert f'href="/dashboard/s/{B}"' in shown
        assert f'href="/dashboard/s/{A}"' not in shown, "this one is no link"
        assert "p-depth-2" in shown
        assert "live copy" in shown
        assert f'"keep":"{B}"' in shown
        assert f"end 2 other branches (“{A}”, “<other>-2”)" in shown
        assert f'id="branch-{B}"' in shown, "a row stays the same when others come"
        assert KEEP in shown


async def test_two_are_compared_by_name_type_and_preview(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await grown(daemon)
        assert "No variable differs." in await looked(daemon, **{"with": B})
        await asked(daemon, B, {"type": "run_cell", "code": "y = 2"})
        shown = await looked(daemon, **{"with": B})
        assert "1 difference" in shown
        assert "y = 2" in shown
        assert "not there" in shown
        assert "Compared with" in shown
        assert "Compared with" not in await looked(daemon, **{"with": "nobody"})
        assert "Compared with" not in await looked(daemon, **{"with": A})


async def test_one_that_has_ended_is_neither_compared_nor_kept(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await grown(daemon)
        await asked(daemon, B, {"type": "run_cell", "code": "y = 2"})
        panel = BranchPanel(Variables(lambda: NOW))
        looking = Looking(daemon.around, A, {"with": B})
        assert "1 difference" in await panel.show(looking, A, NOW)
        await asked(daemon, B, {"type": "stop_session"})
        shown = html.unescape(await panel.show(looking, A, NOW))
        assert f"<other> does not tell its variables: {STOPPED}" in shown
        assert "difference" not in shown, "what it held is gone"
        assert f'"keep":"{B}"' not in shown
        assert f'"keep":"{C}"' in shown


async def test_all_that_would_end_are_counted_also_those_that_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await grown(daemon)

        def little(rows: Iterable[SessionRow], here: SessionId, most: int = 2) -> BranchTree:
            return branch_tree(rows, here, most)

        monkeypatch.setattr(branches, "branch_tree", little)
        told = await looked(daemon)
        assert "2 branches" in told
        assert "end 2 other branches" in told


@pytest.mark.parametrize("name", ["<other>"])
async def test_names_are_text(tmp_path: Path, name: str) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await grown(daemon)
        panel = BranchPanel(Variables(lambda: NOW))
        assert name not in await panel.show(Looking(daemon.around, A), A, NOW)
