"""The tools that the session itself carries out: how they are declared and called."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.commands import Seconds
from hearth.core.vocabulary.deeds import TaskState
from hearth.core.vocabulary.wire import Part

RUN_CODE: Final = "run_code"
CHECK_CODE: Final = "check_code"
INSPECT: Final = "inspect"
COMPACT: Final = "compact_conversation"
TASKS: Final = "tasks"
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


Arguments: TypeAlias = RunCode | CheckCode | Inspect | Compact | Tasks

ARGUMENTS: Final[dict[str, type[Arguments]]] = {
    RUN_CODE: RunCode,
    CHECK_CODE: CheckCode,
    INSPECT: Inspect,
    COMPACT: Compact,
    TASKS: Tasks,
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
)
"""Sorted by name."""


def parse(name: str, arguments: str) -> Arguments | str:
    """The arguments of one of these tools, or the sentence that says what is wrong with them."""
    try:
        return msgspec.json.decode(arguments or "{}", type=ARGUMENTS[name])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"The arguments of {name} are not valid: {error}. Nothing was run."
