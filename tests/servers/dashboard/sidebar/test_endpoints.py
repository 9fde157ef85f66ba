"""Everything of the sidebar in one place."""

from pathlib import Path

from tests.servers.dashboard.sidebar.mounted import mounted

from hearth.servers.dashboard.sidebar.endpoints import Sidebar
from hearth.servers.dashboard.sidebar.operations import OPERATIONS


async def test_every_route_of_the_table_is_answered_and_no_other(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        served = Sidebar(opened.around, opened.desks, opened.overview).endpoints()
        assert set(served) == {(one.method, one.path) for one in OPERATIONS}
