"""No test meets what belongs to the person who runs it."""

import json
import os
import subprocess
import sys

import pytest
from tests.repo.tree import ROOT


@pytest.mark.promise("SF-LOG-21")
def test_a_persons_own_settings_do_not_reach_the_tests() -> None:
    code = "import json, os, sys, tests.conftest; json.dump(dict(os.environ), sys.stdout)"
    mine = {"HEARTH_DATABASE_URL": "postgresql://sentinel", "HEARTH_HOME": "/nowhere"}
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, **mine, "HEARTH_TEST_PROFILE": "quick"},
        timeout=60,
    )
    seen = json.loads(done.stdout)
    assert [name for name in seen if name.startswith("HEARTH_")] == ["HEARTH_TEST_PROFILE"]
