"""The verbs by which people speak with agents, answer them and look at what they did."""

from __future__ import annotations

from hearth.clients.cli.flags import BARE, JSON, NO_START, PROJ, SESSION, TRUST
from hearth.clients.cli.verb import Flag, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

_FULL: Final = Flag("full", "fold nothing, however long it is")
_YES: Final = Flag("yes", "do not ask", short="y")

AGENT_VERBS: Final = (
    Verb(
        "ask",
        "say something to the agent of a session and print its answer",
        room="ask",
        takes=("[PROMPT…]",),
        flags=(
            Flag("model", "another model for this turn", takes="MODEL", short="m"),
            SESSION,
            Flag(
                "continue",
                "the latest conversation of this directory, or that of this number, id or name",
                takes="[NAME]",
                short="c",
                names=True,
            ),
            Flag("new", "a new session, whatever lives here"),
            Flag(
                "fork",
                "in a new session that branches off here, or at this block",
                takes="[BLOCK]",
                begins="b",
            ),
            Flag("list", "list the conversations of this directory", short="l"),
            Flag("all", "with --list: of every directory, answered or not", short="a"),
            Flag("answer", "let the agent do what it waits for, or not", takes="yes|no"),
            Flag("no-wait", "print the id of the turn and return; the agent goes on"),
            _FULL,
            PROJ,
            BARE,
            TRUST,
            NO_START,
            Flag("json", "one JSON object per line: events and progress as they come"),
        ),
        more=(
            "The words are the prompt; what is piped in stands behind them. It goes to the live"
            " session of this directory, which is begun if there is none, and the conversation"
            " there goes on. In a terminal the answer comes as it is written, in a pipe as plain"
            " text; all else goes to stderr. If the agent is busy, it hears you at its next step."
            " Ctrl-C stops the agent."
        ),
        examples=(
            "hearth ask 'what does this project do?'",
            "hearth ask -c 'and how is it tested?'",
            "hearth ask -c session-a1b2c3 'and that one?'",
            "hearth ask --list",
        ),
    ),
    Verb(
        "approvals",
        "what agents wait for a person to allow, in all sessions",
        room="approvals",
        flags=(
            SESSION,
            Flag("answer-all", "put one after the other to you; Enter leaves one for later"),
            _FULL,
            JSON,
        ),
        more=(
            "Says who asks since when, what is to be done, what must be allowed for it and why, and"
            " what could be allowed for longer than once. The exit code is 6 if something waits,"
            " and 0 if nothing does."
        ),
        examples=("hearth approvals", "hearth approvals --answer-all"),
    ),
    Verb(
        "approve",
        "let an agent do what it waits for",
        room="answering",
        takes=("[WHICH]", "[TEXT…]"),
        flags=(
            Flag("once", "this once, which is usual"),
            Flag("for-session", "and what is like it, as long as the session lives"),
            Flag("always", "and what is like it, in every session of the project"),
            Flag("pattern", "exactly what is allowed for longer", takes="PATTERN", many=True),
            SESSION,
            JSON,
        ),
        more=(
            "WHICH is what `hearth approvals` calls it, like a3 or shop/a3; it can be left out if"
            " only one thing waits. The text is told to the agent. For always, what would be"
            " stored is shown word for word and confirmed with `yes`; without a terminal every"
            " pattern must be given with --pattern."
        ),
        examples=(
            "hearth approve",
            "hearth approve shop/a3 --for-session",
            "hearth approve a3 --always --pattern 'make test'",
        ),
    ),
    Verb(
        "reject",
        "do not let an agent do what it waits for",
        room="answering",
        takes=("[WHICH]", "[TEXT…]"),
        flags=(SESSION, JSON),
        more=(
            "The agent is told no, and the text; whatever else its session asks for at that moment"
            " is rejected with it, and the turn goes on."
        ),
        examples=("hearth reject a3 use the other file", "hearth reject"),
    ),
    Verb(
        "tasks",
        "what the agent of a session has set out to do, and how far it is",
        room="tasks",
        flags=(SESSION, PROJ, JSON),
        examples=("hearth tasks", "hearth tasks --session shop"),
    ),
    Verb(
        "rewind",
        "go back to when something was said: the files, or the session, too",
        room="rewinding",
        takes=("[BLOCK]",),
        flags=(
            Flag("preview", "only tell what that would change"),
            Flag(
                "scope",
                "the conversation goes back, too: conversation, interpreter, files or all",
                takes="WHAT",
                among="conversation|interpreter|files|all",
            ),
            Flag("undo", "make them what they were before the last rewind"),
            Flag("back", "make the session what it was before the last rewind with --scope"),
            SESSION,
            PROJ,
            _YES,
            JSON,
        ),
        more=(
            "Without a block: when the latest message was said, before the agent answered it."
            " Everything counts that was changed since, also by commands and by hand. It shows what"
            " would change and asks. The conversation stays as it is, unless --scope says that it"
            " goes back: alone, with the interpreter, with the files, or with both."
        ),
        examples=(
            "hearth rewind",
            "hearth rewind b17 --scope all --preview",
            "hearth rewind --undo",
        ),
    ),
    Verb(
        "permissions",
        "what agents may do, why, and what was allowed for always",
        takes=("explain|list|decisions|revoke", "[…]"),
        choices=("explain", "list", "decisions", "revoke"),
        flags=(
            Flag("directory", "as it is there instead of here", takes="DIR"),
            Flag("agent", "with `explain` and `list`: for this agent", takes="NAME"),
            Flag("tool", "with `explain`: a tool that is given a path", takes="NAME"),
            Flag("code", "with `explain`: it is Python for the interpreter"),
            SESSION,
            JSON,
        ),
        more=(
            "`explain COMMAND` says what would become of a command: how it is read, what each part"
            " needs, and which rule in which line, grant or doubt decides. `list` shows the rules"
            " by file, those that never count marked, and all that was allowed for longer; `revoke"
            " ID` takes one of those back. `decisions` shows what people and rules decided."
            " Needs no daemon, but for what holds in a session."
        ),
        examples=(
            "hearth permissions explain 'git push --force'",
            "hearth permissions list",
            "hearth permissions revoke g3",
        ),
    ),
)
"""They stand behind `run`."""
