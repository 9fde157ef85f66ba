"""Names for things. Each is chosen before the thing exists, never by the thing itself."""

import re
from typing import Final, NewType

SessionId = NewType("SessionId", str)
"""A stream of the log: `session-a1b2c3`, or DAEMON_STREAM."""

CellId = NewType("CellId", str)
"""A cell, counted within its session: `c17`."""

InputId = NewType("InputId", str)
"""A command or a report. Time-ordered; a client may bring its own to make a retry safe."""

EventId = NewType("EventId", str)
"""An event: the id of the input that led to it, a dot, and its place among the consequences."""

TurnId = NewType("TurnId", str)
"""What one prompt sets off, counted within its session: `t3`."""

BlockId = NewType("BlockId", str)
"""A sealed block: `b` and the version of its event, so that the log is asked for it directly."""

CallId = NewType("CallId", str)
"""A tool call of an agent, counted within its session: `k12`."""

MessageId = NewType("MessageId", str)
"""A message that waits for an agent, counted within its session: `m4`."""

RequestId = NewType("RequestId", str)
"""A request to a model, counted within its session; each attempt is one: `r9`."""

ApprovalId = NewType("ApprovalId", str)
"""What a person is asked about an agent, counted within its session: `a1`."""

_CELL: Final = re.compile(r"c[1-9][0-9]{0,17}")

DAEMON_STREAM = SessionId("daemon-sessions")
"""The stream in which the daemon itself remembers; it has no interpreter."""


def event_id(cause: InputId, position: int) -> EventId:
    """The id of the event at `position` among the consequences of one input."""
    return EventId(f"{cause}.{position}")


def cell_id(number: int) -> CellId:
    """The id of the `number`-th cell of a session, counted from 1."""
    return CellId(f"c{number}")


def cell_number(cell: str) -> int:
    """The place of a cell in its session, counted from 1; 0 if it is no cell's name."""
    return int(cell[1:]) if _CELL.fullmatch(cell) is not None else 0


def block_id(version: int, session: str = "") -> BlockId:
    """The id of the block whose event has this version; of another session, if one is given."""
    return BlockId(f"b{version}@{session}" if session else f"b{version}")


def block_place(block: BlockId) -> tuple[SessionId, int]:
    """In which session (empty: its own) and at which version a block is; 0 if it is no block's."""
    own, _, session = block.partition("@")
    number = own[1:]
    known = own[:1] == "b" and number.isascii() and number.isdecimal() and len(number) < 18
    return SessionId(session), int(number) if known else 0
