"""One server that runs: what it was shown, and what it found. Both ways of telling are understood.

A server either is asked about a file (pull), or tells by itself once it has looked (push).
"""

import asyncio
import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from hearth.performers.interpreter.checking.language_server import LanguageServer, Refused
from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server.abilities import CAPABILITIES, Abilities, abilities_of
from hearth.performers.language_server.detecting import ServerSpec, language_of
from hearth.performers.language_server.disk import Content, Stamp
from hearth.performers.language_server.findings import Finding
from hearth.performers.language_server.known import Known
from hearth.performers.language_server.reading import Reader, path_of, reports_of, uri_of

MOST_OPEN: Final = 64
"""So many files are shown to a server at a time; the one that was touched longest ago is closed."""
QUIET: Final = 0.1
"""Seconds without news after which a server that tells by itself has told all."""

_NUMBER: Final = re.compile(rb'\{\s*(?:"jsonrpc"\s*:\s*"2.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,')
_CREATED: Final = 1
_CHANGED: Final = 2
_DELETED: Final = 3
_TRIES: Final = 3
_AGAIN: Final = 0.05


@dataclass(slots=True)
class Document:
    """A file that a server was shown."""

    text: str
    stamp: Stamp
    version: int = 1
    is_told: bool = False
    """Whether a server that tells by itself has told about this version."""


