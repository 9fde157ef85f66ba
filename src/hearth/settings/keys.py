"""The keys of all settings by their full names, like `provider.anthropic.apiKey`."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec

from hearth.settings.families import family_of, inside, is_group, naming
from hearth.settings.schema import Session, Settings
from hearth.settings.values import Size


@dataclass(frozen=True)
class Key:
    """One setting."""

    name: str
    type: Any
    """What msgspec converts a value to; None in it stands for unset and is on no disk."""
    description: str
    right: str
    """What a right value looks like."""
    secret: bool = False
    """Its value is shown to nobody."""
    is_size: bool = False
    """Texts like "2 GiB" are taken for it."""
    is_layered: bool = False
    """What every file says about it counts, not what the last one says alone."""
    is_free: bool = False
    """People named it; see `families`."""

    @property
    def is_rules(self) -> bool:
        """Its value is rules of permissions."""
        return self.is_free and self.is_layered


def _keys(struct: type[msgspec.Struct], prefix: str = "") -> Iterator[Key]:
    for field in msgspec.structs.fields(struct):
        name = f"{prefix}{field.encode_name}"
        if get_origin(field.type) is Annotated:
            yield _key(name, field.type)
        else:
            yield from _keys(field.type, f"{name}.")


def _key(name: str, annotated: Any) -> Key:
    meta: msgspec.Meta = annotated.__metadata__[-1]  # those of its type come first
    said = meta.extra or {}
    return Key(
        name=name,
        type=annotated,
        description=meta.description or "",
        right=said["right"],
        secret=said["secret"],
        is_size=Size in get_args(annotated.__origin__),
    )


class _Keys(Mapping[str, Key]):
    """Every key by its full name, those that people name themselves included.

    Going through it gives the others: those whose names are fixed.
    """

    def __init__(self, fixed: Iterable[Key]) -> None:
        self._fixed = {key.name: key for key in fixed}

    def __getitem__(self, name: str) -> Key:
        if name in self._fixed:
            return self._fixed[name]
        family = family_of(name)
        if family is None:
            raise KeyError(name)
        layered = family.is_layered
        right, told = family.right, family.description
        return Key(name, family.type, told, right, is_layered=layered, is_free=True)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fixed)

    def __len__(self) -> int:
        return len(self._fixed)


KEYS: Final[Mapping[str, Key]] = _Keys(_keys(Settings))
"""Every setting, in the order of the schema; and those of families, if asked for by name."""

GROUPS: Final = frozenset(
    ".".join(parts[:depth])
    for parts in (name.split(".") for name in KEYS)
    for depth in range(1, len(parts))
)
"""The objects that keys with fixed names stand in."""

SESSION: Final = tuple(f"session.{name}" for name in Session.__struct_encode_fields__)
OF_PROJECTS: Final = frozenset(SESSION) - {"session.autoResume"}
"""What only a project can say: how sessions begin in it."""
SCHEMA: Final = "$schema"


def keys_of(names: Iterable[str]) -> tuple[Key, ...]:
    """Those settings whose names are given, in the order of the schema."""
    wanted = set(names)
    return tuple(key for name, key in KEYS.items() if name in wanted)


def is_object(name: str) -> bool:
    """Whether keys stand in an object of this name."""
    return name in GROUPS or is_group(name)


def nearest(name: str) -> str:
    """The key that was meant, or those there are: what would be right for an unknown one."""
    group, _, last = name.rpartition(".")
    if (family := naming(group)) is not None:
        return family.named
    siblings = {one.lower(): one for one in _siblings(group)}
    if same := siblings.get(last.lower()):
        return f'"{same}"'
    # Not here: perhaps it was put into the wrong object.
    if elsewhere := [one for one in KEYS if one.rpartition(".")[2].lower() == last.lower()]:
        return f'"{elsewhere[0]}"'
    if near := difflib.get_close_matches(last.lower(), siblings, n=1):
        return f'"{siblings[near[0]]}"'
    return f"one of {', '.join(siblings.values())}"


def _siblings(group: str) -> list[str]:
    """What may stand in an object."""
    prefix = f"{group}." if group else ""
    below = (one.removeprefix(prefix) for one in KEYS if one.startswith(prefix))
    return list(dict.fromkeys([*(one.partition(".")[0] for one in below), *inside(group)]))
