"""The commands that begin with a dot: one table, read by the parser, the help and completion.

A colon does as well as a dot. Neither can begin a line of Python as commands do: `.5` and `...` are
code.
"""

import re
from difflib import get_close_matches
from typing import Final, NamedTuple

SERVERS: Final = "enabled_mcp_servers"
"""What `.set` calls the MCP servers of a session."""
ALL: Final = "all"
NONE: Final = "none"
WHOSE: Final = ("on", "agents", "off")
"""Whose cells can be taken back, as `.undo` is told."""
WAYS: Final = ("--copy", "--replay", "--new")
"""What the interpreter of a branch is made of."""
SCOPES: Final = ("conversation", "interpreter", "files", ALL, "only-files")
"""What `.rewind` takes back: the conversation alone, with one of them, with both; or not it."""
_SIGN: Final = re.compile(r"\s*(?::|\.(?![.\d]))")


class Verb(NamedTuple):
    """One command: its name, what it takes, and what it does."""

    name: str
    says: str
    takes: str = ""
    """`NAME` must be there, `[NAME]` may."""


VERBS: Final = (
    Verb("help", "show this list"),
    Verb("info", "this session, its agent's model, how much of it is used, and what it cost"),
    Verb("model", "the agent's model, or another one from the next step on", "[NAME]"),
    Verb("set", "how the agent works: model, effort, enabled_mcp_servers", "[KEY VALUE]"),
    Verb("conversation", "what was said to the agent and by it, the newest last", "[N]"),
    Verb("continue", "let the agent go on where its last answer ended"),
    Verb(
        "regenerate", "have the latest message answered anew, by another model if named", "[MODEL]"
    ),
    Verb("compress", "let a summary stand for what was said long ago", "[FOCUS]"),
    Verb("cancel", "stop the agent's turn, else the running cell; or what is named", "[WHAT]"),
    Verb("queue", "the messages that wait for the agent"),
    Verb("unqueue", "take back a message that waits", "MESSAGE"),
    Verb("approvals", "what agents wait for people to allow, here and elsewhere"),
    Verb("approve", "let the agent: a3, a3 session, a3 always, and what it is told", "[WHICH]"),
    Verb("reject", "do not let it, and tell it why: a3 TEXT", "[WHICH]"),
    Verb("permissions", "what is allowed in this session, and what was decided"),
    Verb("tasks", "what the agent has set out to do"),
    Verb(
        "rewind",
        "go back to when a block was said, after a look at what that changes",
        "[BLOCK WHAT]",
    ),
    Verb("branches", "the branches of the conversation"),
    Verb("edit", "have a message say something else, as a branch of its own", "BLOCK TEXT"),
    Verb("fork", "go on in a session of its own, from a block or from here", "[BLOCK]"),
    Verb("branch", "go on in a live copy of this session; --replay [b17], --new", "[NAME]"),
    Verb("tree", "this session, where it came from, and what branched off"),
    Verb("compare", "the variables that are others in another session", "SESSION"),
    Verb("usage", "the tokens of this conversation, by turn, and what they cost"),
    Verb("sessions", "list the sessions"),
    Verb("session", "go on in another session; `new` begins one here, with a name", "[NAME]"),
    Verb("switch", "go on in another session, or from another block of this one", "WHERE"),
    Verb("who", "who else is attached to this session"),
    Verb("vars", "the variables, or those that begin with something", "[PREFIX]"),
    Verb("check", "look for errors without running: this code, or the last cell", "[CODE]"),
    Verb("show", "all of a cell or of a block of the conversation", "WHAT"),
    Verb("undo", "take back the last cell, N of them, c7 and all since; on|agents|off", "[WHAT]"),
    Verb("redo", "bring back what was taken back; nothing is run again"),
    Verb("try", "run variants, each in a copy: A --- B, or on lines of their own", "[CODE]"),
    Verb("keep", "let a variant that was tried be the session; 0: none", "NUMBER"),
    Verb("reset", "forget all variables"),
    Verb("hard-reset", "replace the interpreter, whatever it is doing"),
    Verb("replay", "run the recorded cells again, to have their names back"),
    Verb("rename", "give the session another name", "NAME"),
    Verb("stop", "end this session's interpreter; its record stays"),
    Verb("quit", "leave; the session goes on (also Ctrl-D)"),
)
_BY_NAME: Final = {verb.name: verb for verb in VERBS}
_ALSO: Final = {"q": "quit", "exit": "quit", "h": "help", "?": "help", "ls": "sessions"}
_SPELT: Final = {**_BY_NAME, **{also: _BY_NAME[name] for also, name in _ALSO.items()}}
_LATER: Final = {
    "role": "instructions are read from AGENTS.md, and .model chooses who answers",
    "agent": "the session's own agent is there: a line that begins with > speaks to it",
    "rag": "files can be named in a message, and the agent reads what it can reach",
}
"""What other programs of this kind have, and what there is here instead until then."""


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
    return _SIGN.match(text) is not None


