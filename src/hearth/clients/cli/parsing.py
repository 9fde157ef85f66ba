"""Reads a command line by the table of words."""

from __future__ import annotations

from hearth.clients.cli.flags import VERSION
from hearth.clients.cli.troubles import wrong_usage
from hearth.clients.cli.verb import Flag, Verb
from hearth.clients.cli.words import ALONE, EVERYWHERE, VERBS, verb_named

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Iterable


class Asked:
    """What a command line asks for."""

    __slots__ = ("_behind", "_values", "verb", "words")

    def __init__(
        self, verb: Verb, words: list[str], values: dict[str, list[str]], behind: dict[str, int]
    ) -> None:
        self.verb = verb
        self.words = words
        self._values = values
        self._behind = behind

    def has(self, flag: str) -> bool:
        """Whether the flag was given."""
        return flag in self._values

    def text(self, flag: str) -> str | None:
        """The value of a flag, if it was given."""
        return self._values[flag][0] if flag in self._values else None

    def texts(self, flag: str) -> list[str]:
        """The values of a flag that may be given several times."""
        return list(self._values.get(flag, ()))

    def behind(self, flag: str) -> int | None:
        """Which of the words stands right behind a flag and may be the name that it takes."""
        return None if self.text(flag) else self._behind.get(flag)

    def seconds(self, flag: str) -> float | None:
        """The value of a flag that takes a time, if it was given; more than nothing."""
        given = self.text(flag)
        if given is None:
            return None
        try:
            value = float(given)
        except ValueError:
            value = 0.0
        if not 0 < value < 1e9:
            raise wrong_usage(
                f"--{flag} is {given!r}, which is no time", f"write seconds: --{flag} 30"
            )
        return value

    def number(self, flag: str) -> int | None:
        """The value of a flag that takes a whole number, if it was given; not below 0."""
        given = self.text(flag)
        if given is None:
            return None
        if not (given.isascii() and given.isdecimal()) or len(given) > 18:
            raise wrong_usage(
                f"--{flag} is {given!r}, which is no number", f"write it in digits: --{flag} 100"
            )
        return int(given)


def parse(argv: list[str]) -> Asked:
    """What is asked for. Trouble if it cannot be understood: it says what is near.

    Flags may stand before the verb and behind it; after `--` everything is a word.
    """
    verb = _verb_in(argv)
    known = _flags_of(verb)
    words: list[str] = []
    values: dict[str, list[str]] = {}
    behind: dict[str, int] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if word.startswith("-") and word != "-":
            _take(word, rest, known, values, verb)
            flag = known.get(word)
            if flag is not None and flag.names and rest and not rest[0].startswith("-"):
                behind[flag.name] = len(words)
        else:
            words.append(word)
    if verb is not ALONE:
        words.pop(0)  # its own name
        behind = {flag: place - 1 for flag, place in behind.items() if place}
    if "help" not in values:
        _count(verb, words)
    return Asked(verb, words, values, behind)


def wants_json(argv: list[str]) -> bool:
    """Whether errors are to be JSON, even of a command line that cannot be understood."""
    return "--json" in (argv[: argv.index("--")] if "--" in argv else argv)


def near(given: str, known: Iterable[str]) -> str:
    """A sentence with what was probably meant; empty if nothing is near."""
    # Only a mistake pays for this import.
    from difflib import get_close_matches  # noqa: PLC0415 - as the comment says

    found = get_close_matches(given, list(known), n=2, cutoff=0.6)
    return f"did you mean {' or '.join(f'`{one}`' for one in found)}?" if found else ""


def _verb_in(argv: list[str]) -> Verb:
    """The verb is the first word that is neither a flag nor the value of one."""
    every = {
        f"{dash}{name}": flag
        for verb in (ALONE, *VERBS)
        for flag in verb.flags
        if flag.takes
        for dash, name in (("--", flag.name), ("-", flag.short))
        if name
    }
    before: Flag | None = None
    for word in argv:
        if word == "--":
            break
        if before is not None and before.wants(word):
            before = None
        elif word.startswith("-") and word != "-":
            before = every.get(word)
        elif (verb := verb_named(word)) is not None:
            return verb
        else:
            hint = near(word, [verb.name for verb in VERBS])
            raise wrong_usage(
                f"there is no verb `{word}`",
                hint or f"`hearth help` lists them; to run code: hearth run '{word}'",
            )
    return ALONE


def _flags_of(verb: Verb) -> dict[str, Flag]:
    flags = [*verb.flags, *EVERYWHERE, *([VERSION] if verb is ALONE else [])]
    return {
        **{f"--{flag.name}": flag for flag in flags},
        **{f"-{flag.short}": flag for flag in flags if flag.short},
    }


def _take(
    word: str, rest: list[str], known: dict[str, Flag], values: dict[str, list[str]], verb: Verb
) -> None:
    name, given, value = word.partition("=") if word.startswith("--") else (word, "", "")
    flag = known.get(name)
    if flag is None:
        raise _unknown(name, known, verb)
    if flag.name in values and not flag.many:
        raise wrong_usage(f"--{flag.name} is given twice", "say it once")
    if not flag.takes:
        if given:
            raise wrong_usage(f"--{flag.name} takes no value", f"write --{flag.name} alone")
        values[flag.name] = [""]
        return
    if flag.is_optional:
        if not given and rest and flag.wants(rest[0]):
            value = rest.pop(0)
        elif given and not flag.allows(value):
            raise wrong_usage(
                f"--{flag.name} is {value!r}, which is no {flag.takes.strip('[]')}",
                f"write it so: --{flag.name} {flag.begins}2, or leave it out",
            )
        values[flag.name] = [value]
        return
    if not given:
        value = rest.pop(0) if rest else ""
    if not value or (not given and value.startswith("--")):
        raise wrong_usage(
            f"--{flag.name} needs a value", f"write it behind: --{flag.name} {flag.takes}"
        )
    values.setdefault(flag.name, []).append(value)


def _unknown(name: str, known: dict[str, Flag], verb: Verb) -> Exception:
    where = f"`hearth {verb.name}`" if verb.name else "`hearth`"
    page = f"hearth help {verb.name}" if verb.name else "hearth help"
    hint = near(name, known)
    if not hint and verb.takes:
        hint = f"`{page}` lists its flags; a word that begins with - goes behind `--`"
    return wrong_usage(f"{where} has no flag {name}", hint or f"`{page}` lists its flags")


def _count(verb: Verb, words: list[str]) -> None:
    """Whether there are as many words as the verb takes, and the first is one of its choices."""
    needed = [one for one in verb.takes if not one.startswith("[")]
    usage = " ".join(["hearth", *([verb.name] if verb.name else []), *verb.takes])
    if len(words) < len(needed):
        raise wrong_usage(f"`hearth {verb.name}` needs {needed[len(words)]}", f"write: {usage}")
    is_open = bool(verb.takes) and verb.takes[-1].endswith("…]")
    if len(words) > len(verb.takes) and not is_open:
        extra = words[len(verb.takes)]
        if verb.name == "run":
            raise wrong_usage("the code must be one word", "put it in quotes: hearth run '1 + 1'")
        raise wrong_usage(f"`{extra}` is one word too many", f"write: {usage}")
    if verb.choices and words and words[0] not in verb.choices:
        raise wrong_usage(
            f"`hearth {verb.name}` knows no `{words[0]}`",
            near(words[0], verb.choices) or f"one of: {', '.join(verb.choices)}",
        )
