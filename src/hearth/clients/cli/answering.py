"""`hearth approve` and `hearth reject`: a person answers what an agent waits for."""

from __future__ import annotations

import sys

from hearth.clients.agents.approval_text import ALL, stored
from hearth.clients.agents.deciding import CONFIRMED, NOT_STORED, Deciding, Decision
from hearth.clients.cli.approvals import NOTHING, show_one
from hearth.clients.cli.approving import typed_to
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.pending import ANSWERS, HINT, Pending, answered, is_which, meant, pending
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, is_terminal, out, tell
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import FAILED, OK, REFUSED, WAITING, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

PATIENCE: Final = 30.0
LATER: Final = "left for later"
FULL: Final = "`hearth approvals --full` shows all"


def carry_out(asked: Asked) -> int:
    """Answer it; the exit code."""
    answer = _answer_in(asked)
    which, text = _split(asked.words)
    with reach() as wire:
        one = meant(wire, pending(wire, asked.text("session")), which)
        if answer in {"session", "always"} and not one.asked.offers:
            raise wrong_usage(f"{one.which} can only be allowed once", "leave the flag out")
        _check_patterns(one, asked, answer)
        if not _is_meant(one, asked, answer, is_named=bool(which)):
            return FAILED
        decision = Decision(one.asked, answer, text)
        _send(wire, one, decision)
        if asked.has("json"):
            emit(
                {
                    "session": one.session,
                    "approval": decision.approval,
                    "answer": answer,
                    "patterns": decision.patterns,
                }
            )
        else:
            out(_done(one, decision))
    return OK


def walk(wire: Wire, rows: list[Pending], *, is_whole: bool = False) -> int:
    """Put one after the other to the person, who may leave some for later; the exit code."""
    if not rows:
        out(NOTHING)
        return OK
    if not is_terminal(sys.stdin) or not is_terminal(sys.stderr):
        raise wrong_usage("--answer-all asks on a terminal", "without one: `hearth approve WHICH`")
    left = 0
    for place, row in enumerate(rows):
        if place:
            out("")
        show_one(row, how=ALL, is_whole=is_whole)
        decision = _decided(row)
        if decision is None:
            tell(LATER)
            left += 1
            continue
        try:
            _send(wire, row, decision)
            out(_done(row, decision))
        except Trouble as trouble:
            if trouble.ending != REFUSED:
                raise
            tell(trouble.message)  # somebody else was quicker, or said no to all of it
    return WAITING if left else OK


def _decided(row: Pending) -> Decision | None:
    """What the person types; None if they would rather decide later."""
    deciding = Deciding(row.asked)
    while True:
        is_first = deciding.prompt.startswith(row.asked.approval)
        hint = "Enter for later. " if is_first else ""
        typed = typed_to(f"{hint}{deciding.prompt}")
        if not typed or (is_first and not typed.strip()):
            return None
        found = deciding.hear(typed)
        if isinstance(found, Decision):
            return found
        for line in styled(found, sys.stderr):
            tell(line)


# -- what is asked -------------------------------------------------------------------------------


def _answer_in(asked: Asked) -> str:
    if asked.verb.name == "reject":
        return "reject"
    ways = [one for one in ("once", "for-session", "always") if asked.has(one)]
    if len(ways) > 1:
        raise wrong_usage(f"--{ways[0]} and --{ways[1]} say two things", "choose one of them")
    return {"for-session": "session", "always": "always"}.get(ways[0] if ways else "", "once")


def _split(words: list[str]) -> tuple[str, str]:
    """Which one is named, and what the agent is told."""
    if words and is_which(words[0]):
        return words[0], " ".join(words[1:])
    return "", " ".join(words)


def _check_patterns(one: Pending, asked: Asked, answer: str) -> None:
    """Whether the patterns, if they are given, are those that would be allowed. Trouble."""
    given = asked.texts("pattern")
    if not given:
        return
    if answer not in {"session", "always"}:
        raise wrong_usage(
            "--pattern says what is allowed for longer than once",
            "write --for-session or --always with it",
        )
    if sorted(given) != sorted(one.asked.patterns):
        raise wrong_usage(
            "these are not the patterns that would be allowed", f"word for word: {_flags(one)}"
        )


def _flags(one: Pending) -> str:
    return " ".join(f"--pattern {_quoted(pattern)}" for pattern in one.asked.patterns)


def _quoted(text: str) -> str:
    """The text as one word of a shell."""
    inner = text.replace("'", "'\\''")
    return f"'{inner}'"


def _is_meant(one: Pending, asked: Asked, answer: str, *, is_named: bool) -> bool:
    """Whether the person means just this, as far as they were not clear enough. Trouble."""
    is_there = is_terminal(sys.stdin) and is_terminal(sys.stderr)
    if answer == "always" and not asked.texts("pattern"):
        if not is_there:
            raise wrong_usage(
                "what is allowed for always must be said word for word",
                f"write: hearth approve {one.which} --always {_flags(one)}",
            )
        if not is_named:
            show_one(one, how=FULL)
        tell(f"for always, in every session of {one.root or one.session}:")
        for line in stored(one.asked):
            tell(f"  {line}")
        return _types("Type yes to store it: ", {CONFIRMED}, NOT_STORED)
    if is_named or not is_there or asked.has("json") or answer == "reject":
        return True
    # It may be another one by now than the one that was seen last.
    show_one(one, how=FULL)
    said = "for this session" if answer == "session" else "once"
    return _types(f"Allow it {said}? [y/N] ", {"y", "yes"}, "nothing is answered")


def _types(question: str, wanted: set[str], otherwise: str) -> bool:
    if typed_to(question).strip().lower() in wanted:
        return True
    tell(otherwise)
    return False


# -- what becomes of it --------------------------------------------------------------------------


def _send(wire: Wire, one: Pending, decision: Decision) -> None:
    """Have it answered. Trouble, also if somebody else was quicker."""
    path = f"/sessions/{quoted(one.session)}/commands"
    command = decision.command()
    answer = wire.ask(Request("POST", path, command, wait=PATIENCE, key=fresh_key()))
    if answer.status < 400:
        return
    trouble = answer.trouble()
    if trouble.code == "not_now":
        said = answered(wire, one.session, decision.approval)
        if said:
            raise Trouble(said, hint=HINT, code="not_waiting", ending=REFUSED)
    raise trouble


def _done(one: Pending, decision: Decision) -> str:
    said = ANSWERS[decision.answer]
    if decision.answer == "reject":
        return f"{one.which} {said}, and whatever else that session asked for at this moment"
    longer = f": {'; '.join(stored(one.asked))}" if decision.patterns else ""
    return f"{one.which} {said}{longer}"
