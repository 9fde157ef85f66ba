"""What a call needs permission for, and what was said about it. Parts of effects and events."""

from enum import StrEnum
from typing import Final

from hearth.core.vocabulary.wire import Part

READ: Final = "read"
WRITE: Final = "write"
EXECUTE: Final = "execute"
EXTERNAL: Final = "external_directory"
NETWORK: Final = "network"
MCP: Final = "mcp"
"""To call a tool of an MCP server of others; the target is `server__tool`."""
PERMISSIONS: Final = (READ, WRITE, EXECUTE, EXTERNAL, NETWORK)
"""What hearth's own tools ask for; any other tool asks by its name."""


class Verdict(StrEnum):
    """What rules say, and what follows from it. The later, the stricter."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Need(Part, frozen=True):
    """One thing that a call needs permission for."""

    permission: str
    target: str
    """What patterns are compared with: a path (from the root of the project if it is below it,
    absolute otherwise), the words of one command, a host, or what a tool says."""
    resolved: str = ""
    """Of a path: what it really is, absolute, without links. What is done is done to this."""
    usual: Verdict = Verdict.ASK
    """What holds if no rule says anything."""
    least: Verdict = Verdict.ALLOW
    """What holds at least, whatever rules and grants say; ASK where something cannot be proven."""
    why: str = ""
    """What it is needed for, or what cannot be proven, in a few words."""
    pattern: str = ""
    """What a grant for longer than once would cover; empty: it can only be allowed once."""


class Judged(Part, frozen=True):
    """A need and what was decided about it."""

    need: Need
    verdict: Verdict
    by: str = ""
    """The rule or grant that decided, and where it stands, in words."""


class Grant(Part, frozen=True):
    """What a person allowed for longer than once. It never beats a rule that denies."""

    permission: str
    pattern: str


class Kept(Part, frozen=True):
    """The files of a project as they were at a moment, to be gone back to."""

    root: str
    tree: str
    """Names the state; equal for equal files."""
