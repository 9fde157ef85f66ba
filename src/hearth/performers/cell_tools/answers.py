"""What is sent back to code that asked for tools: JSON, without secrets, within bounds."""

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from hearth.performers.tools.tool import Outcome

LARGEST_ANSWER: Final = 16 << 20
FAILED: Final = "failed"
NOT_ALLOWED: Final = "not_allowed"
NOT_AVAILABLE: Final = "not_available"
"""The kinds of trouble, each of which is an exception in the interpreter."""


class Definition(Protocol):
    """What a server says about one of its tools."""

    @property
    def name(self) -> str:
        """As the server calls it."""

    @property
    def description(self) -> str:
        """What it does, for models."""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """What it takes: a JSON Schema of an object."""


def problem(kind: str, text: str) -> bytes:
    """Says what is wrong."""
    clean = text.encode("utf-8", "replace").decode()
    return msgspec.json.encode({"error": {"kind": kind, "text": clean}})


def listed(
    servers: Mapping[str, Sequence[Definition]],
    problems: Sequence[str],
    clean: Callable[[str], str],
) -> bytes:
    """Says which tools there are. For a thread."""
    told = {
        name: [
            {"name": one.name, "description": one.description, "schema": one.input_schema}
            for one in definitions
        ]
        for name, definitions in servers.items()
    }
    answer = msgspec.json.encode(
        {"servers": cleaned(told, clean), "problems": [clean(one) for one in problems]}
    )
    if len(answer) > LARGEST_ANSWER:
        return problem(
            NOT_AVAILABLE,
            f"the servers of this session describe their tools in {len(answer)} bytes; at most "
            f"{LARGEST_ANSWER} can be brought into an interpreter",
        )
    return answer


def given(
    outcome: Outcome, pictures: Sequence[tuple[str, bytes]], clean: Callable[[str], str]
) -> bytes:
    """Says what a tool gave. For a thread."""
    text = clean(outcome.text)
    if outcome.is_error:
        return _bounded(problem(FAILED, text))
    answer: dict[str, Any] = {"text": text}
    if outcome.structured is not None:
        answer["structured"] = cleaned(outcome.structured, clean)
    if pictures:
        answer["pictures"] = [
            {"media_type": kind, "data": base64.b64encode(content).decode()}
            for kind, content in pictures
        ]
    return _bounded(msgspec.json.encode(answer))


def cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """A value of JSON with every text in it cleaned."""
    match value:
        case str():
            return clean(value)
        case list() | tuple():
            return [cleaned(one, clean) for one in value]
        case Mapping():
            return {clean(str(name)): cleaned(one, clean) for name, one in value.items()}
        case _:
            return value


def _bounded(answer: bytes) -> bytes:
    if len(answer) <= LARGEST_ANSWER:
        return answer
    return problem(
        FAILED,
        f"the tool was run, and its result is lost: it takes {len(answer)} bytes, and at most "
        f"{LARGEST_ANSWER} can be brought into an interpreter. Ask it for less",
    )
