"""A prompt without a terminal: keys come out of a pipe, and nothing is drawn."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.standing import Standing
from hearth.clients.repl.terminal import Terminal
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion as Proposal


class Controlled:
    """Remembers what the keys did. Implements `Controls`."""

    def __init__(self) -> None:
        self.interrupts = 0
        self.is_running = False
        self.was_empty = False
        self.python = True

    def standing(self) -> Standing:
        return Standing()

    def live(self) -> str:
        return ""

    def is_python(self) -> bool:
        return self.python

    def session_names(self) -> Sequence[str]:
        return ()

    def epoch(self) -> object:
        return 0

    def interrupt(self, *, is_empty: bool = True) -> bool:
        self.interrupts += 1
        self.was_empty = is_empty
        return self.is_running

    async def complete(self, code: str, cursor: int) -> Sequence[Proposal]:
        del cursor
        return [Proposal("print")] if code.endswith("pri") else ()

    async def inspect(self, code: str, cursor: int) -> Inspection | None:
        del code, cursor
        return None


class Typing(NamedTuple):
    """Who types, what is typed into, and what that does."""

    keys: PipeInput
    terminal: Terminal
    controls: Controlled


@contextmanager
def typing(history: History | None = None) -> Iterator[Typing]:
    """A prompt whose keys come out of a pipe."""
    controls = Controlled()
    with create_pipe_input() as keys:
        terminal = Terminal(
            controls,
            history or InMemoryHistory(),
            Paint(),
            source=keys,
            target=DummyOutput(),
        )
        try:
            yield Typing(keys, terminal, controls)
        finally:
            terminal.close()
