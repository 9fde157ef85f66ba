"""The five states of a session's interpreter, and what each offers.

An illegal combination cannot be written down: only Evaluating has a cell, only Faulted a failure.
"""

from datetime import datetime
from enum import StrEnum
from typing import Literal, TypeAlias

from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part, Word


class PhaseName(StrEnum):
    """The closed set of states a session can be in."""

    UNINITIALIZED = "uninitialized"
    WARMING_UP = "warming_up"
    READY = "ready"
    EVALUATING = "evaluating"
    FAULTED = "faulted"


class Rung(StrEnum):
    """What is tried to stop a cell, the gentlest first."""

    INTERRUPT = "interrupt"
    CANCEL_AGAIN = "cancel_again"
    DOUBLE_TAP = "double_tap"
    ABANDON = "abandon"
    KILL = "kill"


class InputQuestion(Part, frozen=True):
    """What a running cell asks with `input()`, until someone answers."""

    prompt: str = ""
    password: bool = False


class OpenCell(Part, frozen=True):
    """A cell that has been admitted and not yet closed."""

    cell: CellId
    code: Text
    cause: InputId
    origin: Origin
    started_at: datetime
    background: bool = False
    script: str = ""
    time_limit: float | None = None
    cancels: int = 0
    """How often it was asked to stop."""
    may_ask: bool = False
    reload: bool = True
    replays: CellId | None = None
    copy: bool = False
    on_error: Literal["keep", "undo"] = "keep"
    variants: tuple[str, ...] = ()
    """Of a trial: what is run side by side, each in a copy."""
    question: InputQuestion | None = None
    """What it waits for, while it does."""


class Uninitialized(Word, frozen=True):
    """There is no interpreter: not yet, or no longer."""


class WarmingUp(Word, frozen=True):
    """An interpreter is being started and prepared; `cause` and `origin` say for whom."""

    since: datetime
    cause: InputId
    origin: Origin


class Ready(Word, frozen=True):
    """The interpreter waits for code."""


class Evaluating(Word, frozen=True):
    """The interpreter runs a cell."""

    current: OpenCell


class Faulted(Word, frozen=True):
    """The interpreter is dead or broken; variables are gone or unreachable."""

    failure: Failure


Phase: TypeAlias = Uninitialized | WarmingUp | Ready | Evaluating | Faulted

PHASE_NAMES: dict[type[Phase], PhaseName] = {
    Uninitialized: PhaseName.UNINITIALIZED,
    WarmingUp: PhaseName.WARMING_UP,
    Ready: PhaseName.READY,
    Evaluating: PhaseName.EVALUATING,
    Faulted: PhaseName.FAULTED,
}


class Affordance(StrEnum):
    """What a client can be offered, by the names the MCP tools carry."""

    RUN_CODE = "run_code"
    CHECK_CODE = "check_code"
    GET_COMPLETIONS = "get_completions"
    LOAD_SCRIPT = "load_script"
    GET_RECENT_EVENTS = "get_recent_events"
    GET_STATUS = "get_status"
    GET_AVAILABLE_PROJECTS = "get_available_projects"
    RESET_SESSION = "reset_session"
    HARD_RESET_SESSION = "hard_reset_session"
    CANCEL_EVAL = "cancel_eval"
    EXPLORE_MODULE = "explore_module"
    EXPLORE_TYPE = "explore_type"
    INSPECT = "inspect"
    LIST_VARIABLES = "list_variables"
    ANSWER_INPUT = "answer_input"
    REPLAY_SESSION = "replay_session"
    UNDO_CODE = "undo_code"
    REDO_CODE = "redo_code"
    TRY_CODE = "try_code"
    KEEP_VARIANT = "keep_variant"
    FORK_SESSION = "fork_session"
    CREATE_SESSION = "create_session"
    LIST_SESSIONS = "list_sessions"
    STOP_SESSION = "stop_session"
    SWITCH_SESSION = "switch_session"
    EXPORT_SESSION = "export_session"
    IMPORT_SESSION = "import_session"
    GET_UI_STATE = "get_ui_state"
