"""What a tool answers: as structure, as text, and with pictures as pictures.

Every answer says which session it was, its state, and what that state offers. What is offered in
every state is told once, in the instructions. While a session is ready all the rest is the usual:
unless something was refused, the structure then names only what changes something, and the text
nothing of it. A model reads one of the two, with every answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hearth.core.views.status import Status
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.http.answers import trouble_of

EVERYWHERE: Final = frozenset(
    {
        Affordance.CREATE_SESSION,
        Affordance.EXPORT_SESSION,
        Affordance.FORK_SESSION,
        Affordance.GET_STATUS,
        Affordance.GET_UI_STATE,
        Affordance.IMPORT_SESSION,
        Affordance.LIST_SESSIONS,
        Affordance.STOP_SESSION,
        Affordance.SWITCH_SESSION,
    }
)
"""What is offered in every state, and therefore in no answer."""

LOOKING: Final = frozenset(
    {
        Affordance.CHECK_CODE,
        Affordance.EXPLORE_MODULE,
        Affordance.EXPLORE_TYPE,
        Affordance.GET_AVAILABLE_PROJECTS,
        Affordance.GET_COMPLETIONS,
        Affordance.GET_RECENT_EVENTS,
        Affordance.INSPECT,
        Affordance.LIST_VARIABLES,
    }
)
"""What changes nothing: while a session is ready, a usual answer does not name it."""

_LIMITS: Final = frozenset({"available", "remedy"})
"""Fields of a refusal that stand beside its error, not in it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, as base64."""

    data: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool says. `session` and how that stands are added by whoever called it."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False
    pictures: Sequence[Picture] = ()
    tells_actions: bool = False
    """It says all that is offered, also in its text, whatever the state is."""
    session: SessionId | None = None
    """The session that this is about, if it is another than the call was for."""


def offered(status: Status | None) -> list[str]:
    """What a session offers now, beside what is offered always."""
    if status is None:
        return []
    return [one.value for one in status.available if one not in EVERYWHERE]


def result(said: Said, session: str | None, status: Status | None) -> dict[str, Any]:
    """The answer as the protocol has it."""
    state = status.state if status is not None else PhaseName.UNINITIALIZED
    stands: dict[str, Any] = {"session": session, "state": state.value}
    is_usual = not said.tells_actions and state is PhaseName.READY
    actions = [one for one in offered(status) if not is_usual or one not in LOOKING]
    structured = {**said.fields, **stands, "available_actions": actions}
    shown = {**said.fields, **stands} if is_usual else structured
    content: list[dict[str, Any]] = [{"type": "text", "text": compact(shown)}]
    content += [
        {"type": "image", "data": one.data, "mimeType": one.media_type} for one in said.pictures
    ]
    return {
        "resultType": "complete",
        "content": content,
        "structuredContent": structured,
        "isError": said.is_error,
    }


def compact(value: Any) -> str:
    """JSON without a blank that is not needed."""
    return msgspec.json.encode(value).decode()


def refused(refusal: Refused) -> Said:
    """A refusal: what it is, why, and what would help. The same words as over HTTP."""
    trouble = trouble_of(refusal)  # type: ignore[arg-type] # every Refused is one of the union
    more = {name: value for name, value in trouble.more.items() if name not in _LIMITS and value}
    error = {"type": trouble.code, "message": trouble.message, **more}
    fields = {"error": error, "remedy": list(refusal.remedy)}
    return Said(fields, is_error=True, tells_actions=True)


def trouble(kind: str, message: str, *remedy: str, **more: Any) -> Said:
    """Anything else that could not be done."""
    fields = {"error": {"type": kind, "message": message, **more}, "remedy": list(remedy)}
    return Said(fields, is_error=True, tells_actions=True)


def head_of(text: Text) -> str:
    """A text; of one that is kept elsewhere, its beginning."""
    return text.head if isinstance(text, Blob) else text


def writable(text: str) -> str:
    """A text that can be written down: half a pair of surrogates cannot."""
    return text.encode("utf-8", "replace").decode()


def bounded(text: str, most: int, rest: str = "") -> str:
    """As much of a text as fits, from both its ends; `rest` says where all of it is."""
    text = writable(text)
    if len(text) <= most:
        return text
    head = most * 2 // 3
    where = f"; {rest}" if rest else ""
    left_out = f"\n[… {len(text) - most:,} characters left out{where} …]\n"
    return text[:head] + left_out + text[len(text) - (most - head) :]
