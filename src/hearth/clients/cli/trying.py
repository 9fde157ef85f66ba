"""`hearth try` and `hearth keep`: variants side by side, and one that becomes the session."""

from __future__ import annotations

import os
import sys

from hearth.clients.agents.variant_columns import side_by_side
from hearth.clients.agents.variant_text import is_ok, tried
from hearth.clients.cli.commanding import helped, outcome, session_named
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import clean, columns, emit, out, tell
from hearth.clients.cli.styled import styled
from hearth.clients.cli.trial import RunningTrial
from hearth.clients.cli.troubles import FAILED, INTERRUPTED, OK, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

MOST: Final = 16
"""Variants that are tried at once."""
USAGE: Final = "write: hearth try -e 'f(1)' -e 'f(2)', or name files"


def carry_out(asked: Asked) -> int:
    """Try them, or keep one; the exit code."""
    return _keep(asked) if asked.verb.name == "keep" else _try(asked)


def _try(asked: Asked) -> int:
    named, files = _parted(asked)
    variants = [*asked.texts("variant"), *(_read(one) for one in files)]
    if not variants:
        no_file = f": there is no file {named}" if named else ""
        raise wrong_usage(f"there is nothing to try{no_file}", USAGE)
    if len(variants) > MOST:
        raise wrong_usage(f"{MOST} variants at most are tried at once", "try fewer")
    command: dict[str, Any] = {"type": "try_variants", "variants": variants}
    limit = asked.seconds("timeout")
    if limit is not None:
        command["time_limit"] = limit
    with reach() as wire, Presses() as presses:
        session = _session(wire, asked, named)
        trial = RunningTrial(wire, session, presses)
        try:
            try:
                trial.submit(command)
            except Trouble as trouble:
                raise helped(trouble) from None
            trial.follow()
        finally:
            trial.close()
    ending = _shown(asked, trial, variants)
    return INTERRUPTED if trial.is_stopped else ending


def _session(wire: Wire, asked: Asked, named: str) -> str:
    """The session that is meant. Trouble, which says what else a first word may be."""
    try:
        return session_named(wire, asked, named)
    except Trouble as trouble:
        if named:
            trouble.hint = f"{trouble.hint}; no file is called so either".removeprefix("; ")
        raise


def _parted(asked: Asked) -> tuple[str, list[str]]:
    """The session and the files: a first word that is no file is the session."""
    words = asked.words
    is_named = asked.has("session") or asked.has("proj")
    if words and not is_named and not os.path.exists(words[0]):  # noqa: PTH110 - pathlib takes too long to import
        return words[0], words[1:]
    return "", words


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123 - pathlib takes too long to import
            return file.read()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise wrong_usage(f"{path} cannot be read: {why}", "name a file with code") from None


def _shown(asked: Asked, trial: RunningTrial, variants: list[str]) -> int:
    ending = trial.ending or {}
    results = list(ending.get("results") or ())
    problem = str(ending.get("problem") or "")
    good = any(is_ok(one) for one in results)
    if asked.has("json"):
        told = {"session": trial.session, "cell": trial.cell, "ok": good, "problem": problem}
        emit({**told, "results": results})
        return OK if good else FAILED
    if problem:
        raise Trouble(
            f"nothing was tried: {clean(problem)}",
            hint="`hearth fork --how replay` makes a session of its own to try in",
            code="not_tried",
        )
    if asked.has("full"):
        lines = tried(results, variants, is_whole=True)
    else:
        lines = side_by_side(results, variants, columns(sys.stdout))
    for line in styled(lines, indent=""):
        out(line)
    tell("`hearth keep N` makes one the session, `hearth keep 0` none")
    return OK if good else FAILED


def _keep(asked: Asked) -> int:
    *named, which = asked.words
    number = "0" if which == "none" else which
    if not (number.isascii() and number.isdecimal() and len(number) < 9 and int(number) <= MOST):
        raise wrong_usage(f"{which} is no variant", "write its number, or 0 for none of them")
    with reach() as wire:
        session = session_named(wire, asked, named[0] if named else "")
        event = outcome(wire, session, {"type": "keep_variant", "variant": int(number)})
    if event.get("type") != ("session_ready" if int(number) else "variants_dropped"):
        why = clean(str(event.get("reason") or ""))
        raise Trouble(
            f"variant {number} could not take the session's place{why and f': {why}'}",
            hint="`hearth status` shows how it stands",
            code="not_kept",
        )
    if asked.has("json"):
        emit({"session": session, "kept": int(number)})
    elif int(number):
        out(f"variant {number} is the session now")
    else:
        out("no variant was kept: the session is as it was")
    return OK
