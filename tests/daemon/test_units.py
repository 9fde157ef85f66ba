"""What is given to systemd and launchd is what they read."""

import configparser
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

from hearth.daemon.units import LABEL, launchd_plist, systemd_unit


def test_the_unit_runs_this_hearth_in_this_home_and_leaves_interpreters_alone() -> None:
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.read_string(systemd_unit("/home/ann/.hearth", "/opt/venv/bin/python", "/usr/bin:/bin"))
    of = unit["Service"]
    assert of["execstart"] == "/opt/venv/bin/python -m hearth --server"
    assert of["type"] == "notify"
    assert of["restart"] == "on-failure"
    assert of["restartpreventexitstatus"] == "2"
    assert of["killmode"] == "process"
    assert of["oompolicy"] == "continue"
    text = systemd_unit("/home/ann/.hearth", "/opt/venv/bin/python", "/usr/bin:/bin")
    assert "\nEnvironment=HEARTH_HOME=/home/ann/.hearth\n" in text
    assert "\nEnvironment=PATH=/usr/bin:/bin\n" in text


def test_odd_paths_are_quoted_as_systemd_reads_them() -> None:
    text = systemd_unit('/home/an n/100%/"x"', "/opt/$v/python", "/usr/bin")
    assert '\nEnvironment="HEARTH_HOME=/home/an n/100%%/\\"x\\""\n' in text
    assert "\nExecStart=/opt/$$v/python -m hearth --server\n" in text


def test_systemd_itself_where_there_is_one_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze") or "true"
    path = tmp_path / "hearth.service"
    path.write_text(systemd_unit(str(tmp_path / "home with 100%"), sys.executable, "/usr/bin"))
    done = subprocess.run(  # noqa: S603 - systemd's own check of our own file
        [analyze, "verify", "--user", "--man=no", str(path)],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    complaints = [
        line
        for line in done.stderr.splitlines()
        # An older systemd says that it leaves out what only newer ones know.
        if "hearth.service" in line and not line.endswith("ignoring.")
    ]
    assert complaints == []


def test_the_agent_of_launchd_runs_this_hearth_and_leaves_interpreters_alone() -> None:
    agent = plistlib.loads(launchd_plist("/Users/ann/.hearth", "/opt/venv/bin/python").encode())
    assert agent["Label"] == LABEL
    assert agent["ProgramArguments"] == ["/opt/venv/bin/python", "-m", "hearth", "--server"]
    assert agent["EnvironmentVariables"]["HEARTH_HOME"] == "/Users/ann/.hearth"
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["AbandonProcessGroup"] is True


def test_the_python_of_an_environment_is_not_followed_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    assert f"ExecStart={tmp_path}/python " in systemd_unit("/h", str(tmp_path / "python"))
