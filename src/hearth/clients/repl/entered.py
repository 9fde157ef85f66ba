"""What comes from the person at a terminal."""

from typing import NamedTuple

from hearth.clients.repl.host import Question


class Typed(NamedTuple):
    """Something was entered at the prompt."""

    text: str


class Answered(NamedTuple):
    """A question was answered; None: the person would not."""

    question: Question
    text: str | None
    after: float = 60.0
    """Seconds since the question was put: nobody reads in a moment."""


class Left(NamedTuple):
    """The person wants to leave, or somebody else wants it."""
