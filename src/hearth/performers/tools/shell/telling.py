"""How a command, or a job, reads as the result of a call."""

import signal
from typing import Final

from hearth.performers.tools.shell.running import Running
from hearth.performers.tools.tool import Outcome

NOTHING: Final = "(no output)"
_LONGEST: Final = 200


def finished(running: Running, longest: float) -> Outcome:
    """What a command wrote and how it ended.

    A command that says no by its exit code has run as it should: that is no error. One that never
    ran, or did not end, is.
    """
    ended = running.ended
    if ended is not None and ended.problem and not running.output.total:
        text = _sentences(f"It could not be run: {ended.problem}.", running.afterword)
        return Outcome(text, is_error=True)
    excerpt, _ = running.output.since(0)
    text = excerpt.text(running.output.where).rstrip("\n") or NOTHING
    is_error = running.timed_out_after is not None or running.was_stopped
    facts = _sentences(how_it_ended(running, longest), _left_out(running), running.afterword)
    return Outcome(f"{text}\n\n{facts}", is_error or bool(ended and ended.problem))


def news(job: str, running: Running) -> str:
    """What a job wrote since it was asked the last time, and how it stands."""
    excerpt = running.new_output()
    text = excerpt.text(running.output.where).rstrip("\n")
    if running.ended is None:
        facts = _sentences(f"Job {job} runs.", _left_out(running))
        return f"{text or '(no new output)'}\n\n{facts}"
    facts = _sentences(
        f"Job {job} has ended.",
        how_it_ended(running, 0),
        _left_out(running),
        running.afterword,
    )
    return f"{text or '(no new output)'}\n\n{facts}"


def line_of(job: str, running: Running) -> str:
    """One job in a list."""
    state = "runs" if running.ended is None else how_it_ended(running, 0).rstrip(".")
    return f"{job}: {state}: {shortly(running.command)}"


def shortly(command: str) -> str:
    """A command in one line."""
    line = " ".join(command.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def how_it_ended(running: Running, longest: float) -> str:
    """In words; `longest` is how long it may be given at most, for a hint."""
    ended = running.ended
    if ended is None:
        return "It runs."
    said = _end(ended.code, ended.signal, ended.problem)
    if running.timed_out_after is not None:
        hint = (
            f" If it needs longer, give it a timeout of up to {longest:g} s, or run it with "
            "background: true."
            if longest
            else ""
        )
        said = (
            f"Timed out after {running.timed_out_after:g} s and was ended ({said.rstrip('.')}). "
            f"What it did until then is not undone.{hint}"
        )
    elif running.was_stopped:
        said = f"It was stopped ({said.rstrip('.')}). What it did until then is not undone."
    if ended.left:
        what = "process" if ended.left == 1 else "processes"
        said += f" {ended.left} {what} that it left running were ended; background: true keeps one."
    return said


def _end(code: int | None, number: int | None, problem: str) -> str:
    if code is not None:
        return f"Exit code {code}."
    if number is not None:
        return f"Ended by {_name(number)}."
    return f"How it ended is not known: {problem}."


def _name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"


def _left_out(running: Running) -> str:
    where = running.output.where
    return f"It wrote {running.output.total} bytes: {where}." if where else ""


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
