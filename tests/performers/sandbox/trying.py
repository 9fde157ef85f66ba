"""Runs scripts in the real sandbox."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hearth.performers.sandbox.bubblewrap import Sandbox
from hearth.performers.sandbox.environment import scrubbed

LIMIT = 30.0


@dataclass(frozen=True)
class Machine:
    """A person's home, a project in it and a sandbox, outside of /tmp: that is hidden."""

    home: Path
    root: Path
    own: Path
    """hearth's home."""
    sandbox: Sandbox

    def run(
        self,
        script: str,
        *,
        writable: tuple[str, ...] = (),
        readable: tuple[str, ...] = (),
        network: bool = False,
        temporary: str = "",
        root: Path | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """What a shell script in the project comes to."""
        place = str(self.root if root is None else root)
        command = self.sandbox.wrapped(
            ("/bin/bash", "-c", script),
            directory=place,
            root=place,
            writable=writable,
            readable=readable,
            network=network,
            temporary=temporary,
        )
        return subprocess.run(  # noqa: S603 - the very thing that is tested
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            env=scrubbed({**os.environ, "HOME": str(self.home)}),
        )

    def git(self, *words: str) -> None:
        """Run git in the project, not contained."""
        subprocess.run(  # noqa: S603 - git, with words of the test
            ["git", "-C", str(self.root), *words],  # noqa: S607 - whichever git there is
            check=True,
            capture_output=True,
            timeout=LIMIT,
        )


@contextmanager
def machine() -> Iterator[Machine]:
    """A person's home with everything in it; gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix=".hearth-test-", dir=Path.home())).resolve()
    try:
        home = place / "person"
        for folder in (".ssh", ".aws", ".config/gh", ".config/hearth", ".hearth", "project"):
            (home / folder).mkdir(parents=True)
        (home / ".ssh/id_ed25519").write_text("private", encoding="utf-8")
        (home / ".netrc").write_text("password", encoding="utf-8")
        (home / ".bash_history").write_text("typed", encoding="utf-8")
        (home / ".hearth/tokens.json").write_text("token", encoding="utf-8")
        (home / ".config/hearth/hearth.jsonc").write_text("{}", encoding="utf-8")
        sandbox = Sandbox(
            (str(home / ".hearth"), str(home / ".config/hearth")), {"HOME": str(home)}
        )
        yield Machine(home, home / "project", home / ".hearth", sandbox)
    finally:
        shutil.rmtree(place)
