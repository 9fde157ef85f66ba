"""Which calls of a step wait for which: they are run as if one after the other.

What only reads waits for what changes something; what changes something waits for all. Cells need
not wait for cells that have begun: the interpreter runs them in order.
"""

from collections.abc import Sequence

from hearth.core.rules.conversation_state import OpenCall
from hearth.core.rules.tooling import RUN_CODE
from hearth.core.vocabulary.ids import CallId


def behind(calls: Sequence[OpenCall], readers: Sequence[str]) -> frozenset[CallId]:
    """The calls that wait for another of their step; `readers` are the tools that only read."""
    found: list[CallId] = []
    # Of those before it that are not done: there are any, one may change something, one is not a
    # cell that has begun.
    is_open = changes = is_no_cell = False
    for call in calls:
        if call.name in readers:
            waits = changes
        else:
            waits = is_no_cell if call.name == RUN_CODE else is_open
        if waits:
            found.append(call.call)
        if not call.is_done:
            is_open = True
            changes = changes or call.name not in readers
            is_no_cell = is_no_cell or not (call.is_started and call.name == RUN_CODE)
    return frozenset(found)


def is_behind(calls: Sequence[OpenCall], call: CallId, readers: Sequence[str]) -> bool:
    """Whether this one waits for another."""
    return call in behind(calls, readers)
