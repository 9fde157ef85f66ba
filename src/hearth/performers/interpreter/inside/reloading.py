"""Loading saved files anew while everything that uses them goes on.

A file that does not compile changes nothing. One that raises half-way leaves the module's names as
they were. See `patching` for what becomes of functions, classes and instances.
"""

import dis
import importlib
import linecache
import os
import sys
import time
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, NamedTuple

from .patching import Names, Patch
from .preparing import import_again
from .problems import Problem, problem_of
from .sources import SOURCES, file_of, modules_from
from .strays import many_young, namespaces, rebind, sweep

_STORE: Final = dis.opmap["STORE_NAME"]
_EXTENDED: Final = dis.opmap["EXTENDED_ARG"]
_OPTIMIZED: Final = 1
"""The flag of function bodies; class bodies and modules lack it."""


class _Job(NamedTuple):
    """A module that is to be loaded anew from a file."""

    file: str
    name: str
    module: ModuleType


class _Failed(NamedTuple):
    """Why a module could not be loaded anew."""

    problem: Problem
    ran: bool
    """It compiled and then raised: what it needs may come with a save of another file."""


class Reloader:
    """Loads files anew; knows which ones wait for another file to be mended."""

    def __init__(self) -> None:
        self.waiting: dict[str, None] = {}
        """Files that raised when they ran. They are tried again whenever others were saved."""
        self._times: dict[str, int] = {}
        """When the files of loaded modules had been changed last, when it was looked."""

    def take_saved(self, shell: Any) -> "dict[str, Any] | None":
        """Load anew what was saved since it was looked last; None if nothing was."""
        saved = [file for file in self._files() if self._is_saved(file)]
        if not saved:
            return None
        taken = self.reload(shell, saved)
        return taken if taken["reloaded"] or taken["failed"] else None

    def _files(self) -> "set[str]":
        loaded = SOURCES.loaded().values()
        return {one.file for one in loaded if SOURCES.is_ours(one.file)}

    def _is_saved(self, file: str) -> bool:
        try:
            changed = os.stat(file).st_mtime_ns  # noqa: PTH116 - before every cell, for every module
        except OSError:
            return False  # deleted: what is loaded lives on
        known = self._times.get(file)
        self._times[file] = changed
        # Of a file that was not looked at before, only what is newer than the project is doubtful.
        return changed != known if known is not None else changed > SOURCES.since

    def reload(self, shell: Any, paths: list[str]) -> dict[str, Any]:
        """Load these files anew, and those that waited; see `reload`."""
        answer: dict[str, Any] = {"reloaded": [], "failed": [], "unknown": [], "unchanged": []}
        jobs = self._jobs(list(dict.fromkeys([*paths, *self.waiting])), answer)
        failed: dict[_Job, _Failed] = {}
        while jobs:
            before, failed = len(answer["reloaded"]), {}
            for job in jobs:
                began = time.perf_counter()
                outcome = _load(shell, job)
                if isinstance(outcome, _Failed):
                    failed[job] = outcome
                    continue
                self.waiting.pop(job.file, None)
                if outcome is None:
                    answer["unchanged"].append(job.file)
                else:
                    answer["reloaded"].append(_entry(job.name, job.file, began, outcome))
            # What failed may have needed what was loaded after it.
            jobs = list(failed) if len(answer["reloaded"]) > before else []
        for job, failure in failed.items():
            if job.file in paths:
                answer["failed"].append(_failure(job.name, job.file, failure.problem))
            if failure.ran:
                self.waiting[job.file] = None
            else:
                self.waiting.pop(job.file, None)
        self._import_mended(shell, answer)
        return answer

    def _jobs(self, paths: list[str], answer: dict[str, Any]) -> list[_Job]:
        """What is to be loaded; what was imported last comes first, for others depend on it."""
        jobs: list[_Job] = []
        for file in paths:
            modules = modules_from(file)
            if not modules:
                answer["unknown"].append(file)
                self.waiting.pop(file, None)
            jobs.extend(_Job(file, name, module) for name, module in modules)
        order = {name: number for number, name in enumerate(sys.modules)}
        return sorted(jobs, key=lambda job: -order.get(job.name, 0))

    def _import_mended(self, shell: Any, answer: dict[str, Any]) -> None:
        """Import what could not be imported at the start and was saved now."""
        files = answer["unknown"]
        if not files:
            return
        importlib.invalidate_caches()  # a new file must be found by the next import
        began = time.perf_counter()
        for name, problem in import_again(shell, files).items():
            if problem is None:
                file = file_of(sys.modules.get(name))
                answer["reloaded"].append(_entry(name, file, began, []))
            else:
                answer["failed"].append(_failure(name, problem.file, problem))
        known = {one["file"] for one in (*answer["reloaded"], *answer["failed"])}
        answer["unknown"] = [file for file in files if file not in known]


