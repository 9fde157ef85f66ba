"""Which language servers a project has: by the files in its root, and by what the settings say."""

import fnmatch
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Final

MOST_ENTRIES: Final = 20_000
"""So many entries of a root are looked at."""

_PYTHON: Final = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements*.txt",
    "ty.toml",
    "ruff.toml",
    ".ruff.toml",
    "*.py",
)
_SCRIPTS: Final = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs")
_LANGUAGES: Final[Mapping[str, str]] = {
    ".py": "python",
    ".pyi": "python",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
    ".rs": "rust",
    ".rb": "ruby",
    ".sh": "shellscript",
    ".md": "markdown",
    ".yml": "yaml",
    ".h": "c",
    ".cc": "cpp",
    ".hpp": "cpp",
}


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """How a server is started, and what for."""

    name: str
    command: tuple[str, ...]
    """A program, found beside hearth or on the PATH, and its arguments."""
    files: tuple[str, ...]
    """Patterns of the names of files that are shown to it."""
    markers: tuple[str, ...] = ()
    """Patterns of names in a root that ask for it; none: every root does."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What it is told at its start, and when it asks for its settings."""
    runs_code: bool = True
    """Whether it may run what is in the project: then only in one that is trusted."""

    def takes(self, path: str) -> bool:
        """Whether it looks at such a file."""
        name = os.path.basename(path)  # noqa: PTH119  this is asked for every file of a project
        return any(fnmatch.fnmatchcase(name, one) for one in self.files)


@dataclass(frozen=True, slots=True)
class ServerChange:
    """What settings say about a server: of a known one what is to differ, of another all of it."""

    command: str = ""
    args: tuple[str, ...] | None = None
    files: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    is_on: bool = True


KNOWN: Final = (
    ServerSpec(
        "ty",
        ("ty", "server"),
        ("*.py", "*.pyi"),
        _PYTHON,
        # It looks at all files when it is asked about the project, and only then.
        {"diagnosticMode": "workspace"},
        runs_code=False,
    ),
    ServerSpec("ruff", ("ruff", "server"), ("*.py", "*.pyi"), _PYTHON, runs_code=False),
    ServerSpec(
        "typescript",
        ("typescript-language-server", "--stdio"),
        _SCRIPTS,
        ("tsconfig.json", "jsconfig.json", "package.json"),
    ),
    ServerSpec("gopls", ("gopls",), ("*.go",), ("go.mod", "go.work")),
    ServerSpec("rust-analyzer", ("rust-analyzer",), ("*.rs",), ("Cargo.toml",)),
)
"""ty and ruff come with hearth; the others are used where they are installed."""


def specs_of(
    root: str, changes: Mapping[str, ServerChange] | None = None, *, is_trusted: bool = False
) -> tuple[ServerSpec, ...]:
    """The servers for a project. Waits for the disk.

    `changes` are those of people's settings, by name. Without trust only servers that run nothing
    of the project are there, as hearth knows them or as `changes` has them.
    """
    names = _names(root)
    return tuple(
        one
        for one in _changed(changes or {})
        if (is_trusted or not one.runs_code) and _is_asked_for(one, names)
    )


def language_of(path: str) -> str:
    """What the protocol calls the language of a file."""
    suffix = PurePath(path).suffix.lower()
    return _LANGUAGES.get(suffix, suffix.removeprefix(".") or "plaintext")


def _changed(changes: Mapping[str, ServerChange]) -> Iterator[ServerSpec]:
    known = {one.name: one for one in KNOWN}
    for name in (*known, *(other for other in changes if other not in known)):
        change = changes.get(name, ServerChange())
        spec = known.get(name, ServerSpec(name, (), ()))
        program = change.command or "".join(spec.command[:1])
        arguments = spec.command[1:] if change.args is None else change.args
        spec = replace(
            spec,
            command=(program, *arguments),
            files=change.files or spec.files,
            markers=change.markers or spec.markers,
            options={**spec.options, **change.options},
            # What another program does is not known.
            runs_code=spec.runs_code or bool(change.command),
        )
        if change.is_on and spec.command[0] and spec.files:
            yield spec


def _is_asked_for(spec: ServerSpec, names: Sequence[str]) -> bool:
    return not spec.markers or any(fnmatch.filter(names, marker) for marker in spec.markers)


def _names(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return [entry.name for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False)]
    except OSError:
        return []  # a folder that cannot be seen asks for nothing
