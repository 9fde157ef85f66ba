"""Names for things. Each is chosen before the thing exists, never by the thing itself."""

from typing import NewType

SessionId = NewType("SessionId", str)
"""A stream of the log: `session-a1b2c3`, or DAEMON_STREAM."""

CellId = NewType("CellId", str)
"""A cell, counted within its session: `c17`."""

InputId = NewType("InputId", str)
"""A command or a report. Time-ordered; a client may bring its own to make a retry safe."""

EventId = NewType("EventId", str)
"""An event: the id of the input that led to it, a dot, and its place among the consequences."""

DAEMON_STREAM = SessionId("daemon-sessions")
"""The stream in which the daemon itself remembers; it has no interpreter."""


def event_id(cause: InputId, position: int) -> EventId:
    """The id of the event at `position` among the consequences of one input."""
    return EventId(f"{cause}.{position}")


def cell_id(number: int) -> CellId:
    """The id of the `number`-th cell of a session, counted from 1."""
    return CellId(f"c{number}")
