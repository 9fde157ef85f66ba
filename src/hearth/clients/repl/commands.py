"""The commands that begin with a colon: one table, read by the parser, the help and completion."""

from difflib import get_close_matches
from typing import Final, NamedTuple


class Verb(NamedTuple):
    """One command: its name, what it takes, and what it does."""

    name: str
    says: str
    takes: str = ""
    """`NAME` must be there, `[NAME]` may."""


VERBS: Final = (
    Verb("help", "show this list"),
    Verb("sessions", "list the sessions"),
    Verb("switch", "go on in another session: an id, a name, or the beginning of one", "NAME"),
    Verb("who", "who else is attached to this session"),
    Verb("vars", "the variables, or those that begin with something", "[PREFIX]"),
    Verb("check", "look for errors without running: this code, or the last cell", "[CODE]"),
    Verb("show", "all that a cell ran and showed", "CELL"),
    Verb("cancel", "stop the running cell, or the named one that waits", "[CELL]"),
    Verb("reset", "forget all variables"),
    Verb("hard-reset", "replace the interpreter, whatever it is doing"),
    Verb("replay", "run the recorded cells again, to have their names back"),
    Verb("rename", "give the session another name", "NAME"),
    Verb("stop", "end this session's interpreter; its record stays"),
    Verb("quit", "leave; the session goes on (also Ctrl-D)"),
)
_BY_NAME: Final = {verb.name: verb for verb in VERBS}
_ALSO: Final = {"q": "quit", "exit": "quit", "h": "help", "?": "help", "ls": "sessions"}


class Said(NamedTuple):
    """A command that was understood."""

    verb: str
    rest: str = ""


class NotUnderstood(NamedTuple):
    """One that was not: what is wrong, and what would be right."""

    what: str
    hint: str


def is_command(text: str) -> bool:
    """Whether this is meant for the REPL and not for the interpreter."""
    return text.lstrip().startswith(":")


def understood(text: str) -> Said | NotUnderstood:
    """The command in a typed line; any unique beginning of its name is enough."""
    name, _, rest = text.strip().removeprefix(":").partition(" ")
    rest = rest.strip()
    verb = _verb(name)
    if verb is None:
        near = get_close_matches(name, _BY_NAME, 1, 0.5)
        hint = f"did you mean :{near[0]}?" if near else ":help lists the commands"
        return NotUnderstood(f"there is no command :{name}", hint)
    usage = f":{verb.name} {verb.takes}".rstrip()
    if verb.takes.isupper() and not verb.takes.startswith("[") and not rest:
        return NotUnderstood(f":{verb.name} needs to know which", f"say {usage}")
    if not verb.takes and rest:
        return NotUnderstood(f":{verb.name} takes nothing", f"say {usage}")
    return Said(verb.name, rest)


def completed(before: str) -> list[tuple[str, str]]:
    """What the name that is being typed could become, with what each does."""
    typed = before.lstrip().removeprefix(":")
    return [(verb.name, verb.says) for verb in VERBS if verb.name.startswith(typed)]


def help_text() -> str:
    """The list of all commands."""
    lines = [f":{verb.name} {verb.takes}".rstrip().ljust(18) + f" {verb.says}" for verb in VERBS]
    keys = (
        "Enter runs what is complete; Esc then Enter always runs; Tab completes; Ctrl-R searches",
        "Ctrl-C stops your running cell, else clears the line; Ctrl-D leaves",
    )
    return "\n".join([*lines, "", *keys])


def _verb(name: str) -> Verb | None:
    if name in _ALSO:
        return _BY_NAME[_ALSO[name]]
    if name in _BY_NAME:
        return _BY_NAME[name]
    begun = [verb for verb in VERBS if name and verb.name.startswith(name)]
    return begun[0] if len(begun) == 1 else None
