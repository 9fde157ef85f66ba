"""The corpus of hostile command lines, run for real in the sandbox: nothing outside is touched.

That each asks or is denied is held where they are judged. This is what happens if a person says yes
to all of them, having allowed nothing outside of the project.
"""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from tests.performers.judging.shell.hostile import HOSTILE, Hostile
from tests.performers.judging.shell.project import CANARY, Project, make_project

from hearth.performers.sandbox.bubblewrap import Sandbox
from hearth.performers.tools.shell.environment import shell, surroundings

LIMIT: Final = 20.0
AT_ONCE: Final = 4
LINES: Final = tuple(one for one in HOSTILE if one.runs)
ENVIRON: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "API_KEY": "very-secret"}


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) >= 150
    assert len(LINES) >= 150


@pytest.mark.timeout(280)
@pytest.mark.parametrize("share", range(AT_ONCE))
def test_run_for_real_none_reaches_what_is_outside_or_hidden(tmp_path: Path, share: int) -> None:
    project = make_project(tmp_path)
    sandbox = Sandbox((str(project.home),))
    standing = sandbox.probed()
    assert standing.is_on, standing.why
    with ThreadPoolExecutor(2) as pool:
        shown = list(pool.map(lambda one: _run(one, project, sandbox), LINES[share::AT_ONCE]))
    harmed = [line for line, output in shown if "secret" in output]
    assert harmed == []
    assert (project.outside / CANARY).read_text() == "alive\n"
    assert [one.name for one in project.outside.iterdir()] == [CANARY]
    assert [one.name for one in project.home.iterdir()] == ["token"]
    assert (tmp_path / "project-sibling" / "file").read_text() == "other\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "hearth",
        "outside",
        "project",
        "project-sibling",
    ]
    assert "fsmonitor" not in (project.root / ".git/config").read_text()


def _run(one: Hostile, project: Project, sandbox: Sandbox) -> tuple[str, str]:
    """The line, and all that it showed."""
    line, root = project.line(one.line), str(project.root)
    argv = sandbox.wrapped(shell(line), directory=root, root=root)
    environment = surroundings(ENVIRON, root)
    try:
        ran = subprocess.run(  # noqa: S603 - contained: that is what is tried
            argv,
            check=False,
            env=environment,
            capture_output=True,
            timeout=LIMIT,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return line, ""
    except ValueError:  # a NUL, which no program can be given
        return line, ""
    return line, (ran.stdout + ran.stderr).decode("utf-8", "replace")
