"""Pieces of JSON Schema that tools are described with.

Of 2020-12, which is what the protocol takes a schema for that does not say of which it is.
"""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

TEXT: Final[Schema] = {"type": "string"}
INTEGER: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
POSITIVE: Final[Schema] = {"type": "number", "exclusiveMinimum": 0}
BOOLEAN: Final[Schema] = {"type": "boolean"}
OBJECT: Final[Schema] = {"type": "object"}
CURSOR: Final[Schema] = {"type": "integer", "minimum": 0}
ERROR: Final[Schema] = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"type": "string"}, "message": {"type": "string"}},
}
TROUBLE: Final[Schema] = {"error": ERROR, "remedy": {"type": "array", "items": TEXT}}
"""What is in an answer that says what could not be done."""
SESSION: Final[Schema] = {
    "type": "string",
    "description": "Id or name; your own if left out",
}


def described(schema: Schema, what: str) -> dict[str, Any]:
    """The same with a description."""
    return {**schema, "description": what}


def list_of(schema: Schema) -> dict[str, Any]:
    """A list of such."""
    return {"type": "array", "items": dict(schema)}


def an_object(**properties: Schema) -> dict[str, Any]:
    """An object with these properties, none of them required."""
    return {"type": "object", "properties": {name: dict(one) for name, one in properties.items()}}


def wait(usual: float, most: float) -> dict[str, Any]:
    """For how long a caller waits."""
    return {
        "type": "number",
        "minimum": 0,
        "maximum": most,
        "default": usual,
        "description": "Seconds to wait for its end",
    }


def taken(properties: Schema, required: tuple[str, ...]) -> dict[str, Any]:
    """The schema of what a tool takes: its own arguments, and the session."""
    return {
        "type": "object",
        "properties": {**properties, "session": SESSION},
        "required": list(required),
        "additionalProperties": False,
    }


def given(properties: Schema) -> dict[str, Any]:
    """The schema of what a tool gives: its own fields, and how the session stands."""
    return {
        "type": "object",
        "properties": {
            **properties,
            "session": {"type": ["string", "null"]},
            "state": {
                "type": "string",
                "enum": ["uninitialized", "warming_up", "ready", "evaluating", "faulted"],
            },
            "available_actions": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["session", "state", "available_actions"],
    }
