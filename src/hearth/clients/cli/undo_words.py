"""The verbs by which people take back, try, fork and compare what interpreters hold."""

from __future__ import annotations

from hearth.clients.cli.flags import JSON, PROJ, SESSION
from hearth.clients.cli.verb import Flag, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

UNDO_VERBS: Final = (
    Verb(
        "undo",
        "take back what the latest cells did to an interpreter",
        room="undoing",
        takes=("[SESSION]", "[WHAT]"),
        flags=(
            Flag("for", "before whose cells copies are kept", takes="nobody|agents|everyone"),
            SESSION,
            PROJ,
            JSON,
        ),
        more=(
            "WHAT is how many cells, one unless said, or a cell: that one and all since. The"
            " interpreter becomes what it was before them, for everybody who is attached; the log"
            " keeps them. Only cells before which a copy was kept can be taken back: those of"
            " agents, and with `--for everyone` yours, too."
        ),
        examples=("hearth undo", "hearth undo shop 3", "hearth undo --for everyone"),
    ),
    Verb(
        "redo",
        "bring back what was taken back last; nothing is run again",
        room="undoing",
        takes=("[SESSION]",),
        flags=(SESSION, PROJ, JSON),
        examples=("hearth redo", "hearth redo shop"),
    ),
    Verb(
        "try",
        "run variants of code side by side, each in a copy of a session",
        room="trying",
        takes=("[SESSION]", "[FILE…]"),
        flags=(
            Flag("variant", "code that is tried", takes="CODE", short="e", many=True),
            Flag("timeout", "stop each after so long", takes="SECONDS", short="t"),
            Flag("full", "one under the other, and fold nothing"),
            SESSION,
            PROJ,
            JSON,
        ),
        more=(
            "Each runs in a live copy of the interpreter, all at once; the session itself is not"
            " touched until `hearth keep` makes one of them the session. A first word that is no"
            " file names the session. The exit code is 0 if any of them ran to its end. Ctrl-C"
            " stops them."
        ),
        examples=("hearth try -e 'fit(xs)' -e 'fit(sorted(xs))'", "hearth try shop a.py b.py"),
    ),
    Verb(
        "keep",
        "let one of the variants that were tried be the session; 0: none",
        room="trying",
        takes=("[SESSION]", "NUMBER"),
        flags=(SESSION, PROJ, JSON),
        examples=("hearth keep 2", "hearth keep shop 0"),
    ),
    Verb(
        "fork",
        "begin another session that goes on from one, with all its variables",
        room="forking",
        takes=("[SESSION]",),
        flags=(
            Flag("at", "where its conversation branches off", takes="BLOCK"),
            Flag("how", "what its interpreter is made of", takes="copy|replay|new"),
            Flag("name", "what it is called", takes="NAME"),
            SESSION,
            PROJ,
            JSON,
        ),
        more=(
            "It has a live copy of the interpreter, in a blink; with --at an older block its cells"
            " are run again instead. What cannot be copied is refused with what is in the way."
            " Prints the id of the new session."
        ),
        examples=("hearth fork", "hearth fork shop --name night", "hearth fork --at b17"),
    ),
    Verb(
        "tree",
        "a session, where it came from, and what branched off",
        room="comparing",
        takes=("[SESSION]",),
        flags=(SESSION, PROJ, JSON),
        examples=("hearth tree", "hearth tree shop --json"),
    ),
    Verb(
        "compare",
        "the variables that two sessions hold otherwise",
        room="comparing",
        takes=("[SESSION]", "OTHER"),
        flags=(SESSION, PROJ, JSON),
        more="By name, type, size and the beginning of their values; one session alone is compared"
        " with that of this directory.",
        examples=("hearth compare night", "hearth compare shop night"),
    ),
)
"""They stand behind those of agents."""
