"""The description of the door, OpenAPI 3.1, drawn from the table of routes and from the words."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from hearth.api import Accepted, Settled, Shown
from hearth.core.views.named import OF_A_SESSION, OF_ALL, VIEWS
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.refusals import Refusal
from hearth.credentials.standing import Act
from hearth.daemon.versions import VERSION
from hearth.servers.http.asked import LONGEST_WAIT
from hearth.servers.http.routes import Operation
from hearth.servers.http.shapes import AnyView
from hearth.servers.http.table import TABLE

REF: Final = "#/components/schemas/{name}"

_PARAMETERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "id": {"description": "the id or name of a session, or the unique beginning of either"},
    "name": {},
    "sha256": {"schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
    "file": {},
    "approval": {
        "description": "what is asked, as `GET /approvals` names it: a1",
        "schema": {"type": "string", "pattern": "^a[0-9]{1,15}$"},
    },
    "grant": {"description": "the id of a grant, as `GET /grants` lists it: g1"},
    "version": {
        "description": "the version of a session that a cell began with",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    },
    "cell": {"description": "the id of a cell"},
    "number": {
        "description": "the how-manieth output of a cell, from 0",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    },
    "line": {
        "description": "the name that a browser gives its connection",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
    },
}
_HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Idempotency-Key": {
        "description": "makes a retry safe: a command with this id is accepted at most once",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
    },
    "Prefer": {
        "description": f"wait=SECONDS, up to {LONGEST_WAIT:g}: answer with the outcome",
        "schema": {"type": "string", "pattern": "^wait=[1-9][0-9]{0,2}$"},
    },
    "Last-Event-ID": {
        "description": "the cursor to go on from, after an outage; beats `after`",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    },
    "Mcp-Session-Id": {
        "description": "the connection, of a client that shook hands",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    },
    "MCP-Protocol-Version": {
        "description": "the revision of the protocol that the client speaks",
        "schema": {"type": "string", "pattern": "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$"},
    },
    "Hearth-Directory": {
        "description": "where the client works: an absolute path, percent-encoded",
        "schema": {"type": "string", "pattern": "^/[A-Za-z0-9/%._-]*$"},
    },
    "Datastar-Request": {
        "description": "true: the stream speaks Datastar",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
_QUERY: Final[Mapping[str, Mapping[str, Any]]] = {
    "directory": {"pattern": "^/"},
    "after": {"pattern": "^[0-9]{1,15}$"},
    "before": {"pattern": "^[0-9]{1,15}$"},
    "limit": {"pattern": "^[0-9]{1,15}$"},
    "expect": {"enum": ["new"]},
}
_PLACE: Final = {"pattern": r"^[0-9]{1,6}\.[0-9]{1,18}\.[0-9]{1,9}$"}
_QUERY_OF: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "/dashboard/s/{id}/items": {
        "before": _PLACE,
        "after": _PLACE,
        "at": {"pattern": "^[0-9]{1,15}$"},
    },
    "/dashboard/lines/{line}": {
        "tab": {"pattern": r"^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})?$"},
    },
}
"""Where a word means something else than elsewhere."""
_WHO: Final[Mapping[Act, str]] = {
    Act.LOOK: "For any token.",
    Act.WORK: "For a person's or an agent's token.",
    Act.GOVERN: "For the person's token alone.",
}
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "description": "Of a refusal, all its fields are here; `code` is its type.",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": "string"},
            },
        }
    },
}


@cache
def document() -> bytes:
    """The description as JSON; it is made once."""
    return msgspec.json.encode(described(TABLE))


def described(operations: tuple[Operation, ...]) -> dict[str, Any]:
    """The description of these operations."""
    schemas = _Schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hearth",
            "version": VERSION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "description": "One local daemon in which people and agents share live sessions.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "schemas": {**schemas.components, "Error": _ERROR},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "hearth"},
            },
        },
    }


class _Schemas:
    """Every type that is taken or answered, as JSON Schema."""

    def __init__(self, operations: tuple[Operation, ...]) -> None:
        types = [kind for one in operations for kind in _types(one)]
        # Also what travels in streams and in errors, for whoever writes a client.
        types += [Envelope, Shown, Accepted, Settled, Refusal, *VIEWS.values()]
        drawn, self.components = msgspec.json.schema_components(types, ref_template=REF)
        self._drawn = {repr(kind): schema for kind, schema in zip(types, drawn, strict=True)}

    def of(self, kind: Any) -> Mapping[str, Any]:
        """The schema of a type."""
        return self._drawn[repr(kind)]


def _types(operation: Operation) -> Iterator[Any]:
    for kind in (operation.takes, *operation.answers.values()):
        if kind is not None and not isinstance(kind, str):
            yield kind


def _operation(one: Operation, schemas: _Schemas) -> dict[str, Any]:
    said: dict[str, Any] = {
        "operationId": _operation_id(one),
        "summary": one.summary,
        "description": _WHO[one.act] if not one.open else "Takes no token: the code stands for it.",
        "parameters": [*_path(one), *_query(one), *_headers(one)],
        "responses": {
            **{str(status): _response(one, kind, schemas) for status, kind in one.answers.items()},
            "default": {
                "description": "Why not, and what would help.",
                "content": {"application/json": {"schema": {"$ref": REF.format(name="Error")}}},
            },
        },
    }
    if one.open:
        said["security"] = []
    if one.takes is not None:
        said["requestBody"] = {
            "required": _is_needed(one.takes),
            "content": {"application/json": {"schema": schemas.of(one.takes)}},
        }
    return said


def _is_needed(kind: Any) -> bool:
    """Whether a body must be sent: an empty one is `{}`."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return True
    return any(field.required for field in msgspec.structs.fields(kind))


def _response(one: Operation, kind: Any, schemas: _Schemas) -> dict[str, Any]:
    if kind is None:
        return {"description": one.summary}
    if isinstance(kind, str):
        return {"description": one.summary, "content": {kind: {}}}
    schema = _viewed(one, schemas) if kind is AnyView else schemas.of(kind)
    return {"description": one.summary, "content": {"application/json": {"schema": schema}}}


def _viewed(one: Operation, schemas: _Schemas) -> dict[str, Any]:
    """Any of the views that this path has."""
    return {
        "type": "object",
        "required": ["value", "seq"],
        "properties": {
            # Not by their names: a view and a word may have the same.
            "value": {"anyOf": [schemas.of(kind) for kind in _views(one).values()]},
            "seq": {"type": "integer"},
        },
    }


def _views(one: Operation) -> Mapping[str, type[msgspec.Struct]]:
    return OF_A_SESSION if "{id}" in one.path else OF_ALL


def _path(one: Operation) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", one.path):
        schema: dict[str, Any] = {"type": "string", "minLength": 1}
        if name == "name" and "/views/" in one.path:
            schema = {"type": "string", "enum": list(_views(one))}
        said = {"schema": schema, **_PARAMETERS[name]}
        yield {"name": name, "in": "path", "required": True, **said}


def _query(one: Operation) -> Iterator[dict[str, Any]]:
    known = {**_QUERY, **_QUERY_OF.get(one.path, {})}
    for name, meaning in one.query.items():
        yield {
            "name": name,
            "in": "query",
            "required": one.required,
            "description": meaning,
            "schema": {"type": "string", **known.get(name, {})},
        }


def _headers(one: Operation) -> Iterator[dict[str, Any]]:
    for name in one.headers:
        yield {"name": name, "in": "header", "required": False, **_HEADERS[name]}


def _operation_id(one: Operation) -> str:
    words = re.findall(r"\w+", one.path)
    return "_".join([one.method.lower(), *(words or ["home"])])