class Running(LanguageServer):
    """A server of one project. `begin` comes first; `known` outlives it and belongs to the caller.

    What is asked of a server that has ended, or that refuses, raises `Unavailable`.
    """

    largest: ClassVar[int] = 8 * 1024**2
    largest_skipped: ClassVar[int] = 1024**3

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        spec: ServerSpec,
        root: str,
        known: Known,
    ) -> None:
        super().__init__(process, dict(spec.options))
        self.spec = spec
        self.root = root
        self.known = known
        self.documents: dict[str, Document] = {}
        """What is open, the one that was touched last at the end."""
        self.edits = 0
        """Counts what the server was told, so that an answer about before is known as such."""
        self.can = Abilities()
        self._reader = Reader(spec.name)
        self._news = asyncio.Event()

    async def begin(self, parent: int | None) -> None:
        """Agree on how to talk. `parent`: who it is to end with, if it can see that process."""
        uri = uri_of(self.root)
        answer = await self.ask(
            "initialize",
            {
                "processId": parent,
                "clientInfo": {"name": "hearth"},
                "rootUri": uri,
                "rootPath": self.root,
                "workspaceFolders": [self._folder()],
                "initializationOptions": self._settings,
                "capabilities": CAPABILITIES,
            },
        )
        self.can = abilities_of(answer)
        self._reader.encoding = self.can.encoding
        await self.tell("initialized", {})
        if self._settings:
            await self.tell("workspace/didChangeConfiguration", {"settings": self._settings})

    async def show(self, path: str, content: Content) -> None:
        """Let it see what is in a file now."""
        uri, text = uri_of(path), content.text
        document = self.documents.pop(path, None)
        if document is None:
            document = Document(text, content.stamp)
            shown = {"uri": uri, "languageId": language_of(path), "version": 1, "text": text}
            said = "textDocument/didOpen"
            params: dict[str, Any] = {"textDocument": shown}
        else:
            document.stamp = content.stamp
            if document.text == text:
                self.documents[path] = document
                return
            document.text = text
            document.version += 1
            document.is_told = False
            said = "textDocument/didChange"
            about = {"uri": uri, "version": document.version}
            params = {"textDocument": about, "contentChanges": [{"text": text}]}
        self.documents[path] = document
        self.edits += 1
        await self.tell(said, params)
        while len(self.documents) > MOST_OPEN:
            await self.hide(next(iter(self.documents)))

    async def hide(self, path: str) -> None:
        """Let it no longer see a file as it was shown: what is on the disk counts."""
        if self.documents.pop(path, None) is not None:
            self.edits += 1
            await self.tell("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})

    async def written(self, paths: Mapping[str, bool]) -> None:
        """Say that files were written, or (False) are gone, whatever kind of files they are."""
        changes = []
        for path, is_there in paths.items():
            kind = _CHANGED if path in self.documents else _CREATED
            changes.append({"uri": uri_of(path), "type": kind if is_there else _DELETED})
        self.edits += 1
        await self.tell("workspace/didChangeWatchedFiles", {"changes": changes})
        for path in paths:
            if path in self.documents and self.can.wants_saves:
                about = {"textDocument": {"uri": uri_of(path)}, "text": self.documents[path].text}
                await self.tell("textDocument/didSave", about)

    async def look_around(self) -> None:
        """Let it see that files may have changed behind its back."""
        change = {"uri": uri_of(self.root), "type": _CREATED}
        await self.tell("workspace/didChangeWatchedFiles", {"changes": [change]})

    async def look(self, paths: Iterable[str]) -> None:
        """Bring `known` up to date for these files, which are open, and for those they concern."""
        wanted = [path for path in paths if path in self.documents]
        if not self.can.pulls:
            await self._listen(wanted)
            return
        others = [path for path in self.documents if path not in wanted]
        for path in (*wanted, *(others if self.can.reaches_far and wanted else ())):
            await self._pull(path)

    async def look_at_all(self) -> float:
        """Bring `known` up to date for the files that are not open; how many seconds it took.

        Only for a server that `sees_all`. An answer that an edit has overtaken is let go.
        """
        began, edits = time.monotonic(), self.edits
        # A server may wait until it has something new to say. To one who says to know something
        # of the folder, of which nothing is ever found, it has.
        known = [{"uri": uri_of(self.root), "value": "none"}]
        answer = await self._patiently("workspace/diagnostic", {"previousResultIds": known})
        found = await asyncio.to_thread(self._all, answer)
        if edits == self.edits:
            for path in (*found, *(clean for clean in self.known if clean not in found)):
                if path not in self.documents:
                    self.known.keep(path, found.get(path, ()))
        return time.monotonic() - began

    def hear(self, method: str, params: Any) -> None:
        """Take what it tells about a file."""
        match method, params:
            case "textDocument/publishDiagnostics", {"uri": uri, "diagnostics": items}:
                path = path_of(uri)
                if path is not None:
                    self._published(path, params.get("version"), items)
            case _:
                pass  # what it would show in an editor

    def answer(self, method: str, params: Any) -> Any:
        """What a server wants to know, or to have done."""
        match method, params:
            case "workspace/configuration", {"items": list(items)}:
                return [self._section(item) for item in items]
            case "workspace/workspaceFolders", _:
                return [self._folder()]
            case "workspace/applyEdit", _:
                return {"applied": False, "failureReason": "nobody asked for it"}
            case "window/showDocument", _:
                return {"success": False}
            case _:
                return None

    def too_large(self, size: int, head: bytes) -> None:
        """Of so much nothing is told, and the server can be asked something else."""
        why = f"it found more than can be told ({size // 1024**2} MiB)"
        number = _NUMBER.match(head)
        if number is not None:
            self._settle(int(number[1]), Unavailable(why))
        else:
            self._fail(why)  # whose answer it is cannot be seen

    def _all(self, answer: Any) -> dict[str, tuple[Finding, ...]]:
        """The findings in files that are not open. In a thread: there may be many."""
        reports = reports_of(answer)
        return {
            path: self._reader.findings(path, items, None)
            for path, items in reports
            if path != self.root
        }

    async def _pull(self, path: str) -> None:
        document = self.documents[path]
        version = document.version
        answer = await self._patiently(
            "textDocument/diagnostic", {"textDocument": {"uri": uri_of(path)}}
        )
        match answer:
            case {"items": list(items)} if document.version == version:
                self.known.keep(path, self._reader.findings(path, items, document.text))
            case _:
                return
        related = answer.get("relatedDocuments")
        for uri, report in related.items() if isinstance(related, dict) else ():
            other = path_of(uri)
            if other is not None and isinstance(report, dict) and "items" in report:
                shown = self.documents.get(other)
                text = shown.text if shown else None
                self.known.keep(other, self._reader.findings(other, report["items"], text))

    async def _patiently(self, method: str, params: Any) -> Any:
        """The answer of a server that may refuse once, because it has just heard something else."""
        for _ in range(_TRIES - 1):
            try:
                return await self.ask(method, params)
            except Refused:
                await asyncio.sleep(_AGAIN)
        return await self.ask(method, params)

    async def _listen(self, paths: list[str]) -> None:
        """Wait until it has told about these, and is quiet."""
        while not all(self.documents[path].is_told for path in paths if path in self.documents):
            await self._hear_more(None)
        while await self._hear_more(QUIET):
            pass

    async def _hear_more(self, patience: float | None) -> bool:
        """Whether it told something in time. `Unavailable`: it never will."""
        self._news.clear()
        news = asyncio.ensure_future(self._news.wait())
        ended = asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait({news, ended}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
            ended.cancel()
        if self.ended.is_set():
            raise Unavailable("the server ended")
        return self._news.is_set()

    def _published(self, path: str, version: Any, items: Any) -> None:
        document = self.documents.get(path)
        if document is not None:
            if isinstance(version, int) and version < document.version:
                return  # about what was there before
            document.is_told = True
        text = document.text if document else None
        self.known.keep(path, self._reader.findings(path, items, text))
        self._news.set()

    def _folder(self) -> dict[str, str]:
        return {"uri": uri_of(self.root), "name": os.path.basename(self.root) or "/"}  # noqa: PTH119  no path is needed

    def _section(self, item: Any) -> Any:
        """The part of the options that is asked for; all of them for one that asks by its name."""
        section = item.get("section") if isinstance(item, dict) else None
        if not section or section == self.spec.name:
            return self._settings
        found: Any = self._settings
        for name in str(section).split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return found
