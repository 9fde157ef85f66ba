"""What it means that a command only reads: its options are all known, and so is what it reads."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from hearth.performers.judging.following import Steps
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.sieves import Sieve


class Unproven(Exception):
    """It is not known that this command only reads; says why."""


class Argument(NamedTuple):
    """One argument of a command."""

    raw: str
    text: str | None
    """None: nobody can say."""
    is_one: bool = True
    """It is exactly one, whatever it is."""


@dataclass(frozen=True, slots=True)
class Call:
    """A command that is to be proven to only read."""

    name: str
    arguments: tuple[Argument, ...]
    place: Place

    def texts(self) -> tuple[str, ...]:
        """All arguments, if they are known."""
        found: list[str] = []
        for argument in self.arguments:
            if argument.text is None:
                raise Unproven(f"nobody can say what {argument.raw} becomes")
            found.append(argument.text)
        return tuple(found)


class Searched(NamedTuple):
    """A folder of which all files below it are read, or a file."""

    path: str
    sieve: Sieve = Sieve()
    follows: bool = False
    """Links in it are followed."""


class Reads(NamedTuple):
    """What a command reads, and that it does nothing else."""

    paths: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    """Folders with everything below them."""
    perhaps: tuple[str, ...] = ()
    """May be paths, or names of something else."""
    searched: tuple[Searched, ...] = ()
    """Folders of which all that is in the files below them may be shown, or files."""


def limited(place: Place) -> Place:
    """The same place, for a line whose paths may take only so long together."""
    there = replace(place, steps=Steps())
    return _changed(place, there, there.here)


def moved(place: Place, directory: str) -> Place:
    """The same place, seen from another of its folders, which is canonical."""
    return _changed(place, replace(place, directory=directory), directory)


def _changed(place: Place, there: Place, here: str) -> Place:
    # What does not depend on the folder is not looked up again.
    kept = {name: found for name, found in vars(place).items() if name in _KEPT}
    vars(there).update(kept, here=here)
    return there


def named(operands: tuple[str, ...]) -> tuple[str, ...]:
    """The files among them: `-` is what is read anyway."""
    return tuple(operand for operand in operands if operand != "-")


_KEPT: Final = frozenset({"roots", "closed", "open", "lent"})

Prover: TypeAlias = Callable[[Call], Reads]
"""Says what a command reads. Raises Unproven if it may do more than that."""
