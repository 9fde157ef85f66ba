"""What enters a session's mailbox: a command or a report, with its id and its time."""

from datetime import datetime
from typing import TypeAlias

from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.reports import Report
from hearth.core.vocabulary.wire import Part


class Asked(Part, frozen=True):
    """Someone asks for something."""

    id: InputId
    at: datetime
    origin: Origin
    command: Command


class Told(Part, frozen=True):
    """A performer brings something back."""

    id: InputId
    at: datetime
    report: Report


Input: TypeAlias = Asked | Told
