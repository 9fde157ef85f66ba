"""The verbs and flags of the command line: one table, read by parser, help, completion and docs."""

from __future__ import annotations

from hearth.clients.cli.agent_words import AGENT_VERBS
from hearth.clients.cli.flags import (
    BARE,
    HELP,
    JSON,
    NO_START,
    PROJ,
    PROMPT,
    SESSION,
    STARTING,
    TRUST,
)
from hearth.clients.cli.mcp_words import MCP_VERB
from hearth.clients.cli.undo_words import UNDO_VERBS
from hearth.clients.cli.verb import Flag, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

ALONE: Final = Verb(
    "",
    "a live prompt in the session of this directory",
    room="beginning",
    flags=(
        Flag("daemon", "start the daemon in the background, and return", short="d"),
        Flag("supervised", "under a watchdog; with -d in the background"),
        *PROMPT,
        *STARTING,
        JSON,
    ),
    more=(
        "Joins the daemon, or starts one in the background, waits until it is ready and joins it."
        " Without a terminal it only starts the daemon and says how to go on."
    ),
    examples=("hearth", "hearth --proj ~/code/shop", "hearth -d --supervised"),
)
"""What `hearth` without a verb is."""

VERBS: Final = (
    Verb(
        "connect",
        "a prompt as `hearth` gives it, also where there is no terminal",
        room="beginning",
        flags=(*PROMPT, *STARTING),
        more="Without a terminal it reads lines from stdin and writes plain text.",
        examples=("hearth connect --session shop",),
    ),
    Verb(
        "run",
        "run code in a live session and print what it gives",
        room="running",
        takes=("[CODE]",),
        flags=(
            SESSION,
            PROJ,
            BARE,
            TRUST,
            Flag("timeout", "stop the code after so long", takes="SECONDS", short="t"),
            Flag("on-error", "if it fails, take back what it did", takes="undo|keep"),
            Flag("linger", "show so long what comes after its end", takes="SECONDS"),
            NO_START,
            JSON,
        ),
        more=(
            "The code is the word after `run`; `-`, or no word, means stdin. It runs in the session"
            " of this directory, which is created if there is none, and its names stay there. What"
            " it writes comes as it is written, the value last; a traceback goes to stderr. If the"
            " session is busy, the code waits for its turn. Ctrl-C stops the code."
        ),
        examples=("hearth run '1 + 1'", "hearth run --session shop - < script.py"),
    ),
    *AGENT_VERBS,
    *UNDO_VERBS,
    Verb(
        "status",
        "the daemon, and how its sessions stand",
        room="status",
        flags=(Flag("all", "sessions that were stopped, too", short="a"), JSON),
        examples=("hearth status", "hearth status --json"),
    ),
    Verb(
        "sessions",
        "the sessions, the most recently used first",
        room="status",
        flags=(
            Flag("all", "those that were stopped, too", short="a"),
            Flag("names", "only their names and ids, one per line"),
            JSON,
        ),
        examples=("hearth sessions --all",),
    ),
    Verb(
        "events",
        "what happened, one line each",
        room="watching",
        flags=(
            Flag("follow", "go on with what happens, also over restarts", short="f"),
            Flag("after", "begin behind this place of the log", takes="SEQ"),
            Flag("last", "begin so many before the end (50; 10 with --follow)", takes="NUMBER"),
            Flag("all", "begin with the first", short="a"),
            SESSION,
            Flag("json", "one JSON object; with --follow one per line, each an event"),
        ),
        examples=("hearth events --follow", "hearth events --session shop --all --json"),
    ),
    Verb(
        "stop",
        "end the daemon, and its sessions with it",
        room="stopping",
        flags=(
            Flag("keep-sessions", "leave interpreters alive for the next daemon"),
            Flag("timeout", "wait at most so long for its end (30)", takes="SECONDS", short="t"),
            JSON,
        ),
        more="What happened stays in the log; the sessions can be resumed.",
        examples=("hearth stop", "hearth stop --keep-sessions"),
    ),
    Verb(
        "stop-session",
        "end the interpreter of one session; its log stays",
        room="stopping",
        takes=("NAME",),
        flags=(JSON,),
        examples=("hearth stop-session shop",),
    ),
    Verb(
        "reset",
        "empty a session and begin again, with its project as it is now",
        room="resetting",
        takes=("[NAME]",),
        flags=(
            Flag("hard", "replace the interpreter, whatever it is doing"),
            Flag("rebuild", "sync the project's environment first; replaces the interpreter"),
            JSON,
        ),
        more="Without a name: that of this directory. Its variables are lost, its log stays.",
        examples=("hearth reset", "hearth reset shop --hard"),
    ),
    Verb(
        "open",
        "a one-time link to the dashboard, opened in the browser",
        room="opening",
        flags=(Flag("no-browser", "print the link and open nothing"), JSON),
        more="The link works once, for a minute; after it the browser has a cookie.",
        examples=("hearth open --no-browser",),
    ),
    Verb(
        "trust",
        "let a project's own configuration take effect",
        room="trusting",
        takes=("[DIR]",),
        flags=(Flag("yes", "do not ask", short="y"), JSON),
        more=(
            "Shows the files that would take effect, then asks. Trust holds for their content:"
            " if one changes, you are asked again."
        ),
        examples=("hearth trust", "hearth trust ~/code/shop --yes"),
    ),
    Verb(
        "token",
        "the tokens by which programs are let in",
        room="tokens",
        takes=("list|new|remove|rotate", "[NAME]"),
        choices=("list", "new", "remove", "rotate"),
        flags=(
            Flag(
                "standing", "what a new one may do: agent (unless said) or read-only", takes="WHAT"
            ),
            JSON,
        ),
        more=(
            "`new NAME` prints the token once, on stdout; only its hash is kept. `rotate` gives you"
            " yourself a new one: browsers must be let in anew."
        ),
        examples=("hearth token new ci-bot --standing read-only", "hearth token rotate"),
    ),
    MCP_VERB,
    Verb(
        "config",
        "the settings in effect, where each comes from, and changing them",
        takes=("[explain|set|path|schema]", "[…]"),
        choices=("explain", "set", "path", "schema"),
        flags=(
            Flag("directory", "as they are there instead of here", takes="DIR"),
            Flag("project", "with `set`: in the project's file instead of yours"),
            JSON,
        ),
        more=(
            "`explain KEY` says what a key means and which file and line gave its value, `set KEY"
            " VALUE` changes it, `path` tells which files are looked at, `schema` describes them."
        ),
        examples=("hearth config", "hearth config explain KEY", "hearth config set KEY VALUE"),
    ),
    Verb(
        "log",
        "check, copy, export, import and prune what is stored",
        takes=("check|search|export|import|prune|backup|restore", "[…]"),
        choices=("check", "search", "export", "import", "prune", "backup", "restore"),
        flags=(
            Flag("format", "with `export`: jsonl, a conversation for other programs", takes="FORM"),
            Flag("output", "with `export --format jsonl`: to this file", takes="FILE", short="o"),
            Flag("session", "with `search`: in this session", takes="SESSION"),
            Flag("proj", "with `search`: in sessions of that directory", takes="DIR", short="p"),
            Flag("since", "with `search`: from this day or time on", takes="TIME"),
            Flag("until", "with `search`: up to this day or time", takes="TIME"),
            Flag("limit", "with `search`: so many at most", takes="N"),
            Flag("as", "with `import`: under another id", takes="ID"),
            Flag("older-than", "with `prune`: what was not used for so long, 90d", takes="TIME"),
            Flag("archive", "with `prune`: where sessions go as files", takes="DIR"),
            JSON,
        ),
        more=(
            "`check` verifies everything; `search WORDS` finds what was said and run; `export"
            " SESSION FILE` and `import FILE` move one session, its conversation alone as jsonl;"
            " `prune` moves old ones into files; `backup DIR` copies everything, `restore BACKUP`"
            " makes a log out of such a copy. Needs no daemon, and says so where there may be none."
        ),
        examples=("hearth log check", "hearth log backup ~/backups"),
    ),
    Verb(
        "doctor",
        "look for what is wrong with this installation",
        flags=(
            Flag("unit", "print what has systemd or launchd run the daemon", takes="SYSTEM"),
            JSON,
        ),
        examples=("hearth doctor", "hearth doctor --unit systemd"),
    ),
    Verb(
        "demo",
        "watch an agent at work in a scratch session; needs no key",
        flags=(Flag("fast", "without pauses for whoever reads along"),),
        more=(
            "In less than half a minute the scripted model looks at a file, runs code in the live"
            " interpreter, is spoken to meanwhile, and draws. All of it has a home of its own,"
            " which is gone afterwards: neither your daemon nor your settings are used."
        ),
        examples=("hearth demo", "hearth demo --fast > shown.txt"),
    ),
    Verb(
        "completion",
        "the script by which a shell completes all this",
        room="completing",
        takes=("bash|zsh|fish",),
        choices=("bash", "zsh", "fish"),
        examples=(
            "hearth completion bash > ~/.local/share/bash-completion/completions/hearth",
            'eval "$(hearth completion zsh)"',
            "hearth completion fish > ~/.config/fish/completions/hearth.fish",
        ),
    ),
    Verb(
        "help",
        "this page, or the page of one verb",
        room="helping",
        takes=("[VERB]",),
        examples=("hearth help run",),
    ),
)

EVERYWHERE: Final = (HELP,)
"""Flags that every verb has."""


def verb_named(name: str) -> Verb | None:
    """The verb of this name."""
    for verb in VERBS:
        if verb.name == name:
            return verb
    return None
