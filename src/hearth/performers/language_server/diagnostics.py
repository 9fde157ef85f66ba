"""`diagnostics`: an agent asks what language servers find in a file, or in the project."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.permitting import READ
from hearth.performers.judging.paths import Place, path_needs
from hearth.performers.language_server import telling
from hearth.performers.language_server.servers import LanguageServers, Told
from hearth.performers.tools.tool import Outcome, Scene, Wanted

DIAGNOSTICS: Final = "diagnostics"


class Diagnostics:
    """Offered in projects."""

    name = DIAGNOSTICS
    description = (
        "What the project's language servers find: errors and warnings, as they are now. With a "
        "path: all of that file, each as path:line:column severity message (rule, server). "
        "Without: how many there are of each kind, by file. What an edit breaks comes back with "
        "the edit's own result; call this for the rest, or after a command changed files."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "A file, from the working directory or absolute.",
                "minLength": 1,
                "maxLength": 4096,
            },
        },
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, servers: LanguageServers, place_of: Callable[[Scene], Place]) -> None:
        self._servers = servers
        self._place_of = place_of

    def is_offered(self, scene: Scene) -> bool:
        """Whether there is a project."""
        return bool(scene.root)

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """To read the file, or the project."""
        place = self._place_of(scene)
        return Wanted(path_needs(arguments.get("path", place.root), READ, place, "look for errors"))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Ask the servers."""
        if "path" not in arguments:
            told = await self._servers.of_project(scene.root)
            return _outcome(telling.of_project(told.by_file, scene.root), told)
        path = next((one.resolved for one in scene.needs if one.permission == READ), "")
        if not path:
            return Outcome("Nothing was allowed to be read.", is_error=True)
        told = await self._servers.of_file(scene.root, path)
        found = told.by_file[path]
        self._servers.note_given(
            scene, (one for one in found if one.severity is not Severity.HIDDEN)
        )
        return _outcome(telling.of_file(found, path, scene.root), told, files=(path,))


def _outcome(text: str, told: Told, files: tuple[str, ...] = ()) -> Outcome:
    # Where nobody could be asked nothing was found, which must not look like an answer.
    parts = (text, *told.notes) if told.is_answer else told.notes
    return Outcome("\n".join(parts), files=files)
