"""A daemon of which there is only the ear for tools: a real socket, and answers as a test wants."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hearth.performers.cell_tools.listening import Listening
from hearth.performers.interpreter.inside.tools import SOCKET

KEY: Final = "the key"
TURN: Final = {
    "name": "turn",
    "description": "Turn wheels.",
    "schema": {"properties": {"wheels": {"type": "integer"}}, "required": ["wheels"]},
}
SAY: Final = {"name": "say-it", "description": "Say it."}


class TellingDaemon:
    """Listens in a folder; `answers` may be changed at any time."""

    def __init__(self, folder: Path, key: str = KEY) -> None:
        (folder / "connection.json").write_text(json.dumps({"key": KEY}))
        self.asked: list[dict[str, Any]] = []
        self.catalogue: dict[str, Any] = {"servers": {"the-mill": [TURN, SAY]}, "problems": []}
        self.call: Callable[[dict[str, Any]], dict[str, Any]] = lambda _: {"text": "done"}
        self.begun, self.stopped = asyncio.Event(), asyncio.Event()
        self.listening = Listening(folder / SOCKET, key, self._answer)
        self.listening.open()

    async def _answer(self, question: dict[str, Any]) -> bytes:
        self.asked.append(question)
        if question["ask"] == "catalogue":
            return json.dumps(self.catalogue).encode()
        if question["tool"] == "hang":
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped.set()
        return json.dumps(self.call(question)).encode()
