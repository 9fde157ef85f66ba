"""Run by path in the project's Python: the way into every process of this folder.

python launch.py template          a template, spoken to through descriptor 0
python launch.py cold <folder>     a guardian with a kernel that starts from nothing
python launch.py guard <folder> <pid>   the guardian of a branch, whose kernel is its child already
python launch.py foreign <folder>  a guardian with a kernel of another language
python launch.py kernel <folder> <site>  a kernel alone, in a sandbox; what it lacks is borrowed
                                         from the site
"""

import importlib
import importlib.util
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = "hearth_inside"


def _make_importable() -> None:
    """Name this folder `hearth_inside`, and take it off sys.path: its modules have plain names."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} is not complete; hint: install hearth again")
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)


def _module(name: str) -> Any:
    """A sibling, imported when it is needed: most are slow, and no process needs them all."""
    return importlib.import_module(f"{PACKAGE}.{name}")


def main(arguments: list[str]) -> None:
    """Become what the first argument says."""
    match arguments:
        case ["template"]:
            _template()
        case ["cold", folder]:
            _cold(Path(folder))
        case ["guard", folder, kernel]:
            _module("guardian").guard_branch(Path(folder), int(kernel))
        case ["foreign", folder]:
            _foreign(Path(folder))
        case ["kernel", folder, site]:
            _kernel(Path(folder), site)
        case _:
            raise SystemExit(__doc__)


def _template() -> None:
    _module("borrowed").borrow()
    _module("template").serve()


def _cold(folder: Path) -> None:
    borrowed = _module("borrowed")
    lent = os.environ.get(borrowed.VARIABLE)

    def become(_: dict[str, Any]) -> None:
        if lent is not None:
            os.environ[borrowed.VARIABLE] = lent
        borrowed.borrow()
        os.environ.pop(borrowed.VARIABLE, None)
        _module("app").run(folder)

    _module("guardian").guard(folder, become)


def _kernel(folder: Path, site: str) -> None:
    _module("keyring").leave_keys_behind()
    borrowed = _module("borrowed")
    os.environ[borrowed.VARIABLE] = site
    borrowed.borrow()
    os.environ.pop(borrowed.VARIABLE, None)
    _module("app").run(folder, contained=True)


def _foreign(folder: Path) -> None:
    def become(settings: dict[str, Any]) -> None:
        argv = settings["argv"]
        # Python ignores it, programs expect it, and what is ignored stays so across an exec.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        try:
            os.execvpe(argv[0], argv, os.environ)  # noqa: S606 - the kernel that was asked for
        except OSError as refused:
            raise SystemExit(f"cannot start {argv[0]}: {refused.strerror}") from refused

    _module("guardian").guard(folder, become)


if __name__ == "__main__":
    # What the daemon has open is not ours, and whoever waits for its end must not wait for us.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    _make_importable()
    main(sys.argv[1:])
