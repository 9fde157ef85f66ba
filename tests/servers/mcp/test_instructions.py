"""What is said once."""

import pytest

from hearth.servers.mcp.instructions import INSTRUCTIONS
from hearth.servers.mcp.tools.said import EVERYWHERE


@pytest.mark.promise("SF-AFF-07")
def test_they_name_every_state_and_what_is_always_possible() -> None:
    for word in (*EVERYWHERE, "uninitialized", "warming_up", "ready", "evaluating", "faulted"):
        assert word in INSTRUCTIONS
    assert len(INSTRUCTIONS) < 2500