def understood(text: str) -> Said | NotUnderstood:
    """The command in a typed line; any beginning that only it has is enough."""
    name, rest = _parted(_SIGN.sub("", text, count=1).strip())
    if name in _LATER or (name == "exit" and rest in _LATER):
        later = rest if name == "exit" else name
        return NotUnderstood(f".{later} is not there yet", _LATER[later])
    meant = _meant(name)
    if not meant:
        near = get_close_matches(name, _BY_NAME, 1, 0.6)
        hint = f"did you mean .{near[0]}?" if near else ".help lists the commands"
        return NotUnderstood(f"there is no command .{name}", hint)
    if len(set(meant.values())) > 1:
        *most, last = (f".{one}" for one in meant)
        return NotUnderstood(f".{name} could be several", f"say {', '.join(most)} or {last}")
    verb = next(iter(meant.values()))
    usage = f".{verb.name} {verb.takes}".rstrip()
    needed = 0 if verb.takes.startswith("[") else len(verb.takes.split())
    if len(rest.split(maxsplit=1)) < needed:
        lacks = "needs to know which" if needed == 1 else "needs to know more"
        return NotUnderstood(f".{verb.name} {lacks}", f"say {usage}")
    if not verb.takes and rest:
        return NotUnderstood(f".{verb.name} takes nothing", f"say {usage}")
    return Said(verb.name, rest)


def completed(before: str) -> list[tuple[str, str]]:
    """What the name that is being typed could become, with what each does."""
    typed = _SIGN.sub("", before, count=1)
    return [(verb.name, verb.says) for verb in VERBS if verb.name.startswith(typed)]


def help_text() -> str:
    """The list of all commands."""
    lines = [f".{verb.name} {verb.takes}".rstrip().ljust(20) + f" {verb.says}" for verb in VERBS]
    keys = (
        "> speaks to the agent; a line with nothing but > begins a message of several lines",
        "Ctrl-T speaks to the agent until it is pressed again",
        "Enter runs what is complete; Esc then Enter always runs; Tab completes; Ctrl-R searches",
        "Ctrl-C stops your running cell, on an empty line the agent, else clears the line",
        "Ctrl-D leaves",
    )
    return "\n".join([*lines, "", *keys])


def _parted(said: str) -> tuple[str, str]:
    """The name of a command, and what stands behind it; lines keep their indentation."""
    name = said.split(maxsplit=1)[0] if said else ""
    behind = said[len(name) :]
    rest = behind.lstrip()
    between = behind[: len(behind) - len(rest)]
    return name, between.rpartition("\n")[2] + rest if "\n" in between else rest


def _meant(name: str) -> dict[str, Verb]:
    """The commands that a name, or the beginning of one, may stand for, by their whole names."""
    if name in _SPELT:
        return {name: _SPELT[name]}
    return {whole: verb for whole, verb in _SPELT.items() if name and whole.startswith(name)}
