"""What is shown above the prompt."""

from collections.abc import Sequence

from hearth.clients.repl.host import Question
from hearth.clients.repl.images import Pictures
from hearth.clients.repl.pieces import Piece
from hearth.clients.repl.terminal import Terminal


class Above:
    """The terminal, for those who only show something. Implements `Screen`."""

    def __init__(self, terminal: Terminal, pictures: Pictures) -> None:
        self._terminal = terminal
        self._pictures = pictures

    async def show(self, pieces: Sequence[Piece]) -> None:
        """Show what happens in the session."""
        await self._terminal.write(await self._pictures.render(pieces))

    async def note(self, text: str) -> None:
        """Show whole lines about the session."""
        await self._terminal.write(text)

    def refresh(self) -> None:
        """What the toolbar shows has changed."""
        self._terminal.refresh()

    def ask(self, question: Question | None) -> None:
        """Put a cell's question to the person; None when it is no longer open."""
        self._terminal.ask(question)
