"""The words behind an offline verb: which of its actions is meant, with what."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hearth.offline.answering import Trouble

WRONG_USAGE = 2
SHORT: Final[Mapping[str, str]] = {"-p": "--proj", "-s": "--session", "-y": "--yes"}
"""Options by one letter, as the help of every verb has them: who takes the one takes the other."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a verb can do, and what it must and may be given."""

    usage: str
    """How it is written, without the verb."""
    tells: str
    """What it does, in a line."""
    takes: tuple[str, ...] = ()
    """The names of what stands behind it, in order; all must be there."""
    perhaps: tuple[str, ...] = ()
    """What may stand behind those."""
    needs: tuple[str, ...] = ()
    """Options that must be there, each with a value."""
    may: tuple[str, ...] = ()
    """Options that may be there, each with a value."""
    flags: tuple[str, ...] = ()
    """Options without a value."""
    many: tuple[str, ...] = ()
    """Options that may be there several times, each with a value."""
    rest: str = ""
    """What any number of further words are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks for."""

    action: str
    given: Mapping[str, str] = field(default_factory=dict)
    """By the name of the place or of the option; a flag has an empty text."""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What may be there several times, in order."""


def parse(verb: str, actions: Mapping[str, Action], words: Sequence[str]) -> Asked:
    """What these words ask for; an action with an empty name needs no word. Trouble."""
    rest = list(words)
    name = rest.pop(0) if rest and rest[0] in actions else ""
    if name not in actions:
        said = rest[0] if rest else ""
        raise _misused(f"hearth {verb}: {_not(said, actions)}", usage(verb, actions))
    action = actions[name]
    given: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    places = [*action.takes, *action.perhaps]
    known = (*action.needs, *action.may, *action.flags, *action.many)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        word = _whole(word, known)
        if word in action.flags and not equals:
            given[word] = ""
        elif word in (*action.needs, *action.may, *action.many):
            if not equals and not rest:
                raise _misused(f"{word} needs a value", _line(verb, action))
            taken = value if equals else rest.pop(0)
            if word in action.many:
                lists[word] = (*lists.get(word, ()), taken)
            else:
                given[word] = taken
        elif (places or action.rest) and (not word.startswith("-") or word == "-"):
            if places:
                given[places.pop(0)] = word + equals + value
            else:
                lists[action.rest] = (*lists.get(action.rest, ()), word + equals + value)
        else:
            near = _near(word, known)
            raise _misused(
                f"hearth {verb} {name} does not know {word!r}{near}", _line(verb, action)
            )
    missing = [one for one in (*action.takes, *action.needs) if one not in given]
    if missing:
        raise _misused(f"{' and '.join(missing)} is missing", _line(verb, action))
    return Asked(name, given, lists)


def usage(verb: str, actions: Mapping[str, Action]) -> str:
    """Every way to write it, on one line."""
    return " | ".join(_line(verb, action) for action in actions.values())


def help_text(verb: str, actions: Mapping[str, Action]) -> str:
    """Every way to write it with what it does, a line each."""
    lines = [(_line(verb, action), action.tells) for action in actions.values()]
    width = max(len(line) for line, _ in lines)
    return "\n".join(f"{line:<{width}}  {tells}" for line, tells in lines)


def _whole(word: str, known: tuple[str, ...]) -> str:
    """The option that a letter stands for, where there is that option."""
    long = SHORT.get(word, word)
    return long if long in known else word


def _line(verb: str, action: Action) -> str:
    return f"hearth {verb} {action.usage}".rstrip()


def _not(said: str, actions: Mapping[str, Action]) -> str:
    return f"there is no {said!r}{_near(said, tuple(actions))}" if said else "what is to be done?"


def _near(word: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, [one for one in known if one], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _misused(what: str, hint: str) -> Trouble:
    return Trouble("usage", what, hint, WRONG_USAGE)
