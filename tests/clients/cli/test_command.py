"""One command line, from its words to an exit code."""

import json
import subprocess
import sys

import pytest
from tests.clients.cli.conftest import Run

from hearth.daemon.versions import VERSION

SLOW = (
    "argparse",
    "asyncio",
    "dataclasses",
    "datetime",
    "difflib",
    "hearth.api",
    "hearth.core",
    "http",
    "inspect",
    "logging",
    "msgspec",
    "pathlib",
    "prompt_toolkit",
    "shutil",
    "ssl",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "urllib",
    "uuid",
)
"""What takes longer to import than the daemon takes to answer."""
ROOMS = ("command", "status", "stopping", "running", "ask")
"""What the verbs are made of that are asked for all day."""


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out == f"hearth {VERSION}\n"
    assert run("-V").code == 0


def test_wrong_usage_ends_with_two_and_a_hint(run: Run) -> None:
    done = run("statsu")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: there is no verb `statsu`\nhint: did you mean `status`?\n"


def test_wrong_usage_is_json_for_programs(run: Run) -> None:
    done = run("statsu", "--json")
    assert (done.code, done.err) == (2, "")
    assert done.json["error"]["code"] == "usage"


@pytest.mark.parametrize("verb", ["log", "config", "doctor"])
def test_verbs_without_a_daemon_must_come_first(run: Run, verb: str) -> None:
    words = {"log": ["log", "check"]}.get(verb, [verb])
    done = run(*words)
    assert done.code == 2
    assert f"hearth {verb}" in done.err


def test_the_fast_verbs_import_next_to_nothing() -> None:
    rooms = ", ".join(f"hearth.clients.cli.{room}" for room in ROOMS)
    script = f"import json, sys; import {rooms}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    modules = set(json.loads(done.stdout))
    assert "hearth.clients.cli.status" in modules
    assert sorted(modules & set(SLOW)) == []


def test_the_package_itself_imports_nothing() -> None:
    script = (
        "import sys; before = set(sys.modules); import hearth.clients.cli;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", script], capture_output=True, check=True, timeout=60
    )
    assert eval(done.stdout) == ["hearth", "hearth.clients", "hearth.clients.cli"]  # noqa: S307 - our own list


def test_closed_streams_do_no_harm() -> None:
    script = (
        "import os, sys; os.close(1); os.close(2); sys.stdout = sys.stderr = None;"
        "from hearth.clients.cli import main; sys.exit(main(['--version']) or main(['statsu']))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)  # noqa: S603 - our own words
    assert done.returncode == 2


def test_text_that_cannot_be_written_does_no_harm() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearth", "sés\udcff"],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin", "PYTHONIOENCODING": "ascii", "HEARTH_HOME": "/nonexistent"},
        timeout=60,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"there is no verb" in done.stderr
