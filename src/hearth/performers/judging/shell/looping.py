"""Which variables of a line get their value from nothing but one loop."""

from collections import Counter
from collections.abc import Iterable, Iterator

from hearth.performers.judging.shell.syntax import Command, Compound, Form, Sequence, Simple
from hearth.performers.judging.shell.words import Word, meant


def set_once(sequences: Iterable[Sequence]) -> frozenset[str]:
    """The names of loops' variables that nothing else in all these commands sets.

    None, if there is a command that may be `read`, which can set any.
    """
    loops: Counter[str] = Counter()
    assigned: set[str] = set()
    left = list(sequences)
    while left:
        for command in left.pop().commands():
            if isinstance(command, Simple):
                if _may_read(command):
                    return frozenset()
                assigned.update(one.name for one in command.assignments)
            else:
                if command.form is Form.EACH:
                    loops[command.name] += 1
                left += command.parts
            left += (body for word in _words(command) for body in word.bodies())
    return frozenset(name for name, count in loops.items() if count == 1 and name not in assigned)


def _may_read(command: Simple) -> bool:
    """Whether the name of a command is `read`, or may become it."""
    if not command.words:
        return False
    first = meant(command.words[0], {})[0]
    return first.text is None or first.is_glob or first.text == "read"


def _words(command: Command) -> Iterator[Word]:
    yield from command.words
    yield from (one.word for one in command.redirections)
    if not isinstance(command, Compound):
        yield from (one.value for one in command.assignments)
