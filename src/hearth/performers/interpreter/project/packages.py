"""What can be imported of a project, and from where: found by looking, without running anything.

A project says in its pyproject.toml where its packages lie, each build tool in its own words; one
that says nothing has them in `src`, or beside that file.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.settings.walking import folders
from hearth.settings.workspaces import read_toml, table, texts

MOST: Final = 300
"""Of a project with more modules only the top-level ones are imported when a session starts."""

_LARGEST: Final = 1_000_000
_NOT_PACKAGES: Final = frozenset(
    {
        "benchmark", "benchmarks", "bench", "build", "dist", "doc", "docs", "example", "examples",
        "migrations", "notebooks", "script", "scripts", "src", "test", "testing", "tests", "tools",
    }
)  # fmt: skip
"""Folders beside a pyproject.toml that hold code and are no packages of the project."""
_NOT_MODULES: Final = frozenset(
    {"__main__", "conf", "conftest", "dodo", "fabfile", "manage", "noxfile", "setup", "tasks"}
)


@dataclass(frozen=True)
class Importables:
    """What a session imports when it starts."""

    paths: tuple[str, ...] = ()
    """Where the modules are found: search paths, in order."""
    modules: tuple[str, ...] = ()
    """Packages before what is in them."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layout:
    """Where a project's packages lie, and which they are if it says so."""

    folder: Path
    names: tuple[str, ...] = ()


def importables(projects: Sequence[Path]) -> Importables:
    """What can be imported of these projects. Never raises: what cannot be read is a notice."""
    paths: dict[str, None] = {}
    modules: dict[str, None] = {}
    notices: list[str] = []
    for project in projects:
        content, problem = read_toml(project / "pyproject.toml")
        if problem:
            notices.append(problem)
        for layout in _layouts(project, content):
            tops = [
                top
                for top in layout.names or _tops(layout.folder, project)
                if _may_be_imported(layout, top, notices)
            ]
            if tops:
                paths[str(layout.folder)] = None
                modules.update(dict.fromkeys(_with_inner(layout.folder, tops, notices)))
    return Importables(tuple(paths), tuple(modules), tuple(notices))


def _layouts(project: Path, content: dict[str, Any]) -> list[_Layout]:
    """Where packages are said to lie; else where they usually do."""
    said = [one for one in _said(project, content) if one.folder.is_dir()]
    if said:
        return said
    source = project / "src"
    if source.is_dir() and not (source / "__init__.py").exists() and _tops(source, project):
        return [_Layout(source)]
    return [_Layout(project)]


def _said(project: Path, content: dict[str, Any]) -> Iterator[_Layout]:
    """What the build tools of a project say, each in its own words."""
    tool = table(content, "tool")
    setuptools = table(tool, "setuptools")
    where = texts(table(setuptools, "packages", "find").get("where"))
    below = table(setuptools, "package-dir").get("")
    single = texts(setuptools.get("py-modules"))
    yield from (_Layout(project / one) for one in where)
    if isinstance(below, str):
        yield _Layout(project / below)
    if single:
        yield _Layout(project / below if isinstance(below, str) else project, single)
    # hatch names the folders of the packages themselves, flit and others the packages.
    for one in texts(table(tool, "hatch", "build", "targets", "wheel").get("packages")):
        yield _Layout((project / one).parent, (Path(one).name,))
    for one in table(tool, "poetry").get("packages") or ():
        if isinstance(one, dict) and isinstance(include := one.get("include"), str):
            folder = project / str(one.get("from", "."))
            yield _Layout(folder, (include.split("/")[0].removesuffix(".py"),))
    backend = table(tool, "uv", "build-backend")
    if isinstance(root := backend.get("module-root"), str):
        yield _Layout(project / root)
    if isinstance(source := table(tool, "maturin").get("python-source"), str):
        yield _Layout(project / source)
    if isinstance(inner := table(tool, "pdm", "build").get("package-dir"), str):
        yield _Layout(project / inner)


def _tops(folder: Path, project: Path) -> list[str]:
    """The packages and modules that lie in a folder."""
    is_flat = folder == project
    found = []
    for one in _sorted(folder):
        name = one.stem
        if not name.isidentifier() or (is_flat and name in _NOT_PACKAGES):
            continue
        if (
            one.suffix == ".py"
            and name not in _NOT_MODULES
            and not name.startswith("test_")
            and one.is_file()
        ) or (one.name == name and _is_package(one, loose=not is_flat)):
            found.append(name)
    return found


def _is_package(folder: Path, *, loose: bool) -> bool:
    """Whether a folder can be imported. A `loose` one may be a namespace without a file of its own.

    Beside a pyproject.toml any folder could be; there only what says so itself is one.
    """
    if not folder.is_dir() or folder.name == "__pycache__":
        return False
    if (folder / "__init__.py").is_file():
        return True
    return loose and any(
        (inner / "__init__.py").is_file() for inner in _sorted(folder) if inner.is_dir()
    )


def _may_be_imported(layout: _Layout, top: str, notices: list[str]) -> bool:
    """Whether a module can be imported for good. A script that just does its work is left alone."""
    file = layout.folder / f"{top}.py"
    if layout.names or not file.is_file() or (layout.folder / top).is_dir():
        return True
    if _only_defines(file):
        return True
    notices.append(f"{file} does more than define things, so it is not imported")
    return False


def _only_defines(file: Path) -> bool:
    """Whether importing a loose file would only define things, as far as one can see."""
    try:
        if file.stat().st_size > _LARGEST:
            return False
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # then its import will say what is wrong with it
    calls = (ast.Call, ast.Await, ast.Yield)
    return not any(
        isinstance(one, (ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith))
        or (isinstance(one, ast.Expr) and isinstance(one.value, calls))
        for one in body
    )


def _with_inner(folder: Path, tops: list[str], notices: list[str]) -> list[str]:
    """The modules, and those inside of packages."""
    names: list[str] = []
    for top in tops:
        inner = list(_inner(folder, folder / top))
        if len(names) + len(inner) > MOST:
            notices.append(f"{folder / top} holds many modules; only {top} itself is imported")
            inner = inner[:1]
        names += inner or [top]
    return names


def _inner(base: Path, package: Path) -> Iterator[str]:
    """A package and the modules in it, by name."""
    if not package.is_dir():
        return
    for folder in folders(package):
        parts = folder.relative_to(base).parts
        if not all(part.isidentifier() for part in parts) or {"tests", "test"} & {*parts[1:]}:
            continue
        if not (folder / "__init__.py").is_file():
            continue  # a namespace is imported with what is in it
        yield ".".join(parts)
        for file in _sorted(folder):
            name = file.stem
            if (
                file.suffix == ".py"
                and name.isidentifier()
                and name not in {"__init__", "__main__", "conftest"}
                and not name.startswith("test_")
            ):
                yield ".".join((*parts, name))


def _sorted(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []  # closed to us, or gone: nothing to import
