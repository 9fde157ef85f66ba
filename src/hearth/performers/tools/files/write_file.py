"""`write_file`: a file that is new, or wholly another."""

from collections.abc import Mapping
from typing import Any

from hearth.performers.tools.files.changing import ChangesFile
from hearth.performers.tools.files.opening import NotOpened, shown
from hearth.performers.tools.files.texts import Form, is_text, text_of
from hearth.performers.tools.files.writing import Change
from hearth.performers.tools.tool import Scene


class WriteFile(ChangesFile):
    """Writes whole files."""

    name = "write_file"
    description = (
        "Write a whole text file: a new one, with the folders it is in, or the new content of one "
        "that you have read. To change parts of a file use edit_file."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "The file."},
            "content": {
                "type": "string",
                "maxLength": 5_000_000,
                "description": "All of its text, with a newline at its end.",
            },
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    }

    def change(self, path: str, arguments: Mapping[str, Any], scene: Scene) -> tuple[Change, str]:
        """The content, in the form that the file has."""
        typed, content = arguments["path"], arguments["content"]
        if not is_text(content):
            raise NotOpened("The content is no text: it has half a character. Nothing was written.")
        before = self._writing.known(scene.session, path, typed)
        # Whoever read the file saw no CR and no byte order mark: both stay as they are.
        old = text_of(before) if before else None
        after = (old[1] if old else Form()).bytes(content)
        done = "Created" if before is None else "Replaced"
        return Change(path, typed, before, after), f"{done} {shown(typed)}"
