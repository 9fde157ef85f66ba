"""Syntax and undefined names, by ruff: one short process for each question."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.checking.document import as_notebook
from hearth.performers.interpreter.checking.tools import (
    Unavailable,
    environment,
    find,
)
from hearth.performers.interpreter.spawning import end, spawn

SYNTAX: Final = "invalid-syntax"
UNDEFINED: Final = "F821"
LARGEST_ANSWER: Final = 2 * 1024 * 1024

NOISE: Final = ("F401", "F403", "F405", "F811")
"""True of most cells and a fault in none: imports are used later, names are bound again."""

REFUSED: Final = frozenset({SYNTAX, UNDEFINED, "F404", "F621", "F622", "F701", "F702", "F704"})
FATAL: Final = REFUSED | {"F706", "F707"}
"""What Python refuses to compile, or what fails as soon as it is reached."""


class Question(NamedTuple):
    """What ruff is asked about."""

    code: str
    known: frozenset[str]
    """Names that exist without the code defining them."""
    file: Path | None = None
    """The project's file that the code is the content of: its own configuration is then used."""


async def findings(question: Question) -> tuple[Diagnostic, ...]:
    """What ruff finds. Raises `Unavailable` when it cannot be asked."""
    program = find("ruff")
    code, answer, complaint = await _run(program, question)
    if code not in {0, 1} and question.file is not None:
        # The project's configuration is broken or written for another ruff.
        question = question._replace(file=None)
        code, answer, complaint = await _run(program, question)
    if code not in {0, 1}:
        last = complaint.strip().splitlines()[-1:] or [f"it ended with {code}"]
        raise Unavailable(f"ruff did not answer: {last[0][:200]}")
    return tuple(_diagnostic(found) for found in json.loads(answer))


async def _run(program: str, question: Question) -> tuple[int, bytes, str]:
    known = json.dumps(sorted(question.known), ensure_ascii=False)
    arguments = ["check", "--no-cache", "--no-fix", "--output-format=json", "--quiet"]
    arguments += ["--config", f"builtins={known}"]
    if question.file is None:
        arguments += ["--isolated", "--select=F", f"--ignore={','.join(NOISE)}"]
        arguments += ["--stdin-filename=cell.ipynb"]
        sent = json.dumps(as_notebook(question.code))
    else:
        arguments += [f"--stdin-filename={question.file}"]
        sent = question.code
    try:
        process = await spawn(
            program,
            *arguments,
            "-",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd="/" if question.file is None else question.file.parent,
            env=environment(),
        )
    except OSError as error:
        raise Unavailable(f"ruff cannot be started: {error.strerror}") from error
    try:
        _, answer, complaint = await asyncio.gather(
            _feed(process, sent.encode()),
            _bounded(process, process.stdout),
            _bounded(process, process.stderr),
        )
    finally:
        await end(process)
    if len(answer) > LARGEST_ANSWER:
        raise Unavailable("ruff found more than can be told; check a smaller piece of code")
    return await process.wait(), answer, complaint.decode(errors="replace")


async def _feed(process: asyncio.subprocess.Process, sent: bytes) -> None:
    assert process.stdin is not None  # noqa: S101  it was asked for as a pipe
    # A ruff that ends early says why on stderr, and by its code. (RuntimeError: uvloop's word.)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, RuntimeError):
        process.stdin.write(sent)
        await process.stdin.drain()
    process.stdin.close()


async def _bounded(
    process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None
) -> bytes:
    """What it writes; when that is too much, an end is made and what is over is dropped."""
    assert stream is not None  # noqa: S101  it was asked for as a pipe
    answer = bytearray()
    while chunk := await stream.read(LARGEST_ANSWER):
        if len(answer) <= LARGEST_ANSWER:
            answer += chunk
        elif process.returncode is None:
            process.kill()
    return bytes(answer)


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    rule = found["code"] or SYNTAX
    start, end = found["location"], found["end_location"]
    return Diagnostic(
        message=found["message"],
        severity=Severity.ERROR if rule in FATAL else Severity.WARNING,
        start_line=start["row"],
        start_column=start["column"] - 1,
        end_line=end["row"],
        end_column=end["column"] - 1,
        rule=rule,
    )
