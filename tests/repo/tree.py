"""The repository as the gates see it: its files, and what is written in them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
SRC: Final = ROOT / "src" / "hearth"
TESTS: Final = ROOT / "tests"
BENCH: Final = ROOT / "bench"
DOCS: Final = ROOT / "docs"


def python_files(under: Path) -> list[Path]:
    """Every Python file below a folder, in a steady order."""
    return sorted(under.rglob("*.py"))


def shown(path: Path) -> str:
    """A path as a person would type it."""
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file; every gate looks at the same one."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def words_in(name: str) -> set[str]:
    """The words a name is made of: `MailHandler` and `mail_handler` both have `handler`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", spaced)
    return set(spaced.lower().split("_"))


def imports_of(tree: ast.AST) -> Iterator[str]:
    """The full name of every module that is imported anywhere in a file."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=0) if module:
                yield module
            case ast.ImportFrom(level=level) if level > 0:
                yield "." * level
            case _:
                pass


def documents() -> str:
    """Everything that is written for people, in one text."""
    pages = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
    return "\n".join(page.read_text("utf-8") for page in pages if page.exists())


def report(problems: list[str], advice: str) -> None:
    """Fail with every problem, one per line, and what to do about them."""
    assert not problems, "\n  ".join(["", *problems, f"→ {advice}"])
