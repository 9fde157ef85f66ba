"""A person's own store is never met by a test, whatever their environment says."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.journeys.daemons import ROOT

SAMPLE = ("tests/test_app.py", "-k", "fresh_home or error_inside")


def _run(tmp_path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """As in the shell of somebody who uses hearth every day."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path / "home"),
        "HEARTH_HOME": str(tmp_path / "home" / ".hearth"),
        "HEARTH_DATABASE_URL": f"sqlite://{tmp_path}/theirs.db",
    }
    return subprocess.run(  # noqa: S603 - our own interpreter and words
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.promise("SF-LOG-21")
def test_a_run_of_tests_leaves_a_persons_store_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.db"
    with closing(sqlite3.connect(theirs)) as connection, connection:
        connection.execute("CREATE TABLE precious (thing)")
    (tmp_path / "home").mkdir()
    before = theirs.read_bytes(), theirs.stat().st_mtime_ns
    done = _run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SAMPLE)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert (theirs.read_bytes(), theirs.stat().st_mtime_ns) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "theirs.db"]
    assert not (tmp_path / "home" / ".hearth").exists()


@pytest.mark.promise("SF-LOG-21", "SF-SEC-02")
def test_no_test_can_even_read_where_it_is(tmp_path: Path) -> None:
    code = "import os, tests.conftest; print([n for n in os.environ if n.startswith('HEARTH_')])"
    done = _run(tmp_path, "-c", code)
    assert done.stdout.strip() == "[]", done.stderr
