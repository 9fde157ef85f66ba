"""A project, and calls of file tools in it that are judged and then run."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.judging.paths import Place
from hearth.performers.tools.arguments import parsed
from hearth.performers.tools.files.edit_file import EditFile
from hearth.performers.tools.files.read_file import ReadFile
from hearth.performers.tools.files.seen import Seen
from hearth.performers.tools.files.write_file import WriteFile
from hearth.performers.tools.files.writing import AfterWrite, Writing
from hearth.performers.tools.tool import Outcome, Scene, Tool, Wanted

SESSION = SessionId("session-1")


@dataclass
class Desk:
    """Somebody who works in a project."""

    root: Path
    session: SessionId = SESSION
    seen: Seen = field(default_factory=Seen)
    after_write: AfterWrite | None = None
    forbidden: tuple[str, ...] = ()
    directory: Path | None = None
    kept: dict[str, bytes] = field(default_factory=dict)

    async def _keep(self, content: bytes, media_type: str) -> Blob:
        blob = Blob(sha256(content).hexdigest(), len(content), media_type)
        self.kept[blob.sha256] = content
        return blob

    @property
    def scene(self) -> Scene:
        here = str(self.directory or self.root)
        return Scene(self.session, here, str(self.root), keep=self._keep)

    def place(self, scene: Scene) -> Place:
        return Place(scene.directory, scene.root, self.forbidden)

    @property
    def reading(self) -> ReadFile:
        return ReadFile(self.place, self.seen)

    @property
    def writing(self) -> WriteFile:
        return WriteFile(self.place, Writing(self.seen, self.after_write))

    @property
    def editing(self) -> EditFile:
        return EditFile(self.place, Writing(self.seen, self.after_write))

    def judged(self, tool: Tool, arguments: dict[str, Any]) -> tuple[Wanted, Scene]:
        """What a call wants, and the scene in which all of that is allowed."""
        wanted = tool.wants(arguments, self.scene)
        return wanted, replace(self.scene, needs=wanted.needs)

    async def call(self, tool: Tool, **arguments: Any) -> Outcome:
        """Judge a call, allow it and run it."""
        wanted, scene = self.judged(tool, arguments)
        if wanted.problem:
            return Outcome(wanted.problem, is_error=True)
        return await tool.run(arguments, scene)

    async def read(self, path: object, **arguments: Any) -> Outcome:
        return await self.call(self.reading, path=str(path), **arguments)

    async def write(self, path: object, content: str) -> Outcome:
        return await self.call(self.writing, path=str(path), content=content)

    async def edit(self, path: object, *edits: tuple[str, str]) -> Outcome:
        replacing = [{"old": old, "new": new} for old, new in edits]
        return await self.call(self.editing, path=str(path), edits=replacing)


def takes(tool: Tool, text: str) -> dict[str, Any]:
    """Arguments as the performer takes them from a model."""
    return parsed(text, tool.input_schema)
