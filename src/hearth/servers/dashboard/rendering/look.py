"""Who looks at an item, and when: what drawing it depends on besides the item itself."""

from dataclasses import dataclass
from datetime import datetime

from hearth.core.views.status import TrialWaiting
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.phases import Affordance


@dataclass(frozen=True, slots=True)
class Look:
    """How the session stands at the moment an item is drawn."""

    session: SessionId
    now: datetime
    """Times are shown in its time zone."""
    can_talk: bool
    """The agent is idle: what was said can be said otherwise, and answered anew."""
    allowed: frozenset[Affordance]
    """What the interpreter takes now."""
    open_thinking: bool = False
    """What a model thought is not folded."""
    last_turn: str = ""
    """The turn that can be answered anew, or gone on with."""
    undoable: frozenset[CellId] = frozenset()
    """Cells that can be taken back now, each with all that came after it."""
    trial: TrialWaiting | None = None
    """Variants of which one can be kept now."""
    last_return: str = ""
    """The key of the newest line about a return, which can be undone."""
