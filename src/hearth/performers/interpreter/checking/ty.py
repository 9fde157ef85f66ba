"""Types, by ty: one server for each interpreter and folder, kept as long as it is used.

A server answers again within a few milliseconds; a process for each question takes 50 and reads
everything anew. Documents are given to it by word of mouth: no file is written anywhere.
"""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.checking.language_server import LanguageServer, start
from hearth.performers.interpreter.checking.tools import Unavailable, find

PATIENCE: Final = 2.0
IDLE: Final = 300.0
MOST_SERVERS: Final = 4
LONGEST_MESSAGE: Final = 300

_SEVERITIES: Final = {
    1: Severity.ERROR,
    2: Severity.WARNING,
    3: Severity.INFO,
    4: Severity.HIDDEN,
}
_CREATED: Final = 1
_CODE_CELL: Final = 2


class Place(NamedTuple):
    """What decides which modules there are: an interpreter and a folder, by their full paths."""

    python: str
    directory: str


class Document(NamedTuple):
    """What is looked at: the last of the cells, or a file of the project with its new content."""

    cells: tuple[str, ...]
    file: Path | None = None


class _Server:
    """A server with who uses it and when it is to go."""

    def __init__(self, place: Place, server: LanguageServer) -> None:
        self.place = place
        self.server = server
        self.turn = asyncio.Lock()
        self.going: asyncio.TimerHandle | None = None
        self.missed = 0

    def stay(self) -> None:
        if self.going is not None:
            self.going.cancel()
            self.going = None


class TypeServers:
    """The servers that run now. `close` ends them all."""

    def __init__(
        self, *, patience: float = PATIENCE, idle: float = IDLE, program: str | None = None
    ) -> None:
        self._patience = patience
        self._idle = idle
        self._program = program
        self._servers: dict[Place, _Server] = {}
        self._starting = asyncio.Lock()
        self._leaving: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)

    async def findings(self, place: Place, document: Document) -> tuple[Diagnostic, ...]:
        """What ty finds in the document. Raises `Unavailable` when it cannot tell, or not soon."""
        try:
            async with asyncio.timeout(self._patience), self._use(place) as used:
                answer = await self._ask(used, document)
                used.missed = 0
        except TimeoutError as error:
            raise Unavailable(f"ty did not answer within {self._patience:g} seconds") from error
        return tuple(_diagnostic(found) for found in answer.get("items", ()))

    def running(self) -> tuple[LanguageServer, ...]:
        """The servers that are kept now."""
        return tuple(one.server for one in self._servers.values())

    async def close(self) -> None:
        """End every server."""
        for one in tuple(self._servers.values()):
            self._leave(one)
        await asyncio.gather(*self._leaving)

    @asynccontextmanager
    async def _use(self, place: Place) -> AsyncIterator[_Server]:
        async with self._starting:
            used = self._servers.get(place)
            if used is None or used.server.ended.is_set():
                used = await self._start(place)
            # The one that was used last stands last.
            self._servers[place] = self._servers.pop(place)
        used.stay()
        try:
            async with used.turn:
                yield used
        except asyncio.CancelledError:
            # Slow once: it may be reading a large library and be quick the next time. Slow twice:
            # it is stuck.
            used.missed += 1
            if used.missed > 1:
                self._leave(used)
            raise
        finally:
            used.stay()
            loop = asyncio.get_running_loop()
            used.going = loop.call_later(self._idle, self._leave, used)

    async def _start(self, place: Place) -> _Server:
        old = self._servers.pop(place, None)
        if old is not None:
            self._leave(old)
        while len(self._servers) >= MOST_SERVERS:
            unused = [one for one in self._servers.values() if not one.turn.locked()]
            self._leave(next(iter(unused or self._servers.values())))
        # The one who writes a configuration of their own for ty meant it; the interpreter is what
        # the session really runs on.
        settings = {
            "diagnosticMode": "openFilesOnly",
            "configuration": {"environment": {"python": place.python}},
        }
        program = self._program or find("ty")
        server = await start([program, "server"], place.directory, settings)
        used = _Server(place, server)
        root = Path(place.directory).as_uri()
        try:
            await server.ask(
                "initialize",
                {
                    "processId": os.getpid(),
                    "rootUri": root,
                    "workspaceFolders": [{"uri": root, "name": "session"}],
                    "initializationOptions": settings,
                    "capabilities": {
                        # Code points: what our columns count.
                        "general": {"positionEncodings": ["utf-32"]},
                        "textDocument": {"diagnostic": {"dynamicRegistration": False}},
                        "workspace": {"configuration": True},
                    },
                },
            )
            await server.tell("initialized", {})
        except BaseException:
            self._leave(used)
            raise
        self._servers[place] = used
        return used

    async def _ask(self, used: _Server, document: Document) -> dict[str, Any]:
        server = used.server
        # Files change behind its back; told that the folder is new, it looks at them again.
        changed = {"uri": Path(used.place.directory).as_uri(), "type": _CREATED}
        await server.tell("workspace/didChangeWatchedFiles", {"changes": [changed]})
        async with self._opened(server, document) as uri:
            answer = await server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        return answer if isinstance(answer, dict) else {}

    @asynccontextmanager
    async def _opened(self, server: LanguageServer, document: Document) -> AsyncIterator[str]:
        """Show the document to the server; gives the address of the part that is asked about."""
        if document.file is not None:
            uri = document.file.as_uri()
            shown = {"uri": uri, "languageId": "python", "version": 1, "text": document.cells[-1]}
            await server.tell("textDocument/didOpen", {"textDocument": shown})
            try:
                yield uri
            finally:
                await server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            return
        notebook = f"untitled:hearth-{next(self._numbers)}.ipynb"
        cells = [
            {"uri": f"{notebook}#{number}", "languageId": "python", "version": 1, "text": text}
            for number, text in enumerate(document.cells)
        ]
        about = {
            "uri": notebook,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": _CODE_CELL, "document": cell["uri"]} for cell in cells],
        }
        await server.tell(
            "notebookDocument/didOpen", {"notebookDocument": about, "cellTextDocuments": cells}
        )
        try:
            yield str(cells[-1]["uri"])
        finally:
            await server.tell(
                "notebookDocument/didClose",
                {
                    "notebookDocument": {"uri": notebook},
                    "cellTextDocuments": [{"uri": cell["uri"]} for cell in cells],
                },
            )

    def _leave(self, used: _Server) -> None:
        used.stay()
        if self._servers.get(used.place) is used:
            del self._servers[used.place]
        task = asyncio.get_running_loop().create_task(used.server.close())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    start, end = found["range"]["start"], found["range"]["end"]
    # What follows the first paragraph is for reading on a terminal.
    message = str(found["message"]).partition("\n\n")[0]
    return Diagnostic(
        message=message[:LONGEST_MESSAGE],
        severity=_SEVERITIES.get(found.get("severity", 1), Severity.ERROR),
        start_line=start["line"] + 1,
        start_column=start["character"],
        end_line=end["line"] + 1,
        end_column=end["character"],
        rule=str(found.get("code") or ""),
    )
