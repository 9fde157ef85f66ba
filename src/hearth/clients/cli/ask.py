"""`hearth ask`: a message goes to the agent of a session, and its answer comes as it is written."""

from __future__ import annotations

import os
import select
import sys
import time

from hearth.clients.cli import conversation_list, conversations
from hearth.clients.cli.ask_output import ForPeople, ForPrograms, error_word
from hearth.clients.cli.asking import AskedTurn
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.reaching import reach_or_start
from hearth.clients.cli.showing import (
    CYAN,
    DIM,
    clean,
    emit,
    is_terminal,
    money,
    out,
    painted,
    tell,
)
from hearth.clients.cli.troubles import (
    FAILED,
    INTERRUPTED,
    OK,
    REFUSED,
    WAITING,
    Trouble,
    wrong_usage,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked

PATIENCE: Final = 1.0
"""Seconds after which a person is told that we read what is piped in, and nothing comes."""
ENDS: Final = {
    "refused": "the model would not answer",
    "limit": "it took as many steps as it may",
    "cut_off": "the answer became too long and is cut off",
    "failed": "the turn failed",
}
ANSWERS: Final = {"yes": "once", "no": "reject"}


def carry_out(asked: Asked) -> int:
    """Ask; the exit code."""
    try:
        return _carried_out(asked)
    except Trouble as trouble:
        if trouble.ending == REFUSED:
            trouble.ending = FAILED
        if asked.has("json"):
            raise
        tell(f"{error_word()} {clean(trouble.message)}")
        if trouble.hint:
            tell(f"{painted(CYAN, 'hint', sys.stderr)}: {clean(trouble.hint)}")
        return trouble.ending


def _carried_out(asked: Asked) -> int:
    conversations.check(asked)
    if asked.has("list"):
        with reach_or_start(asked) as wire:
            return conversation_list.show(wire, asked)
    answer = _answer_in(asked)
    piped = "" if answer else _piped_in(asked)
    if not answer:
        _command(asked, asked.words, piped)  # no daemon is started for what cannot be asked
    with reach_or_start(asked) as wire:
        chosen = conversations.choose(wire, asked, is_piped=bool(piped))
        with Presses() as presses:
            turn = AskedTurn(wire, chosen.session, chosen.cursor, presses)
            try:
                if answer:
                    return _answer(turn, answer, asked, chosen.words)
                return _ask(turn, _command(asked, chosen.words, piped), asked)
            finally:
                turn.close()


# -- what is asked -------------------------------------------------------------------------------


def _answer_in(asked: Asked) -> str:
    """What a person answers the agent; empty if they ask something."""
    said = asked.text("answer")
    if said is None:
        return ""
    if said not in ANSWERS:
        raise wrong_usage(f"--answer is {said!r}", "write: --answer yes, or no")
    return ANSWERS[said]


def _command(asked: Asked, words: list[str], piped: str) -> dict[str, Any]:
    """What is sent: the words, and what is piped in behind them. Trouble if that is nothing."""
    text = "\n\n".join(part for part in (_typed(words), piped) if part.strip())
    if not text.strip():
        raise wrong_usage("there is nothing to ask", "write: hearth ask 'what is in this folder?'")
    if not _is_text(text):
        raise wrong_usage("the prompt is no UTF-8", "convert it first")
    command: dict[str, Any] = {"type": "send_message", "text": text}
    if asked.has("model"):
        command["model"] = asked.text("model")
    return command


def _is_text(text: str) -> bool:
    """Whether it can be written down: a command line may have bytes that are no characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _typed(words: list[str]) -> str:
    return " ".join(words if words != ["-"] else [])


def _piped_in(asked: Asked) -> str:
    """What is piped in; empty if nothing but white space is."""
    if sys.stdin is None or is_terminal(sys.stdin):
        return ""
    piped = _piped(is_wanted=not _typed(asked.words)).strip("\n")
    return piped if piped.strip() else ""


def _piped(*, is_wanted: bool) -> str:
    try:
        line = sys.stdin.fileno()
    except (OSError, ValueError):
        line = -1  # it has no descriptor: what it has is there at once
    if line >= 0 and not is_wanted and not select.select([line], [], [], PATIENCE)[0]:
        tell("note: reading stdin to its end; `< /dev/null` says that nothing is piped in")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise wrong_usage(
            f"what is piped in is no UTF-8 (byte {error.start})", "convert it first"
        ) from None
    except OSError as error:
        raise wrong_usage(
            f"what is piped in cannot be read: {error.strerror or error}", "pipe in a text"
        ) from None


# -- what becomes of it --------------------------------------------------------------------------


def _ask(turn: AskedTurn, command: dict[str, Any], asked: Asked) -> int:
    began = time.monotonic()
    _shown_by(turn, asked)
    try:
        if asked.has("fork"):
            turn.follow_until_branched()
        turn.submit(command)
        if asked.has("no-wait"):
            turn.follow_until_known()
            return _left(turn, asked)
        turn.follow()
    except BrokenPipeError:
        turn.stop()  # nobody reads the answer: a program of their own would end as well
        raise
    finally:
        turn.show.close()
    return _ending(turn, asked, time.monotonic() - began)


def _answer(turn: AskedTurn, answer: str, asked: Asked, words: list[str]) -> int:
    """Answer what the agent waits for, and follow the turn from there."""
    # Only who answers pays for it.
    from hearth.clients.agents.asked_for import AskedFor  # noqa: PLC0415 - as the comment says
    from hearth.clients.agents.deciding import Decision  # noqa: PLC0415 - as above

    began = time.monotonic()
    now = turn.seen("conversation").get("now") or {}
    waiting = now.get("approvals") or []
    if not waiting:
        raise Trouble(
            f"the agent of {turn.session} waits for no answer", code="not_now", ending=FAILED
        )
    if len(waiting) > 1 and answer != "reject":
        names = ", ".join(str(one.get("approval")) for one in waiting)
        raise wrong_usage(
            f"the agent of {turn.session} waits for several answers: {names}",
            "`hearth approvals` shows them, `hearth approve WHICH` answers one",
        )
    _shown_by(turn, asked)
    turn.join(str(now.get("turn", "")), waiting)
    turn.answer(Decision(AskedFor(waiting[0]), answer, " ".join(words)))
    try:
        turn.follow()
    finally:
        turn.show.close()
    return _ending(turn, asked, time.monotonic() - began)


def _shown_by(turn: AskedTurn, asked: Asked) -> None:
    if asked.has("json") or asked.has("no-wait"):
        turn.show = ForPrograms(is_silent=asked.has("no-wait"))
        return
    here = os.getcwd()  # noqa: PTH109 - pathlib takes too long to import
    turn.show = ForPeople(turn.fetch, turn.key, root=here, is_whole=asked.has("full"))
    if is_terminal(sys.stderr):
        # Only who looks at a terminal can be asked.
        from hearth.clients.cli.approving import is_anyone_there  # noqa: PLC0415 - as above

        turn.can_approve = is_anyone_there()


def _left(turn: AskedTurn, asked: Asked) -> int:
    """What was sent goes on without us."""
    if asked.has("json"):
        emit({"session": turn.session, "turn": turn.turn or None, "message": turn.message or None})
    else:
        out(turn.turn or turn.message)
        how = "the agent works on it" if turn.turn else "the agent hears it next"
        tell(f"{how} in {turn.session}; `hearth events --follow` shows what it does")
    return OK


def _ending(turn: AskedTurn, asked: Asked, seconds: float) -> int:
    ending = turn.ending
    if ending is None:
        _tell_waiting(turn)
        return WAITING
    end, why = str(ending.get("end")), clean(str(ending.get("why") or ""))
    if end == "done":
        _tell_usage(turn, ending, seconds, asked)
        return OK
    if end == "cancelled":
        if not asked.has("json"):
            tell("stopped" if turn.is_stopped else why or "it was stopped")
        return INTERRUPTED
    if not asked.has("json") and end != "failed":
        # Of a failure an error block has told already.
        tell(f"{error_word()} {ENDS.get(end, end)}{f': {why}' if why else ''}")
    _tell_usage(turn, ending, seconds, asked)
    return FAILED


def _tell_waiting(turn: AskedTurn) -> None:
    """What the agent waits for, and how it is answered."""
    # Only who waits pays for it.
    from hearth.clients.agents.visible import one_line  # noqa: PLC0415 - as the comment says

    for name, waits in turn.waits_for.items():
        why = one_line(str(waits.get("why", "")))
        tell(f"the agent waits for a person: {turn.session}/{name}: {why}")
    which = f"{turn.session}/{next(iter(turn.waits_for), '')}"
    tell(f"`hearth approve {which}` lets it, `hearth reject {which}` does not")
    tell("`hearth approvals` shows all of what it asks for")


def _tell_usage(turn: AskedTurn, ending: dict[str, Any], seconds: float, asked: Asked) -> None:
    """What it took, for a person who looks."""
    if asked.has("json") or not is_terminal(sys.stderr):
        return
    tell(painted(DIM, usage_line(ending.get("usage") or {}, _cost(turn), seconds), sys.stderr))


def _cost(turn: AskedTurn) -> float | None:
    """What the turn cost, where prices are known."""
    try:
        rows = turn.seen("usage").get("turns") or ()
    except Trouble:
        return None  # the answer is there; what it cost is not worth an error
    for row in rows:
        cost = (row.get("sums") or {}).get("cost")
        if row.get("turn") == turn.turn and cost is not None:
            return float(cost)
    return None


def usage_line(usage: dict[str, Any], cost: float | None, seconds: float) -> str:
    """`1,234 tokens in (87 % from the cache), 56 out · $0.0123 · 3.4 s`."""
    read = int(usage.get("cache_read", 0))
    sent = int(usage.get("fresh", 0)) + read + int(usage.get("cache_write", 0))
    share = f" ({read * 100 // sent} % from the cache)" if sent and read else ""
    parts = [f"{sent:,} tokens in{share}, {int(usage.get('output', 0)):,} out"]
    if cost is not None:
        parts.append(money(cost))
    return " · ".join([*parts, f"{seconds:.1f} s"])
