"""Making a fresh interpreter the project's: its folder, its variables, its modules.

And making it empty again. Both run in the main thread, between cells.
"""

import asyncio
import importlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from . import tools
from .fingerprinting import environment
from .problems import Problem, problem_of
from .sources import SOURCES

_OUR_MODULES: Final = frozenset(
    {
        "IPython", "_pydevd_bundle", "comm", "debugpy", "ipykernel", "jupyter_client", "pydevd",
        "tornado", "traitlets", "zmq", __name__.partition(".")[0],
    }
)  # fmt: skip
"""Threads and tasks that run code of these belong to the interpreter, not to its user."""


class Prepared:
    """What the last preparation did to this process."""

    def __init__(self) -> None:
        self.placed: list[str] = []
        """What was put into `sys.path`."""
        self.failed: dict[str, Problem] = {}
        """The modules of the project that could not be imported, and why."""


PREPARED: Final = Prepared()


def prepare(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Make this process the project's; what goes wrong is told in `errors`, and the rest goes on.

    `args`: `directory` to work in; `root` and search `paths`; `environment` variables to set;
    `argv`, what comes behind the first place of `sys.argv`; `profile`, files that run in the user's
    namespace; `modules` to import; `bare`: neither search paths nor modules.
    """
    began = time.perf_counter()
    errors: list[str] = []
    bare = bool(args.get("bare"))
    root = str(args.get("root") or args.get("directory") or "")
    paths = [] if bare else [str(one) for one in args.get("paths", ())]
    os.environ.update(
        {str(name): str(value) for name, value in args.get("environment", {}).items()}
    )
    _enter(str(args.get("directory") or root), errors)
    sys.argv[:] = ["", *(str(one) for one in args.get("argv", ()))]
    _place([] if bare else [root, *paths])
    SOURCES.begin("" if bare else root, tuple(paths))
    with _as_a_cell(shell):
        for file in args.get("profile", ()):
            _run_profile(shell.user_ns, str(file), errors)
        names = [] if bare else [str(one) for one in args.get("modules", ())]
        imported, rounds = _import_in_rounds(names, errors)
    bind(shell, imported)
    return {
        "errors": errors,
        "imported": imported,
        "rounds": rounds,
        "environment": environment(shell, {}),
        "duration": time.perf_counter() - began,
    }


def reset(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Empty the user's namespace, forget the project's modules, cancel the user's tasks.

    Threads cannot be ended from outside: `left_threads` says how many go on.
    """
    del args  # what belongs to the project was said when it was prepared
    for task in _tasks():
        task.cancel()
    SOURCES.forget()
    tools.forget()
    PREPARED.failed.clear()
    shell.reset(new_session=False)
    return {"left_threads": len(_threads())}


def import_again(shell: Any, files: list[str]) -> dict[str, "Problem | None"]:
    """Import modules that could not be imported before and whose files were saved since.

    For each of these modules: None if it is there now, else what is wrong.
    """
    names = [name for name in PREPARED.failed if _is_of(name, files)]
    errors: list[str] = []
    with _as_a_cell(shell):
        imported, _ = _import_in_rounds(names, errors)
    bind(shell, imported)
    return {name: PREPARED.failed.get(name) for name in names}


def bind(shell: Any, modules: list[str]) -> None:
    """Give the user the packages that were imported, by name, as `import name` would.

    What a start-up profile called so stays. They are hidden: nobody's variables.
    """
    for top in dict.fromkeys(name.partition(".")[0] for name in modules):
        module = sys.modules.get(top)
        if module is not None and isinstance(shell.user_ns.get(top, module), ModuleType):
            shell.user_ns[top] = module
            shell.user_ns_hidden[top] = module


def _enter(directory: str, errors: list[str]) -> None:
    try:
        os.chdir(directory or ".")
    except OSError as error:
        errors.append(f"{directory}: cannot be entered: {error.strerror}")


def _place(paths: list[str]) -> None:
    """Put the project first into `sys.path`, behind the working folder; take the old one out."""
    paths = [one for one in dict.fromkeys(paths) if one]
    rest = [one for one in sys.path if one not in {"", *paths, *PREPARED.placed}]
    PREPARED.placed = [one for one in paths if one not in sys.path or one in PREPARED.placed]
    sys.path[:] = ["", *paths, *rest]
    importlib.invalidate_caches()


def _as_a_cell(shell: Any) -> Any:
    """What cells have and modules may not: `display`, `get_ipython` among the builtins."""
    return getattr(shell, "builtin_trap", None) or nullcontext()


def _run_profile(namespace: dict[str, Any], file: str, errors: list[str]) -> None:
    """Run a start-up file in the user's namespace."""
    before = namespace.get("__file__")
    try:
        code = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
        namespace["__file__"] = file
        exec(code, namespace)  # noqa: S102 - the person's own start-up file, which they asked for
    except BaseException as error:  # noqa: BLE001 - it is the person's code, and may raise anything
        problem = problem_of(error, {file}.__contains__)
        errors.append(problem._replace(file=file).told())
    finally:
        namespace.pop("__file__", None)
        if before is not None:
            namespace["__file__"] = before


def _import_in_rounds(names: list[str], errors: list[str]) -> tuple[list[str], int]:
    """Import modules; try again what may have needed another one, while that brings anything."""
    imported: list[str] = []
    waiting, told, rounds = list(dict.fromkeys(names)), dict[str, Problem](), 0
    with _remembering(told, errors):
        while waiting:
            rounds += 1
            before, again = len(imported), []
            for name in waiting:
                told.pop(name, None)
                try:
                    importlib.import_module(name)
                    imported.append(name)
                except KeyboardInterrupt as error:
                    # Somebody stops the warm-up: what was imported so far is what there is.
                    told[name] = problem_of(error, SOURCES.is_ours)
                    return imported, rounds
                except BaseException as error:  # noqa: BLE001 - a module may raise anything, exit included
                    told[name] = problem_of(error, SOURCES.is_ours)
                    if _may_come(error, names):
                        again.append(name)
            waiting = again if len(imported) > before else []
    return imported, rounds


@contextmanager
def _remembering(told: dict[str, Problem], errors: list[str]) -> Iterator[None]:
    try:
        yield
    finally:
        errors.extend(f"{name}: {problem.told()}" for name, problem in told.items())
        PREPARED.failed.update(told)
        for name in set(PREPARED.failed) - set(told):
            if name in sys.modules:
                del PREPARED.failed[name]


def _may_come(error: BaseException, names: list[str]) -> bool:
    """Whether a module may be imported once others are: not one that exits or lacks something."""
    if not isinstance(error, Exception) or isinstance(error, SyntaxError):
        return False
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        return any(name.partition(".")[0] == top for name in names)
    return True


def _is_of(name: str, files: list[str]) -> bool:
    """Whether one of the files is where a module of this name would be looked for."""
    path = name.replace(".", os.sep)
    ends = (f"{os.sep}{path}.py", f"{os.sep}{path}{os.sep}__init__.py")
    return any(file.endswith(ends) for file in files)


def _tasks() -> list["asyncio.Task[Any]"]:
    """The asyncio tasks that the user's code began and that still run on this thread's loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return []  # no loop runs: no task does
    current = asyncio.current_task()
    return [task for task in asyncio.all_tasks(loop) if task is not current and not _is_inner(task)]


def _is_inner(task: "asyncio.Task[Any]") -> bool:
    coroutine: Any = task.get_coro()
    frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
    name = frame.f_globals.get("__name__", "") if frame else ""
    return str(name).partition(".")[0] in _OUR_MODULES


def _threads() -> list[threading.Thread]:
    """The threads that the user's code started and that still run."""
    return [
        one
        for one in threading.enumerate()
        if one is not threading.main_thread() and not _is_our_thread(one)
    ]


def _is_our_thread(thread: threading.Thread) -> bool:
    target = getattr(thread, "_target", None)  # what it runs, when its class does not say
    owners = (type(thread).__module__, getattr(target, "__module__", None) or "")
    return any(one.partition(".")[0] in _OUR_MODULES for one in owners)


ASKS: Final = {"prepare": prepare, "reset": reset}
