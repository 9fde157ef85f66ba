"""Options by a table: whatever is not in it is not known to be harmless.

GNU tools take the beginning of a long option for the whole of it, and short ones in one word. Here
long ones are known only in full, and of short ones every letter is looked up.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hearth.performers.judging.shell.proving import Unproven

_NUMBER: Final = re.compile(r"-[0-9]+\Z")
_SIGNS: Final = ":<?+"
_FIRST: Final = 2
"""Behind the first letter of a word, which has a dash before it."""


class Takes(StrEnum):
    """What follows an option."""

    NOTHING = ""
    TEXT = ":"
    READS = "<"
    """The path of something that is read."""
    MAYBE = "?"
    """Text, only in the same word."""
    EITHER = "+"
    """Text, in the same word or the next, or none; it depends on the program's version."""


@dataclass(frozen=True, slots=True)
class Options:
    """The harmless options of a command."""

    known: dict[str, Takes]
    numbers: bool = False
    """`-5` is an option."""
    ends_at_operand: bool = False
    """Whatever stands behind the first operand is no option."""
    is_wary: bool = False
    """It is not sure that the program takes a next word for a value, if that looks like an option.

    Nor is it, where the option with the value stands in one word behind others; and what looks like
    an option behind `--` may be one.
    """


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments of a call by what they are."""

    options: tuple[tuple[str, str], ...]
    operands: tuple[str, ...]
    reads: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options is given."""
        return any(name in names for name, _ in self.options)


def table(
    short: str = "",
    long: str = "",
    *,
    numbers: bool = False,
    ends_at_operand: bool = False,
    is_wary: bool = False,
) -> Options:
    """`lah n: f<` and `--all --max: --file< --color?`; letters alone take nothing."""
    known: dict[str, Takes] = {"--help": Takes.NOTHING, "--version": Takes.NOTHING}
    for word in short.split():
        if word[-1] in _SIGNS:
            if len(word) != 2:
                raise ValueError(f"{word!r} is more than one option")
            known[f"-{word[0]}"] = Takes(word[1])
        else:
            known.update((f"-{letter}", Takes.NOTHING) for letter in word)
    for word in long.split():
        if word[-1] in _SIGNS:
            known[word[:-1]] = Takes(word[-1])
        else:
            known[word] = Takes.NOTHING
    return Options(known, numbers, ends_at_operand, is_wary)


def given(texts: tuple[str, ...], options: Options) -> Given:
    """Sort arguments by the table. Raises Unproven for an option that is not in it."""
    found: list[tuple[str, str]] = []
    operands: list[str] = []
    reads: list[str] = []
    left = list(reversed(texts))
    while left:
        text = left.pop()
        if text == "--":
            if options.is_wary and any(one.startswith("-") for one in left):
                raise Unproven("it is not known that what stands behind -- is no option")
            operands += reversed(left)
            break
        if text == "-" or not text.startswith("-"):
            operands.append(text)
            if options.ends_at_operand:
                operands += reversed(left)
                break
            continue
        if options.numbers and _NUMBER.match(text):
            found.append(("-0", text[1:]))
            continue
        for name, value, takes in _split(text, left, options):
            found.append((name, value))
            if takes is Takes.READS:
                reads.append(value)
    return Given(tuple(found), tuple(operands), tuple(reads))


def _split(text: str, left: list[str], options: Options) -> list[tuple[str, str, Takes]]:
    if text.startswith("--"):
        name, equals, value = text.partition("=")
        takes = _takes(name, options)
        if equals and takes is Takes.NOTHING:
            raise Unproven(f"{name} takes nothing")
        if not equals and takes is not Takes.NOTHING:
            value = _behind(name, takes, left, options)
        return [(name, value, takes)]
    found: list[tuple[str, str, Takes]] = []
    for at, letter in enumerate(text[1:], 2):
        name = f"-{letter}"
        takes = _takes(name, options)
        if takes is Takes.NOTHING:
            found.append((name, "", takes))
            continue
        if options.is_wary and at > _FIRST and takes is not Takes.MAYBE:
            raise Unproven(f"it is not known what {name} in {text} takes")
        value = text[at:]
        if not value:
            value = _behind(name, takes, left, options)
        found.append((name, value, takes))
        break
    return found


def _takes(name: str, options: Options) -> Takes:
    takes = options.known.get(name)
    if takes is None:
        raise Unproven(f"{name} is not known to be harmless")
    return takes


def _behind(name: str, takes: Takes, left: list[str], options: Options) -> str:
    """The value of an option that has none in its own word."""
    if takes is Takes.MAYBE:
        return ""
    is_sure = takes is not Takes.EITHER
    if not left:
        if is_sure:
            raise Unproven(f"something is missing behind {name}")
        return ""
    if left[-1].startswith("-") and (options.is_wary or not is_sure):
        raise Unproven(f"{left[-1]} may be what {name} takes, or an option")
    # What may be a value and may be an operand counts as both.
    return left.pop() if is_sure else left[-1]
