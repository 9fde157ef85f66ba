"""`edit_file`: exact replacements in a file, all of them or none."""

from collections.abc import Mapping
from typing import Any

from hearth.performers.tools.files.changing import ChangesFile
from hearth.performers.tools.files.editing import Edit, NotApplied, edited
from hearth.performers.tools.files.opening import NotOpened, shown
from hearth.performers.tools.files.texts import is_text, text_of
from hearth.performers.tools.files.writing import Change
from hearth.performers.tools.tool import Scene


class EditFile(ChangesFile):
    """Changes parts of files."""

    name = "edit_file"
    description = (
        "Replace text in a file that you have read. Each edit replaces `old`, exactly as it is in "
        "the file (indentation too, line numbers not), by `new`; `old` must be there exactly once "
        "unless `all` is true. Edits apply in order, and all of them or none. Refused if the file "
        "changed since you read it."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "The file."},
            "edits": {
                "type": "array",
                "minItems": 1,
                "maxItems": 100,
                "items": {
                    "type": "object",
                    "properties": {
                        "old": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The text to replace, with enough around it.",
                        },
                        "new": {"type": "string", "description": "What to put there."},
                        "all": {"type": "boolean", "description": "Replace it everywhere."},
                    },
                    "required": ["old", "new"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["path", "edits"],
        "additionalProperties": False,
    }

    def change(self, path: str, arguments: Mapping[str, Any], scene: Scene) -> tuple[Change, str]:
        """The file with all edits in it."""
        typed = arguments["path"]
        try:
            change, places = self._edited(path, arguments, scene)
        except NotApplied as problem:
            raise NotOpened(f"Nothing was written to {shown(typed)}. {problem}") from problem
        return change, f"Edited {shown(typed)} in {places} place{'s' * (places != 1)}"

    def _edited(self, path: str, arguments: Mapping[str, Any], scene: Scene) -> tuple[Change, int]:
        typed = arguments["path"]
        before = self._writing.known(scene.session, path, typed)
        if before is None:
            raise NotOpened(f"There is no {shown(typed)}: to make it use write_file.")
        old = text_of(before)
        if old is None:
            raise NotOpened(f"{shown(typed)} is no text: it cannot be edited so.")
        text, form = old
        made = edited(text, _edits(arguments["edits"], has_returns=form.has_returns))
        after = form.bytes(made.text)
        if after == before:
            raise NotApplied("The edits undo each other: the file would be the same.")
        return Change(path, typed, before, after), made.places


def _edits(edits: list[dict[str, Any]], *, has_returns: bool) -> list[Edit]:
    made = []
    for number, one in enumerate(edits):
        old, new = one["old"], one["new"]
        if not is_text(new):
            raise NotApplied(f"edits[{number}].new is no text: it has half a character.")
        if has_returns:  # which are put back when all is done
            old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
        made.append(Edit(old, new, bool(one.get("all"))))
    return made
