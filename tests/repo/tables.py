"""`make docs`: the parts of docs/ that are drawn from the code, between their markers.

A part stands between `<!-- drawn: name -->` and `<!-- end: name -->`; what is there is replaced.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect
from tests.contracts.words import KINDS, members, tag_of
from tests.repo.tree import DOCS, SRC, shown

from hearth.core.rules import turn
from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.interpreter import ACCEPTS, ADVERTISED, ALWAYS, FOLLOWS, QUEUES
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.wire import WIRE, Part, Word

_Phase = TypeVar("_Phase", bound=StrEnum)

DRAWN: Final = re.compile(
    r"(<!-- drawn: (?P<name>[\w-]+) -->\n).*?(<!-- end: (?P=name) -->)", re.DOTALL
)


def vocabulary() -> Iterator[Any]:
    """The modules of words."""
    for path in sorted((SRC / "core" / "vocabulary").glob("[!_]*.py")):
        yield import_module(f"hearth.core.vocabulary.{path.stem}")


def defined(kind: type[Any]) -> list[type[Any]]:
    """The classes of this kind that the vocabulary defines, by name."""
    found = {
        one
        for module in vocabulary()
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, kind) and one.__module__ == module.__name__
    }
    return sorted(found - {kind}, key=lambda one: one.__name__)


def parts() -> Mapping[str, str]:
    """Every drawn part, by the name its markers carry."""
    return {
        **{kind: _words(members(union)) for kind, union in KINDS.items()},
        "parts": _parts(),
        "enumerations": _enumerations(),
        "state-diagram": _diagram(FOLLOWS, PhaseName),
        "accepted": _accepted(ACCEPTS, PhaseName, QUEUES),
        "offered": _offered(),
        "turn-diagram": _diagram(turn.FOLLOWS, TurnPhase),
        "turn-accepted": _accepted(turn.ACCEPTS, TurnPhase),
    }


def filled(page: str, drawn: Mapping[str, str]) -> str:
    """A page with its drawn parts as they should be; LookupError for an unknown marker."""
    return DRAWN.sub(lambda found: f"{found[1]}\n{drawn[found['name']]}\n{found[3]}", page)


def markers(page: str) -> list[str]:
    """The drawn parts a page has room for."""
    return [found["name"] for found in DRAWN.finditer(page)]


def _words(words: tuple[type[Word], ...]) -> str:
    rows = [
        (f"`{tag_of(word)}`", str(WIRE[word.__name__].version), _meaning(word), _fields(word))
        for word in words
    ]
    return _table(("Wire name", "Version", "Meaning", "Fields"), rows)


def _parts() -> str:
    rows = [(f"`{one.__name__}`", _meaning(one), _fields(one)) for one in defined(Part)]
    return _table(("Part", "Meaning", "Fields"), rows)


def _enumerations() -> str:
    rows = [
        (f"`{one.__name__}`", _meaning(one), " ".join(f"`{value}`" for value in one))
        for one in defined(StrEnum)
    ]
    return _table(("Name", "Meaning", "Values"), rows)


def _diagram(follows: Mapping[type[Any], Mapping[_Phase, _Phase]], phases: type[_Phase]) -> str:
    edges: dict[tuple[_Phase, _Phase], list[str]] = defaultdict(list)
    for event, leads in follows.items():
        for before, after in leads.items():
            if before is not after:
                edges[before, after].append(tag_of(event))
    order = list(phases)
    lines = [
        f"    {before} --> {after}: {' / '.join(events)}"
        for (before, after), events in sorted(
            edges.items(), key=lambda edge: [order.index(phase) for phase in edge[0]]
        )
    ]
    first = f"    [*] --> {order[0]}"
    return "\n".join(["```mermaid", "stateDiagram-v2", first, *lines, "```", ""])


def _accepted(
    accepts: Mapping[type[Any], frozenset[_Phase]],
    phases: type[_Phase],
    queues: frozenset[_Phase] = frozenset(),
) -> str:
    rows = []
    for command, taken in accepts.items():
        waits = queues if "if_busy" in command.__struct_fields__ else frozenset()
        cells = ["yes" if one in taken else "waits" if one in waits else "no" for one in phases]
        rows.append((f"`{tag_of(command)}`", *cells))
    return _table(("Command", *(f"`{phase}`" for phase in phases)), rows)


def _offered() -> str:
    rows = [
        (f"`{phase}`", " ".join(f"`{one}`" for one in offers if one not in ALWAYS))
        for phase, offers in ADVERTISED.items()
    ]
    rows.append(("in every state", " ".join(f"`{one}`" for one in ALWAYS)))
    return _table(("State", "Offered, in this order"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '¦') for cell in line)} |\n" for line in lines)


def _meaning(one: type[Any]) -> str:
    return (one.__doc__ or "").strip().splitlines()[0]


def _fields(one: type[msgspec.Struct]) -> str:
    info = inspect.type_info(one)
    assert isinstance(info, inspect.StructType)
    return (
        "<br>".join(
            f"`{field.encode_name}{'' if field.required else '?'}`: {_type(field.type)}"
            for field in info.fields
        )
        or "none"
    )


def _type(info: inspect.Type) -> str:
    match info:
        case inspect.StructType(cls=cls, tag=None) | inspect.EnumType(cls=cls):
            return cls.__name__
        case inspect.StructType(tag=tag):
            return f"`{tag}`"
        case inspect.UnionType(types=types):
            return _union(types)
        case inspect.VarTupleType(item_type=item):
            return f"list of ({_type(item)})"
        case inspect.DictType(key_type=key, value_type=value):
            return f"map from {_type(key)} to ({_type(value)})"
        case _:
            return _scalar(info)


def _union(types: tuple[inspect.Type, ...]) -> str:
    """A whole kind by its name, else its members one by one."""
    tags = {one.tag for one in types if isinstance(one, inspect.StructType) and one.tag}
    for kind, union in KINDS.items():
        if tags and tags == set(map(tag_of, members(union))):
            rest = [one for one in types if not isinstance(one, inspect.StructType) or not one.tag]
            return " or ".join([f"one of the [{kind}](#{kind})", *map(_type, rest)])
    return " or ".join(map(_type, types))


def _scalar(info: inspect.Type) -> str:
    match info:
        case inspect.LiteralType(values=values):
            return " or ".join(f'`"{value}"`' for value in values)
        case inspect.StrType(min_length=least, max_length=most):
            return f"text{_bounds(('at least', least), ('at most', most))}"
        case inspect.IntType(ge=least):
            return f"whole number{_bounds(('at least', least), unit='')}"
        case inspect.FloatType(gt=above):
            return f"number{_bounds(('above', above), unit='')}"
        case inspect.DateTimeType():
            return "time (RFC 3339)"
        case _:
            return {"BoolType": "true or false", "NoneType": "null"}[type(info).__name__]


def _bounds(*limits: tuple[str, float | None], unit: str = "characters") -> str:
    said = [f"{how} {limit}" for how, limit in limits if limit is not None]
    return f" ({', '.join(said)}{f' {unit}' if unit else ''})" if said else ""


def stale(page: Path, drawn: Mapping[str, str]) -> bool:
    """Whether a page shows something else than the code says."""
    text = page.read_text("utf-8")
    return filled(text, drawn) != text


if __name__ == "__main__":
    now = parts()
    for one in sorted(DOCS.rglob("*.md")):
        if stale(one, now):
            one.write_text(filled(one.read_text("utf-8"), now), "utf-8")
            sys.stdout.write(f"{shown(one)}\n")
