"""The settings of a running daemon: read anew when files change, never half.

A valid change holds at once. One that is not keeps what held before, and is told. May be asked
from any thread; what it does may wait for the disk.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from hearth.settings.keys import KEYS
from hearth.settings.layers import Layer, environment_layer, file_layer
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import FILE_NAME
from hearth.settings.roots import Root, find_root_anyway
from hearth.settings.snapshot import Layers, Snapshot, compose

MOST_ROOTS: Final = 200
"""So many projects are kept in mind; who asks for another one lets the oldest go."""

_said = logging.getLogger(__name__)


@dataclass(frozen=True)
class Change:
    """Settings that have changed under a running daemon."""

    sources: tuple[str, ...]
    """What contributes now."""
    changed: tuple[str, ...]
    """The full names of the keys that have another value now."""
    problems: tuple[str, ...]
    """What is not right now, one sentence each; none: all is well again."""


Listener: TypeAlias = Callable[[Change], None]


@dataclass(frozen=True)
class _Kept:
    """What is known of one file."""

    layer: Layer | None = None
    """What it said when it could last be used."""
    problem: Problem | None = None
    """Why it cannot be used now."""
    trusted: bool = False


@dataclass(frozen=True)
class _Known:
    """A project, or none, and what held there when it was last looked at."""

    snapshot: Snapshot
    root: Path | None = None
    kept: _Kept = field(default_factory=_Kept)
    others: tuple[Problem, ...] = ()


def _nobody(_root: Root) -> bool:
    return False


class SettingsKeeper:
    """Knows which settings hold, here and now.

    `trusted` says whether a project's file counts in full; without it none does.
    """

    def __init__(
        self,
        file: Path,
        environ: Mapping[str, str],
        *,
        trusted: Callable[[Root], bool] = _nobody,
        managed: Layer | None = None,
    ) -> None:
        self._file = file
        self._environ = dict(environ)
        self._trusted = trusted
        self._managed = managed
        self._environment = environment_layer(self._environ)
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._person = self._read(file, _Kept(), self._environ)
        self._roots: OrderedDict[Path, _Known] = OrderedDict()
        self._here = _Known(self._composed(_Kept()))

    def current(self, directory: Path | None = None) -> Snapshot:
        """What holds for sessions in this directory; without one, for the daemon itself."""
        with self._lock:
            before = self._known()
            self._look_at_person()
            wanted = self._here if directory is None else self._look_at(directory)
            changes = self._changes(before)
        self._tell(changes)
        return wanted.snapshot

    def reload(self) -> Change | None:
        """Look at every file again. What changed, if anything did; all who listen are told."""
        with self._lock:
            before = self._known()
            self._look_at_person()
            for path in list(self._roots):
                if self._look_at(path).root != path:
                    del self._roots[path]  # it belongs to another root by now
            changes = self._changes(before)
        self._tell(changes)
        return changes

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told of changes, from whichever thread notices them; do not wait there.

        What it returns ends it.
        """
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def files(self) -> tuple[Path, ...]:
        """The files that a change may come from, whether they exist or not."""
        with self._lock:
            return (self._file, *(path / FILE_NAME for path in self._roots))

    def _look_at_person(self) -> None:
        person = self._read(self._file, self._person, self._environ, self._person.layer)
        if person == self._person:
            return
        self._person = person
        self._here = _Known(self._composed(_Kept()))
        for path, known in self._roots.items():
            snapshot = self._composed(known.kept, known.others, path)
            self._roots[path] = replace(known, snapshot=snapshot)

    def _look_at(self, directory: Path) -> _Known:
        root, errors = find_root_anyway(directory)
        file = root.path / FILE_NAME
        # Where there is a file and the root does not say so, it is somebody else's.
        if root.config is not None:
            kept = self._read_project(file, root)
        else:
            kept = _Kept(trusted=self._trusted(root))
        others = tuple(error.problem() for error in errors if error.file != file)
        known = _Known(self._composed(kept, others, root.path), root.path, kept, others)
        self._roots[root.path] = known
        self._roots.move_to_end(root.path)
        if len(self._roots) > MOST_ROOTS:
            self._roots.popitem(last=False)
        return known

    def _read_project(self, file: Path, root: Root) -> _Kept:
        before = self._roots[root.path].kept if root.path in self._roots else _Kept()
        trusted = self._trusted(root)
        # Before that, a project must not learn what is in the environment.
        environ = self._environ if trusted else None
        same = before.layer if before.trusted == trusted else None
        kept = self._read(file, before, environ, same)
        # What is kept of a broken file is what was trusted, or not, while it was not broken.
        return replace(kept, trusted=before.trusted if kept.problem else trusted)

    def _read(
        self,
        file: Path,
        before: _Kept,
        environ: Mapping[str, str] | None,
        same: Layer | None = None,
    ) -> _Kept:
        try:
            return _Kept(file_layer(file, environ, same))
        except SettingsError as error:
            problem = error.problem()
        if before.layer is not None:
            problem = replace(problem, what=f"{problem.what}; what it said before still holds")
        return _Kept(before.layer, problem)

    def _composed(
        self, project: _Kept, others: tuple[Problem, ...] = (), root: Path | None = None
    ) -> Snapshot:
        broken = (self._person.problem, project.problem)
        unread = tuple(
            one.problem.source
            for one in (self._person, project)
            if one.problem is not None and one.layer is None
        )
        return compose(
            Layers(
                environment=self._environment,
                person=self._person.layer,
                project=project.layer,
                trusted=project.trusted,
                root="" if root is None else str(root),
                managed=self._managed,
                broken=(*filter(None, broken), *others),
                unread=unread,
            )
        )

    def _known(self) -> dict[Path | None, Snapshot]:
        return {None: self._here.snapshot} | {
            path: known.snapshot for path, known in self._roots.items()
        }

    def _changes(self, before: Mapping[Path | None, Snapshot]) -> Change | None:
        now = self._known()
        pairs = [(before[path], now[path]) for path in now if path in before]
        others = [new for old, new in pairs if _differ(old, new)]
        if not others:
            return None
        changed = {name for old, new in pairs for name in _changed(old, new)}
        return Change(
            sources=tuple(dict.fromkeys(one for new in others for one in new.sources)),
            changed=tuple(sorted(changed)),
            problems=tuple(dict.fromkeys(str(one) for new in others for one in new.warnings)),
        )

    def _tell(self, change: Change | None) -> None:
        if change is None:
            return
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:  # noqa: BLE001 - one who cannot listen keeps nothing from the others
                _said.exception("a listener could not be told of changed settings")


def _differ(old: Snapshot, new: Snapshot) -> bool:
    return bool(_changed(old, new)) or old.warnings != new.warnings


def _changed(old: Snapshot, new: Snapshot) -> set[str]:
    return {
        name
        for name in old.values.keys() | new.values.keys()
        if _held(old, name) != _held(new, name)
    }


def _held(snapshot: Snapshot, name: str) -> object:
    """What is said of a key and counts, with the order of rules."""
    if not KEYS[name].is_layered:
        return snapshot.values.get(name)
    counting = [one.entry.value for one in snapshot.said.get(name, ()) if one.counts]
    return [list(one.items()) if isinstance(one, dict) else one for one in counting]
