"""Commands that would decide in a person's place, or end the daemon: never an agent's."""

import os
import re
import sys
from typing import Final

from hearth.performers.judging.shell.proving import Argument

_OWN: Final = re.compile(r"(?:.*/)?hearth\Z")
_HARMLESS: Final = frozenset({"status", "doctor", "--version", "--help", "-h"})
_KILLERS: Final = frozenset({"kill", "pkill", "killall", "skill", "fuser"})


def forbidden(name: str, arguments: tuple[Argument, ...]) -> str:
    """Why a command must not be run by an agent at all; "" if there is no such reason."""
    texts = [argument.text or "" for argument in arguments]
    if _is_own(name, texts):
        return "hearth's own command is for people: ask the person to use it"
    if name in _KILLERS and _hits_daemon(name, texts):
        return "it would end the daemon in which this runs"
    return ""


def _is_own(name: str, texts: list[str]) -> bool:
    if _OWN.match(name):
        return not texts or texts[0] not in _HARMLESS
    if re.match(r"(?:.*/)?python[0-9.]*\Z", name) and texts[:2] == ["-m", "hearth"]:
        return len(texts) < 3 or texts[2] not in _HARMLESS
    return texts[:2] == ["run", "hearth"] and name in {"uv", "poetry", "pdm", "hatch"}


def _hits_daemon(name: str, texts: list[str]) -> bool:
    if name in {"kill", "skill"}:
        own = {os.getpid(), os.getppid()} - {0, 1}
        targets = {text.lstrip("-") for text in texts}
        return bool(targets & set(map(str, own))) or _hits_everybody(texts)
    return any("hearth" in text or _is_own_name(text) for text in texts)


def _is_own_name(text: str) -> bool:
    """Whether the process in which this runs is called so."""
    if text.startswith("-") or not text:
        return False
    return text == os.path.basename(sys.executable) or any(text in one for one in sys.orig_argv[:3])  # noqa: PTH119 - text


def _hits_everybody(texts: list[str]) -> bool:
    """`-1` as a process is all of them; as the first word it is a signal."""
    return "-1" in texts[1:]
