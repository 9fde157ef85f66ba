"""What editors send, and what they are answered."""

from typing import Annotated, Literal

import msgspec

from hearth.core.vocabulary.cells import OnError
from hearth.core.vocabulary.commands import Seconds
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.wire import Part


class Exec(Part, frozen=True):
    """Code to run."""

    code: str
    time_limit: Seconds | None = None
    if_busy: Literal["refuse", "queue"] = "refuse"
    may_ask: bool = False
    background: bool = False
    on_error: OnError = "keep"
    """`undo`: if it fails, all that it did to the interpreter is taken back."""


class Cancel(Part, frozen=True):
    """The cell to stop; the running one if it is left out."""

    cell: CellId | None = None


class HardReset(Part, frozen=True):
    """With `rebuild`, the project's environment is synced before the interpreter starts."""

    rebuild: bool = False


class Check(Part, frozen=True):
    """Code to look for errors in."""

    code: str
    file: str = ""
    full: bool = False


class Complete(Part, frozen=True):
    """Code, and where the cursor stands in it, in Unicode code points."""

    code: str
    cursor: Annotated[int, msgspec.Meta(ge=0)]


class Taken(Part, frozen=True):
    """It will be done; what comes of it is shown by the streams under this `request`."""

    request: InputId
    session: SessionId
    seq: int
    warning: str = ""


class Outcome(Part, frozen=True):
    """What came of it, for who waited."""

    request: InputId
    session: SessionId
    envelopes: tuple[Envelope, ...]
