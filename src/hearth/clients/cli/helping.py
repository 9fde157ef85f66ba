"""`hearth help`: pages out of the table of words."""

from __future__ import annotations

from hearth.clients.cli.flags import VERSION
from hearth.clients.cli.parsing import near
from hearth.clients.cli.showing import BOLD, out, painted
from hearth.clients.cli.troubles import MEANINGS, OK, wrong_usage
from hearth.clients.cli.verb import Flag, Verb
from hearth.clients.cli.words import ALONE, EVERYWHERE, VERBS, verb_named

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

WIDTH: Final = 88
HOW: Final = (
    (
        "One daemon keeps your sessions alive; everything you type is a client of it, and so are"
        " browsers, editors and AI agents. `hearth` alone joins the daemon of your home, or starts"
        " one in the background, waits until it is ready and joins that. Closing a client ends"
        " nothing: a session lives until it is stopped, its log for ever."
    ),
    "Wherever a session is named, its id, a unique beginning of it, or its name will do.",
)
HOME: Final = "HEARTH_HOME says where all is kept (~/.hearth), HEARTH_NAME who you are."


def carry_out(asked: Asked) -> int:
    """Show the page that is asked for; the exit code."""
    if not asked.words:
        return explain(ALONE)
    verb = verb_named(asked.words[0])
    if verb is None:
        hint = near(asked.words[0], [one.name for one in VERBS])
        raise wrong_usage(
            f"there is no verb `{asked.words[0]}`", hint or "`hearth help` lists them"
        )
    return explain(verb)


def explain(verb: Verb) -> int:
    """Show the page of a verb; the exit code."""
    out("\n".join(main_page() if verb is ALONE else page(verb)))
    return OK


def main_page() -> list[str]:
    """What hearth is, and everything that can be asked for."""
    lines = ["hearth: live, durable sessions shared by people and AI agents", ""]
    lines += [usage(ALONE), "       hearth VERB …", ""]
    for paragraph in HOW:
        lines += [*wrapped(paragraph, 0), ""]
    lines += [_titled("Verbs"), *_listed([(one.name, one.says) for one in VERBS]), ""]
    lines += [_titled("Flags"), *_flags((*ALONE.flags, *EVERYWHERE, VERSION)), ""]
    lines += [_titled("Examples"), *(f"  {one}" for one in ALONE.examples), ""]
    lines += [_titled("Exit codes")]
    lines += _listed([(str(code), meaning) for code, meaning in MEANINGS.items()])
    return [*lines, "", HOME, "`hearth help VERB` tells more about one of them."]


def page(verb: Verb) -> list[str]:
    """Everything about one verb."""
    lines = [f"hearth {verb.name}: {verb.says}", "", usage(verb), ""]
    if verb.more:
        lines += [*wrapped(verb.more, 0), ""]
    lines += [_titled("Flags"), *_flags((*verb.flags, *EVERYWHERE)), ""]
    return [*lines, _titled("Examples"), *(f"  {one}" for one in verb.examples)]


def usage(verb: Verb) -> str:
    """How it is written."""
    words = ["usage: hearth", verb.name, *verb.takes, "[FLAGS]"]
    return " ".join(word for word in words if word)


def wrapped(text: str, indent: int) -> list[str]:
    """The text in lines that a terminal has room for."""
    lines, line = [], ""
    for word in text.split():
        if line and indent + len(line) + 1 + len(word) > WIDTH:
            lines.append(" " * indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, " " * indent + line]


def flag_words(flag: Flag) -> str:
    """How a flag is written: `-s, --session NAME`."""
    short = f"-{flag.short}, " if flag.short else "    "
    return f"{short}--{flag.name} {flag.takes}".rstrip()


def _titled(text: str) -> str:
    return painted(BOLD, text)


def _flags(flags: tuple[Flag, ...]) -> list[str]:
    return _listed([(flag_words(one), one.says) for one in flags])


def _listed(rows: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows) + 2
    lines = []
    for name, says in rows:
        first, *more = wrapped(says, width + 2)
        lines += [f"  {name:<{width}}{first.strip()}", *more]
    return lines
