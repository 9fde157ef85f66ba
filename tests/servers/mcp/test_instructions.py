"""What is said once."""

import pytest

from hearth.servers.mcp.instructions import INSTRUCTIONS
from hearth.servers.mcp.tools.said import EVERYWHERE


@pytest.mark.promise("SF-AFF-07")
def test_they_name_every_state_and_what_is_always_possible() -> None:
    for word in (*EVERYWHERE, "uninitialized", "warming_up", "ready", "evaluating", "faulted"):
        assert word in INSTRUCTIONS
    assert len(INSTRUCTIONS) < 2500


def test_they_say_when_to_try_take_back_and_fork() -> None:
    told = INSTRUCTIONS.partition("Unsure which way")[2]
    for word in ("try_code", "keep_variant", "undo_code", "redo_code", "on_error=undo"):
        assert word in told
    for word in ("fork_session", "compare_sessions"):
        assert word in told
