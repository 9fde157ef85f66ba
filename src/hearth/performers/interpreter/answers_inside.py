"""What the inside of an interpreter answers, as words: it knows nothing of ours."""

from typing import Any, TypeVar

import msgspec

from hearth.core.vocabulary.answers import NotReloaded, Reloaded
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.reports import SourcesTaken

_Part = TypeVar("_Part", bound=msgspec.Struct)


def sources_taken(question: InputId, taken: dict[str, Any]) -> SourcesTaken:
    """What came of a reload."""
    reloaded = many(taken.get("reloaded"), Reloaded)
    return SourcesTaken(
        question,
        reloaded=reloaded,
        failed=many(taken.get("failed"), NotReloaded),
        duration=sum(one.seconds for one in reloaded),
    )


def named_type(found: Any) -> Any:
    """Inside, a type is called `type`; on the wire that is the name of a word."""
    if isinstance(found, dict) and "type" in found:
        return {**{k: v for k, v in found.items() if k != "type"}, "value_type": found["type"]}
    return found


def one(found: Any, kind: type[_Part], otherwise: _Part) -> _Part:
    """What was answered as the word it should be; the other if it is something else."""
    made = _made(found, kind)
    return otherwise if made is None else made


def _made(found: Any, kind: type[_Part]) -> _Part | None:
    """None if it is something else. What only the inside knows is left out."""
    if not isinstance(found, dict):
        return None
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    fitting = {key: value for key, value in found.items() if key in known and value is not None}
    try:
        return msgspec.convert(fitting, kind, strict=False)
    except msgspec.ValidationError:
        return None


def many(found: Any, kind: type[_Part]) -> tuple[_Part, ...]:
    """All that fit of a list of answers."""
    if not isinstance(found, list):
        return ()
    made = (_made(one, kind) for one in found)
    return tuple(one for one in made if one is not None)
