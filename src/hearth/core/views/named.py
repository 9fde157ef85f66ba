"""The views by the names under which they are asked for, and what each answers."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hearth.core.views.activity import Activity
from hearth.core.views.approvals import Approvals, Permissions
from hearth.core.views.branches import Branches
from hearth.core.views.conversation import Conversation
from hearth.core.views.diagnostics import Diagnostics
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.views.talking import Talking
from hearth.core.views.tasks import Tasks
from hearth.core.views.transcript import Transcript
from hearth.core.views.usage import Usage
from hearth.core.views.validity import Environment, Validity

OF_A_SESSION: Final[Mapping[str, type[msgspec.Struct]]] = {
    "branches": Branches,
    "conversation": Conversation,
    "diagnostics": Diagnostics,
    "environment": Environment,
    "permissions": Permissions,
    "status": Status,
    "talking": Talking,
    "tasks": Tasks,
    "transcript": Transcript,
    "usage": Usage,
    "validity": Validity,
}
OF_ALL: Final[Mapping[str, type[msgspec.Struct]]] = {
    "activity": Activity,
    "approvals": Approvals,
    "sessions": Sessions,
}
VIEWS: Final[Mapping[str, type[msgspec.Struct]]] = {**OF_A_SESSION, **OF_ALL}
