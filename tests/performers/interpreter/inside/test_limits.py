"""What a process takes on before it is a kernel."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ASKED = """
import json, os, resource, sys
from pathlib import Path
from hearth.performers.interpreter.inside import limits
if os.fork():
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
try:
    limits.confine(Path(sys.argv[1]), json.loads(sys.argv[2]), os.getppid())
except SystemExit as refused:
    limits.say(str(refused))
    os._exit(9)
(Path(sys.argv[1]) / "told").write_text(json.dumps({
    "data": resource.getrlimit(resource.RLIMIT_DATA)[0],
    "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
    "environment": dict(os.environ),
    "directory": os.getcwd(),
    "leads": os.getsid(0) == os.getpid(),
    "streams": [os.readlink(f"/proc/self/fd/{n}") for n in range(3)],
    "first_to_go": Path("/proc/self/oom_score_adj").read_text().strip(),
}))
os._exit(0)
"""


def _confined(folder: Path, **settings: Any) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", ASKED, str(folder), json.dumps(settings)],
        check=False,
        capture_output=True,
        timeout=60,
    )
    told = folder / "told"
    log = folder / "stdio.log"
    return (
        done.returncode,
        json.loads(told.read_text("utf-8")) if told.exists() else {},
        log.read_text("utf-8") if log.exists() else done.stderr.decode(),
    )


def test_a_kernel_has_the_surroundings_it_was_given_and_no_others(tmp_path: Path) -> None:
    given = {"A": "1", "JPY_PARENT_PID": "7", "HEARTH_BORROW": "/x"}
    code, told, _ = _confined(tmp_path, environment=given, directory="/", memory=1 << 30)
    assert code == 0
    assert told["environment"] == {"A": "1"}
    assert told["directory"] == "/"
    assert told["data"] == 1 << 30
    assert told["core"] == 0
    assert told["leads"]
    log = str(tmp_path / "stdio.log")
    assert told["streams"] == ["/dev/null", log, log]
    assert int(told["first_to_go"]) >= 500


def test_a_kernel_without_a_bound_has_none(tmp_path: Path) -> None:
    _, told, _ = _confined(tmp_path, environment={}, directory="/")
    assert told["data"] == -1


def test_a_place_that_is_not_there_is_said(tmp_path: Path) -> None:
    code, told, said = _confined(tmp_path, environment={}, directory="/no/such/place")
    assert (code, told) == (9, {})
    assert said == "cannot work in /no/such/place: No such file or directory\n"
