"""How offline verbs answer: lines for people, or one JSON object; trouble always with a hint."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class Trouble(Exception):
    """It was not done. `message` says why, `hint` what would help."""

    def __init__(self, code: str, message: str, hint: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for."""

    lines: tuple[str, ...]
    """For people."""
    value: Mapping[str, Any]
    """For programs."""
    exit_code: int = 0


def answered(words: Sequence[str], work: Callable[[list[str]], Answer]) -> int:
    """Do the work of these words (without `--json`), and print how it went; the exit code."""
    rest = [word for word in words if word != "--json"]
    is_json = len(rest) < len(words)
    try:
        answer = work(rest)
    except Trouble as trouble:
        _tell(trouble, is_json=is_json)
        return trouble.exit_code
    if is_json:
        _write(json.dumps(answer.value, default=str))
    else:
        for line in answer.lines:
            _write(line)
    return answer.exit_code


def _tell(trouble: Trouble, *, is_json: bool) -> None:
    if is_json:
        error = {"code": trouble.code, "message": trouble.message, "hint": trouble.hint}
        _write(json.dumps({"error": error}))
        return
    sys.stderr.write(f"error: {_shown(trouble.message)}\n")
    if trouble.hint:
        sys.stderr.write(f"hint: {_shown(trouble.hint)}\n")


def _write(line: str) -> None:
    sys.stdout.write(f"{_shown(line)}\n")


def _shown(text: str) -> str:
    """Without what a terminal would obey, and without what cannot be encoded: names may hold it."""
    return "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in text)
