"""All layers as one: the settings that hold, where each came from, and what was not right.

A snapshot never changes. Whoever holds one sees one state of all settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from hearth.settings.checking import Value
from hearth.settings.keys import KEYS
from hearth.settings.layers import Entry, Layer
from hearth.settings.policy import admitted_of_person, admitted_of_project
from hearth.settings.problems import Problem
from hearth.settings.rules import rule_problems
from hearth.settings.schema import DEFAULT_MODEL, Settings

BUILT_IN: Final = "built in"
JOINED: Final = "instructions"
"""The one key whose values of all layers are put behind each other."""


class Given(NamedTuple):
    """Where a value came from."""

    source: str
    line: int | None


@dataclass(frozen=True)
class Said:
    """What one layer says about a key, and what became of it."""

    entry: Entry
    counts: bool
    why_not: str = ""


@dataclass(frozen=True)
class Snapshot:
    """The settings that hold."""

    settings: Settings
    sources: tuple[str, ...]
    """What contributed, the lowest first: files, then "environment"."""
    warnings: tuple[Problem, ...]
    given: Mapping[str, Given]
    """By the full name of each key that is set."""
    values: Mapping[str, Value]
    """The same settings by their full names, for whoever shows or compares them.

    Those that people named themselves are here, and not in `settings`."""
    said: Mapping[str, tuple[Said, ...]]
    """Everything that any layer says about a key, the lowest first."""
    root: str = ""
    """The root of the project; "" where they are nobody's but the person's."""
    trusted: bool = False
    """Whether the person trusts that project."""
    project: str = ""
    """The project's file, if there is one."""
    layers: tuple[Layer, ...] = ()
    """What counts of each source, the lowest first, in the order in which it is said there."""
    unread: tuple[str, ...] = ()
    """Files with rules of permissions that are not known: they may forbid anything."""


@dataclass(frozen=True)
class Layers:
    """What a snapshot is made of; None where there is no such file."""

    environment: Layer
    person: Layer | None = None
    project: Layer | None = None
    trusted: bool = False
    """Whether the person trusts the project."""
    root: str = ""
    """The root of the project; "" for none."""
    managed: Layer | None = None
    """Over all others: for whoever runs many hearths for many people."""
    broken: tuple[Problem, ...] = ()
    """Why a layer is not there although its file is."""
    unread: tuple[str, ...] = ()
    """The files of which nothing is known."""


DEFAULTS: Final = Layer(BUILT_IN, MappingProxyType({"model": Entry(DEFAULT_MODEL, BUILT_IN)}))


def compose(layers: Layers) -> Snapshot:
    """One out of all: what is built in, the person's, the project's, the environment's, managed."""
    stacked = _Stack()
    stacked.put(DEFAULTS)
    if layers.person is not None:
        person = admitted_of_person(layers.person)
        stacked.put(person.layer, layers.person, person.left_out)
    if layers.project is not None:
        mine = stacked.values()
        project = admitted_of_project(layers.project, mine, trusted=layers.trusted)
        stacked.put(project.layer, layers.project, project.left_out)
    stacked.put(layers.environment)
    if layers.managed is not None:
        stacked.put(layers.managed)
    return stacked.snapshot(layers)


class _Stack:
    """Layers as they come to lie upon each other."""

    def __init__(self) -> None:
        self._said: dict[str, list[Said]] = {}
        self._sources: list[str] = []
        self._problems: list[Problem] = []
        self._layers: list[Layer] = []
        self._unread: list[str] = []

    def put(
        self, layer: Layer, whole: Layer | None = None, left_out: Mapping[str, str] | None = None
    ) -> None:
        for name, why in (left_out or {}).items():
            if whole is not None:
                self._said.setdefault(name, []).append(
                    Said(whole.entries[name], counts=False, why_not=why)
                )
        for name, entry in layer.entries.items():
            self._said.setdefault(name, []).append(Said(entry, counts=True))
        if layer.entries and layer is not DEFAULTS:
            self._sources.append(layer.source)
            self._layers.append(layer)
        self._problems.extend(layer.problems)
        rules = rule_problems(layer)
        self._problems.extend(rules.problems)
        if layer.lost_rules or rules.is_broken:
            self._unread.append(layer.source)

    def values(self) -> dict[str, Value]:
        found = {}
        for name in (*KEYS, *(one for one in self._said if KEYS[one].is_free)):
            counting = [one.entry.value for one in self._said.get(name, ()) if one.counts]
            if counting:
                found[name] = _joined(counting) if name == JOINED else counting[-1]
        return found

    def snapshot(self, layers: Layers) -> Snapshot:
        values = self.values()
        given = {name: self._counting(name) for name in values}
        fixed = {name: value for name, value in values.items() if not KEYS[name].is_free}
        return Snapshot(
            settings=msgspec.convert(nested(fixed), Settings),
            sources=tuple(self._sources),
            warnings=(*layers.broken, *self._problems),
            given=MappingProxyType(given),
            values=MappingProxyType(values),
            said=MappingProxyType({name: tuple(said) for name, said in self._said.items()}),
            root=layers.root,
            trusted=layers.trusted,
            project=layers.project.source if layers.project is not None else "",
            layers=tuple(self._layers),
            unread=(*layers.unread, *self._unread),
        )

    def _counting(self, name: str) -> Given:
        entry = next(one.entry for one in reversed(self._said[name]) if one.counts)
        return Given(entry.source, entry.line)


def _joined(lists: Sequence[Value]) -> Value:
    """One list out of all, each text where it came first."""
    return tuple(dict.fromkeys(text for one in lists if isinstance(one, tuple) for text in one))


def nested(values: Mapping[str, Value]) -> dict[str, Any]:
    """Values by full names as the objects that they stand in on disk."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        *groups, last = name.split(".")
        inside = found
        for group in groups:
            inside = inside.setdefault(group, {})
        inside[last] = value
    return found
