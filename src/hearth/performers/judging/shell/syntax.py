"""What a command line is made of, as far as it can be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from hearth.performers.judging.shell.words import Word


class Unread(Exception):
    """The line has something in it that cannot be read for sure; says what."""


class Broken(Unread):
    """The line is none: the shell itself could not read it either."""


class Direction(StrEnum):
    """What a redirection does to what it names."""

    READS = "reads"
    WRITES = "writes"
    BOTH = "both"
    JOINS = "joins"
    """Another descriptor: no file."""
    GIVES = "gives"
    """The text itself: a here-document or here-string."""


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a command reads from or writes to."""

    direction: Direction
    word: Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable that is set, for one command or for all that follow."""

    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()


class Form(StrEnum):
    """How commands are put together to one."""

    GROUP = "group"
    SUBSHELL = "subshell"
    BRANCH = "branch"
    """Some of it is run, or nothing: if, case, while, until."""
    EACH = "each"
    """Run for each of some words."""


@dataclass(frozen=True, slots=True)
class Compound:
    """Commands that are one for what stands around them."""

    form: Form
    parts: "tuple[Sequence, ...]"
    redirections: tuple[Redirection, ...] = ()
    words: tuple[Word, ...] = ()
    """What is looked at: the values of a loop, the patterns of a case."""
    name: str = ""
    """The variable of a loop."""


Command: TypeAlias = Simple | Compound


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands that run at the same time, each with the output of the one before it."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class AndOr:
    """Pipelines of which each depends on how the one before ended."""

    pipelines: tuple[Pipeline, ...]
    joints: tuple[str, ...] = ()
    """`&&` or `||`, one fewer than there are pipelines."""
    in_background: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """What is run one after the other."""

    items: tuple[AndOr, ...]

    def commands(self) -> Iterator[Command]:
        """Those of this level, in their order."""
        for item in self.items:
            for pipeline in item.pipelines:
                yield from pipeline.commands
