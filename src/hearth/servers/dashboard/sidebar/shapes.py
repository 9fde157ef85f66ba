"""What pages send to the routes of the sidebar; each may say from which tab and session it is."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from hearth.core.vocabulary.wire import Part
from hearth.servers.dashboard.sidebar.desks import (
    Filter,
    HowMany,
    Id,
    Order,
    PanelName,
    PanelWidth,
    Theme,
)
from hearth.servers.dashboard.sidebar.forms import Place

Tab: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
YesNo: TypeAlias = bool | Literal["true", "false"]
"""Fields of a form are texts."""


class NewWanted(Part, frozen=True, kw_only=True):
    """The form for a new session."""

    tab: Tab = ""
    session: Tab = ""
    place: Place = "dialog"
    directory: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    mode: Literal["project", "bare"] = "project"


class ForkWanted(Part, frozen=True, kw_only=True):
    """A session that goes on from another one: from its newest block, or from this one."""

    tab: Tab = ""
    session: Id
    block: Annotated[str, msgspec.Meta(max_length=200)] = ""
    how: Literal["", "copy", "replay", "new"] = ""
    """What its interpreter is to be; empty: a copy now, a replay from an older block."""


class OneSession(Part, frozen=True, kw_only=True):
    """A session that is archived."""

    tab: Tab = ""
    session: Id


class Unarchived(Part, frozen=True, kw_only=True):
    """A session that is taken out of the archive, and begun again if that is wanted."""

    tab: Tab = ""
    session: Id
    resume: Literal["yes", "no"] = "no"


class Ordered(Part, frozen=True, kw_only=True):
    """The sessions of the list, as they are to stand."""

    tab: Tab = ""
    session: Tab = ""
    order: Order


class DeskWanted(Part, frozen=True, kw_only=True):
    """What is to be another on the desk; what is left out stays as it is."""

    tab: Tab = ""
    session: Tab = ""
    theme: Theme | UnsetType = UNSET
    collapsed: YesNo | UnsetType = UNSET
    panel: PanelName | UnsetType = UNSET
    panel_width: PanelWidth | UnsetType = UNSET
    thinking: YesNo | UnsetType = UNSET
    active: Tab | UnsetType = UNSET
    filter: Filter | UnsetType = UNSET
    earlier: HowMany | Annotated[str, msgspec.Meta(pattern="^[0-9]{1,3}$")] | UnsetType = UNSET
