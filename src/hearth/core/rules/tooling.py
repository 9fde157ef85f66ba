"""The tools that the session itself carries out: how they are declared and called."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.cells import OnError
from hearth.core.vocabulary.commands import Seconds
from hearth.core.vocabulary.deeds import TaskState
from hearth.core.vocabulary.wire import Part

RUN_CODE: Final = "run_code"
CHECK_CODE: Final = "check_code"
INSPECT: Final = "inspect"
COMPACT: Final = "compact_conversation"
TASKS: Final = "tasks"
TRY_CODE: Final = "try_code"
KEEP_VARIANT: Final = "keep_variant"
UNDO_CODE: Final = "undo_code"
ADD_KNOWLEDGE: Final = "add_knowledge"
"""Not the session's own; also called on the occasion of a summary."""


class Declaration(Part, frozen=True):
    """A tool as models are told of it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool = False


class RunCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `run_code` takes."""

    code: str
    time_limit: Seconds | None = None
    on_error: OnError = "keep"


class TryCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `try_code` takes."""

    variants: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=16)]
    time_limit: Seconds | None = None


class KeepTried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `keep_variant` takes."""

    variant: Annotated[int, msgspec.Meta(ge=0, le=16)]


class UndoCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `undo_code` takes."""

    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1


class CheckCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `check_code` takes."""

    code: str


class Inspect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `inspect` takes."""

    code: str


class Compact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `compact_conversation` takes."""

    focus: str = ""


class Tasks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `tasks` takes."""

    op: Literal["add", "update", "list", "get"]
    title: Annotated[str, msgspec.Meta(max_length=200)] = ""
    description: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    id: Annotated[str, msgspec.Meta(max_length=20)] = ""
    state: TaskState | None = None


Takable: TypeAlias = TryCode | KeepTried | UndoCode
"""What can be tried, kept and taken back."""

Arguments: TypeAlias = RunCode | CheckCode | Inspect | Compact | Tasks | Takable

ARGUMENTS: Final[dict[str, type[Arguments]]] = {
    RUN_CODE: RunCode,
    CHECK_CODE: CheckCode,
    INSPECT: Inspect,
    COMPACT: Compact,
    TASKS: Tasks,
    TRY_CODE: TryCode,
    KEEP_VARIANT: KeepTried,
    UNDO_CODE: UndoCode,
}

_CODE: Final = {"type": "string", "description": "Python source code."}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


DECLARED: Final = (
    Declaration(
        CHECK_CODE,
        "Look for errors in Python code without running it, in the light of what the session's "
        "interpreter holds. Changes nothing. Does not wait for code that is run in the same step.",
        _object({"code": _CODE}, ["code"]),
        read_only=True,
    ),
    Declaration(
        COMPACT,
        "Have a summary put in the place of what was said long ago, before your next step. Use it "
        "when much of the conversation is no longer needed.",
        _object(
            {"focus": {"type": "string", "description": "What the summary should dwell on."}}, []
        ),
    ),
    Declaration(
        INSPECT,
        "Tell what a name or an expression of the live interpreter is: its type, value, signature "
        "and documentation. Give the code up to and including the name. Changes nothing. Does not "
        "wait for code that is run in the same step.",
        _object({"code": _CODE}, ["code"]),
        read_only=True,
    ),
    Declaration(
        KEEP_VARIANT,
        "Let one of the variants that try_code ran become the session's interpreter; the others "
        "end. Use it when you have looked at the results, also with 0 when none of them is good.",
        _object(
            {"variant": {"type": "integer", "minimum": 0, "maximum": 16}},
            ["variant"],
        ),
    ),
    Declaration(
        RUN_CODE,
        "Run Python code in the session's live interpreter. Its names stay from one call to the "
        "next and are shared with the people in this session, who see the code and its output. "
        "The value of a last expression is returned, with everything that was printed. Tools whose "
        "names are `server__tool` can be called in it, too: `from hearth_tools import server` and "
        "`server.tool(name=value)`; do so for many calls, or for results that are large.",
        _object(
            {
                "code": _CODE,
                "time_limit": {
                    "type": "number",
                    "description": "Seconds after which it is stopped; without it never.",
                    "exclusiveMinimum": 0,
                },
                "on_error": {
                    "type": "string",
                    "enum": ["keep", "undo"],
                    "description": "undo: if it fails, every name is again what it was before. Use "
                    "it for code that may fail halfway and would leave a mess. Files stay changed.",
                },
            },
            ["code"],
        ),
    ),
    Declaration(
        TASKS,
        "Keep a list of what you have set out to do, so that it outlives summaries and people can "
        "follow it. `add` a task with a title (and a description), `update` the state of one by "
        "its id (pending, in_progress, done, blocked), `list` them all, `get` one.",
        _object(
            {
                "op": {"type": "string", "enum": ["add", "update", "list", "get"]},
                "title": {"type": "string", "maxLength": 200},
                "description": {"type": "string", "maxLength": 2000},
                "id": {"type": "string", "description": "Of the task, for update and get."},
                "state": {"type": "string", "enum": [one.value for one in TaskState]},
            },
            ["op"],
        ),
    ),
    Declaration(
        TRY_CODE,
        "Run up to 16 versions of a piece of code side by side, each in its own copy of the live "
        "interpreter, and see all results; nothing is kept until you call keep_variant. Use it "
        "when you are not sure which of several ways works, or when one may spoil what is there. "
        "Only names are separate: files, databases and the network are shared by all of them.",
        _object(
            {
                "variants": {
                    "type": "array",
                    "items": _CODE,
                    "minItems": 1,
                    "maxItems": 16,
                },
                "time_limit": {
                    "type": "number",
                    "description": "Seconds after which each is stopped; without it never.",
                    "exclusiveMinimum": 0,
                },
            },
            ["variants"],
        ),
    ),
    Declaration(
        UNDO_CODE,
        "Take back the latest cells that you ran: every name of the interpreter is again what it "
        "was before them. Use it when a cell did what it should not have. What people ran is not "
        "yours to take back, and files, databases and the network stay as they are.",
        _object(
            {"count": {"type": "integer", "minimum": 1, "description": "How many; usually 1."}}, []
        ),
    ),
)
"""Sorted by name."""


def parse(name: str, arguments: str) -> Arguments | str:
    """The arguments of one of these tools, or the sentence that says what is wrong with them."""
    try:
        return msgspec.json.decode(arguments or "{}", type=ARGUMENTS[name])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"The arguments of {name} are not valid: {error}. Nothing was run."
