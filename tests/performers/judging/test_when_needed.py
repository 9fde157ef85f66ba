"""Nothing of what judges is loaded before something is judged."""

import subprocess
import sys
from pathlib import Path

from hearth.performers.judging import when_needed
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants
from hearth.performers.judging.shell.analysis import analyse

LOADED = """
import sys
import hearth.app, hearth.serving.main
from hearth.performers.judging import when_needed
from hearth.performers.judging.paths import Place
judges = ("hearth.performers.judging.shell.analysis", "hearth.performers.judging.python_code")
print([name in sys.modules for name in judges])
when_needed.analyse("ls", Place("/", "/"))
when_needed.python_wants("1", Place("/", "/"))
print([name in sys.modules for name in judges])
"""


def test_a_daemon_begins_without_them() -> None:
    shown = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", LOADED], check=True, capture_output=True, text=True
    )
    assert shown.stdout.splitlines() == ["[False, False]", "[True, True]"]


def test_they_say_what_they_say(tmp_path: Path) -> None:
    place = Place(str(tmp_path), str(tmp_path))
    for line in ("ls", "rm -rf /"):
        assert when_needed.analyse(line, place) == analyse(line, place)
    for code in ("1 + 1", "open('x', 'w')"):
        assert when_needed.python_wants(code, place) == python_wants(code, place)
