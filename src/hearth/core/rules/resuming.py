"""Which sessions a daemon brings back at its start, when several are about the same thing."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from hearth.core.rules.conversation_state import Conversation
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary.ids import SessionId

SUPERSEDED: Final = "another session of the same directory was used later"
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Kept(NamedTuple):
    """A session that was alive when its daemon ended."""

    state: SessionState
    last_activity: datetime | None


def superseded(sessions: Iterable[Kept]) -> frozenset[SessionId]:
    """Those that are not started again, because a twin of theirs was used later.

    Twins work in the same directory, on the same projects and under the same name. One whose
    interpreter lived on is kept all the same: it has names that somebody may want. So is one whose
    agent was in the middle of something, or waits for a person to allow it.
    """
    newest: dict[tuple[object, ...], Kept] = {}
    left: set[SessionId] = set()
    for one in sessions:
        config = one.state.config
        if config is None or one.state.stopped or not config.directory:
            continue
        key = (config.directory, frozenset(config.projects), config.name, config.interpreter)
        other = newest.get(key)
        if other is None:
            newest[key] = one
            continue
        later, earlier = (one, other) if _rank(one) > _rank(other) else (other, one)
        newest[key] = later
        if not _is_busy(earlier.state.talk):
            left.add(earlier.state.session)
    return frozenset(left)


def _is_busy(talk: Conversation) -> bool:
    return talk.open is not None or talk.is_elsewhere


def _rank(one: Kept) -> tuple[datetime, str]:
    return (one.last_activity or _NEVER, one.state.session)
