"""Whether what is typed can be run already, and how the next line begins."""

import ast
import codeop
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

INDENT: Final = "    "

_COMPILER: Final = codeop.CommandCompiler()
# Cells may await at the top: the interpreter has an event loop.
_COMPILER.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_LEAVES: Final = re.compile(r"\s*(?:return|pass|raise|break|continue)\b")
_GOES_ON: Final = re.compile(r"(?:else|elif|except|finally|case)\b")
_MAGIC: Final = re.compile(r"\s*(?:[%!?]|.*\?\s*$)")
_OPENERS: Final = "([{"


class Verdict(StrEnum):
    """What Enter should do."""

    RUN = "run"
    MORE = "more"


def verdict(code: str, *, python: bool = True) -> Verdict:
    """Run what is complete or broken beyond repair; ask for more where more could follow."""
    if not python:
        return Verdict.MORE if code.endswith("\\") else Verdict.RUN
    lines = code.split("\n")
    if not code.strip():
        return Verdict.RUN
    if lines[0].lstrip().startswith("%%"):
        return Verdict.RUN if len(lines) > 1 and not lines[-1].strip() else Verdict.MORE
    if len(lines) == 1 and _MAGIC.fullmatch(code.rstrip()) is not None:
        return Verdict.RUN
    plain = _without_magics(lines)
    if _compiles(plain) is None:
        return Verdict.MORE
    # A block goes on until an empty line says that it does not.
    is_open = len(lines) > 1 and lines[-1][:1] in {" ", "\t"} and bool(lines[-1].strip())
    return Verdict.MORE if is_open and _ends_in_block(plain) else Verdict.RUN


def next_indent(before: str, *, python: bool = True) -> str:
    """What stands at the beginning of the line that comes after this text."""
    line = before.rsplit("\n", 1)[-1]
    own = line[: len(line) - len(line.lstrip())]
    bare = _without_comment(line).rstrip()
    if not python or not bare:
        return own
    if bare.endswith(":") or bare[-1] in _OPENERS:
        return own + INDENT
    if _LEAVES.match(bare):
        return own.removesuffix(INDENT)
    return own


def statements(
    lines: Iterator[str],
    *,
    python: bool = True,
    apart: Callable[[str], str | None] = lambda _: None,
) -> Iterator[str]:
    """The statements of a text that comes line by line, each as soon as it is known to be over.

    A block is over at an empty line, at the end, or where the next line is neither indented nor
    a part of it (`else`, `except` …). `apart` tells of a line between two statements what else it
    is, and may take more lines for it.
    """
    held: list[str] = []
    for line in lines:
        begins_anew = bool(line.strip()) and line[0] not in " \t)]}" and not _GOES_ON.match(line)
        if held and begins_anew and _stands(held):
            yield "\n".join(held)
            held = []
        if not held and not line.strip():
            continue
        if not held and (other := apart(line)) is not None:
            yield other
            continue
        held.append(line)
        if not python or _is_over(held):
            yield "\n".join(held).rstrip()
            held = []
    if held:
        yield "\n".join(held).rstrip()


def _is_over(held: list[str]) -> bool:
    code = "\n".join(held)
    if verdict(code) is Verdict.MORE:
        return False
    # One line that opens no block, or whatever an empty line ends.
    return not held[-1].strip() or not _ends_in_block(code)


def _stands(held: list[str]) -> bool:
    """Whether what is held could be run without what comes next."""
    return not held[0].lstrip().startswith("%%") and _compiles("\n".join(held) + "\n") is not None


def _compiles(code: str) -> bool | None:
    """True or False for good or broken code, None for code that is not over."""
    try:
        return True if _COMPILER(code, "<cell>", "exec") is not None else None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False


def _ends_in_block(code: str) -> bool:
    """Whether the last statement could go on with another line or another clause."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(body) and isinstance(getattr(body[-1], "body", None), list)


def _without_magics(lines: list[str]) -> str:
    """Python that is as complete as this is: lines for the shell or for IPython are no Python."""
    kept = [re.sub(r"^(\s*)[%!].*$", r"\1pass", line) for line in lines]
    return "\n".join(kept) + ("\n" if not lines[-1].strip() else "")


def _without_comment(line: str) -> str:
    """The line up to its comment, as far as one line can tell."""
    quote = ""
    for place, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#":
            return line[:place]
    return line
