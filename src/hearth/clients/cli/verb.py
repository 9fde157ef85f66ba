"""What a verb of the command line is, and what a flag."""

from __future__ import annotations


class Flag:
    """`--name`, perhaps with a short form; `takes` is what its value is called, if it has one.

    A value in brackets, `[N]`, may be left out: the next word is the value if it `begins` so and
    goes on in digits, perhaps with a place behind `@`. If it `names` something, any word behind `=`
    is a value, and the next word may be one: only who knows all the names can tell. One of which
    there are `many` may be given several times. `among` is what a shell offers: `yes|no`.
    """

    __slots__ = ("among", "begins", "many", "name", "names", "says", "short", "takes")

    def __init__(  # noqa: PLR0913 - the columns of a table
        self,
        name: str,
        says: str,
        *,
        takes: str = "",
        short: str = "",
        begins: str = "",
        among: str = "",
        names: bool = False,
        many: bool = False,
    ) -> None:
        self.name = name
        self.says = says
        self.takes = takes
        self.short = short
        self.begins = begins
        self.among = among or (takes if "|" in takes else "")
        self.names = names
        self.many = many

    @property
    def is_optional(self) -> bool:
        """Whether its value may be left out."""
        return self.takes.startswith("[")

    def wants(self, word: str) -> bool:
        """Whether the word behind it is its value."""
        if not self.is_optional:
            return bool(self.takes)
        number = word.removeprefix(self.begins).partition("@")[0] if self.begins else word
        return word.startswith(self.begins) and number.isascii() and number.isdecimal()

    def allows(self, value: str) -> bool:
        """Whether this can stand behind its `=`."""
        return bool(value) if self.names else self.wants(value)


class Verb:
    """One thing that can be asked for.

    `takes` are its words: `NAME` must be there, `[NAME]` may, `[NAME…]` may be several. `room` is
    the module of this package that carries it out; without one it is carried out without a daemon,
    before this package.
    """

    __slots__ = ("choices", "examples", "flags", "more", "name", "room", "says", "takes")

    def __init__(  # noqa: PLR0913 - the columns of a table
        self,
        name: str,
        says: str,
        *,
        room: str = "",
        takes: tuple[str, ...] = (),
        choices: tuple[str, ...] = (),
        flags: tuple[Flag, ...] = (),
        more: str = "",
        examples: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.says = says
        self.room = room
        self.takes = takes
        self.choices = choices
        """What the first word can be."""
        self.flags = flags
        self.more = more
        self.examples = examples
