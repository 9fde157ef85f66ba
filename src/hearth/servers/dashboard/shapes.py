"""What tabs send about themselves. Each also says which session it shows; some need it."""

from typing import Annotated, Final, TypeAlias

import msgspec

from hearth.core.vocabulary.wire import Part

NAME: Final = r"^[A-Za-z0-9_-]{1,64}$(?!\n)"
"""Stands in lines of streams, so the line break that Python lets pass at the end must not."""
MOST_WANTED: Final = 20
REWIND: Final = "/dashboard/rewind"
KEEP: Final = "/dashboard/branches/keep"

Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=NAME)]
Word: TypeAlias = Annotated[str, msgspec.Meta(max_length=500)]
Session: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]


class TabJoined(Part, frozen=True):
    """A tab that is to be shown on a line."""

    tab: Name
    line: Name
    session: Session = ""


class TabMeant(msgspec.Struct, frozen=True):
    """A tab, whatever else is said with it."""

    tab: Name


PanelWanted: TypeAlias = Annotated[dict[Name, Word], msgspec.Meta(max_length=MOST_WANTED)]
"""`tab`, the `panel` that it is to have (none if it is empty), and what is wanted of that."""


class Revoked(msgspec.Struct, frozen=True):
    """A grant that is taken back."""

    grant: Annotated[str, msgspec.Meta(max_length=300)]


class RewindWanted(Part, frozen=True, kw_only=True):
    """To when a session is to go back."""

    tab: Word = ""
    session: Session
    block: Annotated[str, msgspec.Meta(max_length=200)]


class BranchKept(Part, frozen=True, kw_only=True):
    """The branch that is kept; the session is that of the page."""

    tab: Word = ""
    session: Session = ""
    keep: Session
