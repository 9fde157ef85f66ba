"""Which findings agents were given."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from hearth.performers.language_server.findings import Finding, GivenTo, Noted, identity, in_order

MOST_GIVEN: Final = 500
MOST_NOTED: Final = 1000


class GivenBook:
    """Remembers of each project the last findings that somebody was given."""

    def __init__(self) -> None:
        self._given: dict[str, deque[tuple[Finding, GivenTo]]] = {}

    def note(self, root: str, whom: GivenTo, findings: Iterable[Finding]) -> None:
        """Somebody is given findings."""
        given = self._given.setdefault(root, deque(maxlen=MOST_GIVEN))
        given.extend((one, whom) for one in findings)

    def noted(self, root: str, current: Iterable[Finding]) -> tuple[Noted, ...]:
        """What is found now, with who was given it; behind it what was given and is found no more.

        A finding is known again wherever in its file it stands now. Bounded, the worst first.
        """
        to: dict[tuple[str, ...], dict[tuple[str, str], GivenTo]] = {}
        last: dict[tuple[str, ...], Finding] = {}
        for finding, whom in self._given.get(root, ()):
            key = identity(finding)
            last[key] = finding
            to.setdefault(key, {})[whom.session, whom.agent] = whom
        noted = []
        for one in in_order(current):
            key = identity(one)
            last.pop(key, None)
            noted.append(Noted(one, tuple(to.get(key, {}).values())))
        gone = in_order(last.values())
        noted += (Noted(one, tuple(to[identity(one)].values()), is_current=False) for one in gone)
        return tuple(noted[:MOST_NOTED])