def _failure(name: str, file: str, problem: Problem) -> dict[str, Any]:
    said = {"name": problem.name, "message": problem.message, "line": problem.line}
    return {"file": file, "module": name, **said}


def _entry(name: str, file: str, began: float, replaced: list[str]) -> dict[str, Any]:
    seconds = time.perf_counter() - began
    return {"module": name, "file": file, "seconds": seconds, "replaced": replaced}


RELOADER: Final = Reloader()


def reload(shell: Any, args: "dict[str, Any]") -> "dict[str, Any]":
    """Load saved files anew. `args`: `{"paths": [file, …]}`.

    The answer: `reloaded`, entries with `module`, `file`, `seconds` and `replaced` (the names of
    what could not be changed in place: what holds the old ones keeps them); `failed`, entries with
    `file`, `module`, `name`, `message`, `line`: the old version lives on; `unknown`, files that no
    loaded module came from; `unchanged`, files that say what is loaded already.
    """
    return RELOADER.reload(shell, [str(one) for one in args.get("paths", ())])


def take_saved(shell: Any) -> "dict[str, Any] | None":
    """Load anew what was saved since the last cell; see `reload`. None if nothing was."""
    return RELOADER.take_saved(shell)


def names_bound(code: CodeType, owner: str = "") -> Names:
    """What source binds at its top level, and in each class body there."""
    bound: Names = {owner: _stored(code)}
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and not inner.co_flags & _OPTIMIZED:
            bound.update(names_bound(inner, f"{owner}.{inner.co_name}".lstrip(".")))
    return bound


def _load(shell: Any, job: _Job) -> "list[str] | _Failed | None":
    """Load one module anew; the names of what had to be replaced. None: nothing changed."""
    name, namespace, file = job.name, vars(job.module), file_of(job.module)
    old = SOURCES.loaded().get(name)
    source = old.content if old else b""
    try:
        content = Path(file).read_bytes()
        if source and source == content:
            return None
        code = compile(content, file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError) as error:
        _show_source(file, source)
        return _Failed(problem_of(error, {file}.__contains__), ran=False)
    bound, before = _bound_before(source, file), dict(namespace)
    _drop(namespace, bound.get("", set()) - names_bound(code)[""], name)
    with many_young():
        try:
            exec(code, namespace)  # noqa: S102 - the project's own file, saved to be run
        except BaseException as error:  # noqa: BLE001 - a module may raise anything, exit included
            _restore(namespace, before)
            _show_source(file, source)
            return _Failed(problem_of(error, {file}.__contains__), ran=True)
        replaced = _patch(shell, Patch(namespace, before, bound, name))
    SOURCES.replace(name, file, content)
    _show_source(file, content)
    return replaced


def _patch(shell: Any, patch: Patch) -> list[str]:
    patch.apply()
    if patch.replaced:
        rebind(patch.replaced, namespaces(shell, list(SOURCES.loaded())))
    sweep(patch)
    return [old.__qualname__ for old, _ in patch.replaced]


def _bound_before(content: bytes, file: str) -> Names:
    try:
        return names_bound(compile(content, file, "exec", dont_inherit=True)) if content else {}
    except (SyntaxError, ValueError):
        return {}  # not what was loaded: then nothing is known of it


def _stored(code: CodeType) -> set[str]:
    names, argument = set(), 0
    # Read by hand: `dis` takes longer than everything else here.
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | low
        if operation == _STORE:
            names.add(code.co_names[argument])
        if operation != _EXTENDED:
            argument = 0
    return names


def _drop(namespace: dict[str, Any], names: set[str], module: str) -> None:
    """Take out what only the old source bound; if the new one does it after all, it comes back."""
    for name in names & namespace.keys():
        if name == "__doc__":
            namespace[name] = None
        elif not _is_submodule(name, module, namespace[name]):
            del namespace[name]


def _is_submodule(name: str, package: str, value: Any) -> bool:
    """Whether a name of a package is one of its modules, which stays whatever its source says."""
    return isinstance(value, ModuleType) and value.__name__ == f"{package}.{name}"


def _restore(namespace: dict[str, Any], before: dict[str, Any]) -> None:
    """Make a namespace what it was, without a moment in which it is empty: threads may look."""
    namespace.update(before)
    for name in namespace.keys() - before.keys():
        del namespace[name]


def _show_source(file: str, content: bytes) -> None:
    """Let tracebacks show the lines that are loaded, whatever the file says by now."""
    if content:
        lines = content.decode("utf-8", "replace").splitlines(keepends=True)
        linecache.cache[file] = (len(content), None, lines, file)
    else:
        linecache.checkcache(file)


ASKS: Final = {"reload": reload}
