from datetime import UTC, datetime

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.rendering.look import Look


def test_thoughts_are_folded_and_no_turn_is_the_last_unless_it_is_said() -> None:
    look = Look(
        SessionId("session-x"), datetime(2026, 1, 1, tzinfo=UTC), can_talk=True, allowed=frozenset()
    )
    assert not look.open_thinking
    assert not look.last_turn
