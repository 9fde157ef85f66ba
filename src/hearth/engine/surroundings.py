"""What every session loop of one engine shares."""

from dataclasses import dataclass

from hearth.engine.clock import Clock
from hearth.engine.performing import Performing
from hearth.engine.saving import Saver
from hearth.engine.subscribers import Subscribers
from hearth.log.event_log import EventLog


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The world of a session loop."""

    log: EventLog
    saver: Saver
    subscribers: Subscribers
    performing: Performing
    clock: Clock
    fold_name: str
