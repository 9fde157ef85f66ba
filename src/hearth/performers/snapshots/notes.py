"""What hearth notes beside the states of a project, because git has no place for it."""

import contextlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

USUAL_MODES: Final = frozenset({0o644, 0o755, 0o664, 0o775})
"""Not noted: files have them unless somebody wants otherwise."""
MOST_BEGUN: Final = 50
"""So many rewinds are remembered, the newest."""


class Notes:
    """What was left out of each state, the modes of files, and what rewinds began with. OSError."""

    def __init__(self, folder: Path) -> None:
        self._left_out = folder / "left_out"
        self._modes = folder / "modes.json"
        self._begun = folder / "begun.json"

    def left_out_of(self, tree: str) -> frozenset[bytes]:
        """What was there when a state was kept, and could not be kept."""
        with contextlib.suppress(FileNotFoundError):
            return frozenset((self._left_out / tree).read_bytes().split(b"\0")) - {b""}
        return frozenset()

    def add_left_out(self, tree: str, paths: Collection[bytes]) -> None:
        """Note what could not be kept."""
        new = frozenset(paths) - self.left_out_of(tree)
        if new:
            self._left_out.mkdir(exist_ok=True)
            with (self._left_out / tree).open("ab") as notes:
                notes.write(b"".join(one + b"\0" for one in sorted(new)))

    def forget(self, tree: str) -> None:
        """Let go of what was noted about a state."""
        (self._left_out / tree).unlink(missing_ok=True)

    def modes(self) -> dict[bytes, int]:
        """Who may do what with files where that is unusual, as it was seen last."""
        # Without it, or with a broken one, files are created as any other program would.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            raw = json.loads(self._modes.read_bytes())
            return {os.fsencode(path): int(mode) for path, mode in raw.items()}
        return {}

    def add_modes(self, seen: Mapping[bytes, int]) -> None:
        """Note who may do what with files that were seen just now."""
        if not seen:
            return
        known = self.modes()
        now = {path: mode for path, mode in known.items() if path not in seen}
        now |= {path: mode for path, mode in seen.items() if mode not in USUAL_MODES}
        if now != known:
            _put(self._modes, {os.fsdecode(path): mode for path, mode in now.items()})

    def begun(self) -> dict[str, str]:
        """The states that rewinds began with, by what asked for them, the newest last."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            raw = json.loads(self._begun.read_bytes())
            return {str(question): str(tree) for question, tree in raw.items()}
        return {}

    def begin(self, question: str, tree: str) -> None:
        """Note the state that a rewind begins with, before it changes anything."""
        now = [*self.begun().items(), (question, tree)][-MOST_BEGUN:]
        _put(self._begun, dict(now))


def _put(file: Path, said: Mapping[str, object]) -> None:
    """Whole or not at all."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps(said), "ascii")
    new.replace(file)
