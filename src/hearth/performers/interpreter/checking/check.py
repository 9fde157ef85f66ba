"""One check: ruff and ty are asked side by side, and their findings become one list."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.checking import document, ruff, ty
from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.interpreter.inside.tools import NAME

LARGEST_CODE: Final = 512 * 1024
MOST_FINDINGS: Final = 500

RUFF_KNOWS_BETTER: Final = frozenset({"unresolved-reference", "invalid-syntax"})
"""What ruff says too, and with the live names in mind."""

IMPORTS: Final = frozenset({"import-not-found", "unresolved-import"})


@dataclass(frozen=True, kw_only=True)
class Check:
    """Code to look at, and what surrounds it."""

    code: str
    file: str = ""
    """The path of the file that the code is the content of, if there is one."""
    cells: tuple[str, ...] = ()
    """The earlier cells whose bindings stand, in the order in which they ran."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The live names at the top level, each with its type as the session tells it."""
    directory: str = ""
    python: str | None = None
    """The interpreter whose modules count; None: the one that hearth runs on."""


class Checker:
    """Checks code for as many sessions as there are; keeps the type servers that it needs."""

    def __init__(self, servers: Callable[[], ty.TypeServers] = ty.TypeServers) -> None:
        self._servers = servers()

    async def check(self, request: Check) -> tuple[Diagnostic, ...]:
        """What is wrong with the code. Never runs it, leaves nothing behind, never raises.

        What could not be looked at is told by a diagnostic of its own (severity info).
        """
        if len(request.code) > LARGEST_CODE:
            return (_note(f"not checked: the code is longer than {LARGEST_CODE} characters"),)
        # Half a surrogate pair cannot be sent; a question mark is as long.
        code = request.code.encode(errors="replace").decode()
        # In a thread: earlier cells are parsed, and a file system can be slow.
        questions = await asyncio.to_thread(_questions, request, code)
        by_ruff, by_ty = await asyncio.gather(
            ruff.findings(questions.ruff),
            self._servers.findings(questions.place, questions.document),
            return_exceptions=True,
        )
        return _joined(request, by_ruff, by_ty)

    async def close(self) -> None:
        """End what was started for checking."""
        await self._servers.close()


def uncheckable(language: str) -> tuple[Diagnostic, ...]:
    """What there is to say about code in another language than Python."""
    return (_note(f"{language} code is not checked: hearth can check Python only"),)


Findings: TypeAlias = tuple[Diagnostic, ...] | BaseException


class _Questions(NamedTuple):
    """What the two tools are asked."""

    ruff: ruff.Question
    place: ty.Place
    document: ty.Document


def _questions(request: Check, code: str) -> _Questions:
    file = _file(request)
    cells = document.readable(request.cells)
    known = document.surroundings(code, cells, request.names)
    before = (document.preamble(code, cells, request.names), *cells) if file is None else ()
    directory = Path(request.directory or "/").absolute()
    return _Questions(
        ruff.Question(code, known, file),
        ty.Place(request.python or sys.executable, str(directory if directory.is_dir() else "/")),
        ty.Document((*before, code), file),
    )


def _joined(request: Check, by_ruff: Findings, by_ty: Findings) -> tuple[Diagnostic, ...]:
    notes = []
    found: list[Diagnostic] = []
    if isinstance(by_ruff, BaseException):
        notes.append(_note(f"syntax and names were not checked: {_reason(by_ruff)}"))
    else:
        found.extend(by_ruff)
    broken = any(one.rule == ruff.SYNTAX for one in found)
    if isinstance(by_ty, BaseException):
        notes.append(_note(f"types were not checked: {_reason(by_ty)}"))
    elif not broken:
        # Until it can be parsed, what is said about types is guessed.
        asked_ruff = not isinstance(by_ruff, BaseException)
        found.extend(_worth_telling(request, by_ty, asked_ruff=asked_ruff))
    found = sorted(_once(found), key=_place)
    if len(found) > MOST_FINDINGS:
        notes.append(_note(f"{len(found) - MOST_FINDINGS} more findings are not shown"))
    return (*found[:MOST_FINDINGS], *notes)


def _worth_telling(
    request: Check, found: Iterable[Diagnostic], *, asked_ruff: bool
) -> Iterable[Diagnostic]:
    lines = request.code.splitlines()
    modules = {NAME, *request.names}  # what interpreters find although no file has it
    modules |= {text.removeprefix("module ").split(".")[0] for text in request.names.values()}
    for one in found:
        if asked_ruff and one.rule in RUFF_KNOWS_BETTER:
            continue
        if one.rule in IMPORTS and one.start_line <= len(lines):
            named = lines[one.start_line - 1][one.start_column : one.end_column]
            if named.split(".")[0] in modules:
                continue
        yield one


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each place and message once; the first to say it is heard."""
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for one in found:
        kept.setdefault((*_place(one), one.message), one)
    return list(kept.values())


def _place(one: Diagnostic) -> tuple[int, int, int, int]:
    return one.start_line, one.start_column, one.end_line, one.end_column


def _file(request: Check) -> Path | None:
    """The project's own file that is checked; a name without a file is only a name."""
    if not request.file.endswith((".py", ".pyi")):
        return None
    path = Path(request.directory or "/", request.file)
    return path if path.is_absolute() and path.is_file() else None


def _reason(error: BaseException) -> str:
    if isinstance(error, Unavailable):
        return str(error)
    if not isinstance(error, Exception):
        raise error
    # A tool of another version may answer in a shape we do not know: what the others found stays.
    return f"{type(error).__name__}: {error}"[:200]


def _note(text: str) -> Diagnostic:
    return Diagnostic(text, Severity.INFO, 1, 0, 1, 0)
