"""Programs of agents are contained, by the real bubblewrap."""

import asyncio
import os
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from tests.performers.sandbox.trying import LIMIT, Machine

from hearth.performers.sandbox import bubblewrap
from hearth.performers.sandbox.bubblewrap import NoSandbox, Sandbox


async def test_it_is_tried_once() -> None:
    sandbox = Sandbox(())
    async with asyncio.timeout(LIMIT):
        first, second = await asyncio.gather(sandbox.probe(), sandbox.probe())
    assert first is second
    assert first.is_on


def test_the_project_can_be_written_to_and_nothing_else(here: Machine) -> None:
    done = here.run(
        "echo inside > file; echo out > ../canary; echo out > ~/canary; echo out > /etc/canary; "
        "echo out > /usr/canary; cd /; echo out > /canary; echo out > /var/tmp/canary; ls ~"
    )
    assert (here.root / "file").read_text(encoding="utf-8") == "inside\n"
    for outside in (here.home, Path("/etc"), Path("/usr"), Path("/"), Path("/var/tmp")):  # noqa: S108 - looked at
        assert not (outside / "canary").exists()
    assert "Read-only file system" in done.stderr
    assert "project" in done.stdout


def test_keys_history_and_what_is_hearths_own_are_not_seen(here: Machine) -> None:
    done = here.run(
        "cat ~/.ssh/* ~/.netrc ~/.bash_history ~/.hearth/* ~/.config/hearth/*; "
        "ls -A ~/.ssh ~/.hearth ~/.aws; echo new > ~/.ssh/authorized_keys; echo x > ~/.netrc"
    )
    for secret in ("private", "password", "typed", "token"):
        assert secret not in done.stdout
    assert not (here.home / ".ssh/authorized_keys").exists()
    assert (here.home / ".netrc").read_text(encoding="utf-8") == "password"


def test_what_is_hidden_stays_hidden_where_the_home_itself_is_the_project(here: Machine) -> None:
    store = here.home / ".config/gh/plugin/.git"
    store.mkdir(parents=True)
    (store / "config").write_text("oauth", encoding="utf-8")
    done = here.run(
        "cat .ssh/* .netrc .hearth/* .config/gh/plugin/.git/config; "
        "mv .ssh .s2; mv .config .c2; cat .c2/gh/plugin/.git/config; "
        "echo here > seen; mv .c2 .config",
        root=here.home,
    )
    for secret in ("private", "password", "token", "oauth"):
        assert secret not in done.stdout
    assert (here.home / "seen").exists()
    assert (here.home / ".ssh/id_ed25519").exists()


def test_a_project_below_a_hidden_folder_is_seen_and_its_neighbours_are_not(here: Machine) -> None:
    root = here.own / "projects/one"
    root.mkdir(parents=True)
    done = here.run("echo x > file; ls -A ..; cat ../../tokens.json; touch ../two", root=root)
    assert (root / "file").exists()
    assert done.stdout == "one\n"
    assert not (here.own / "projects/two").exists()


def test_a_project_that_is_named_by_a_link_is_the_one_that_it_leads_to(here: Machine) -> None:
    link = here.home / "link"
    link.symlink_to(here.root)
    done = here.run("echo x > file; pwd -P", root=link)
    assert done.stdout.strip() == str(here.root)
    assert (here.root / "file").exists()


def test_a_project_in_the_folder_for_temporary_files_is_there(
    tmp_path: Path, here: Machine
) -> None:
    done = here.run("echo x > file; ls ..", root=tmp_path)
    assert (tmp_path / "file").exists()
    assert done.stdout.split() == [tmp_path.name]


def test_temporary_files_are_forgotten_unless_a_folder_is_given(here: Machine) -> None:
    folder = here.own / "tmp"
    folder.mkdir()
    assert here.run('echo x > "$TMPDIR/a"; ls /tmp').stdout == "a\n"
    assert here.run("ls /tmp").stdout == ""
    here.run("echo x > /tmp/b", temporary=str(folder))
    assert here.run("ls /tmp", temporary=str(folder)).stdout == "b\n"
    assert (folder / "b").exists()


def test_a_folder_that_a_person_allowed_is_written_to_but_never_hearths_own(here: Machine) -> None:
    other = here.home / "other"
    other.mkdir()
    here.run(
        "echo x > ~/other/file; echo x > ~/.hearth/file; echo x > ~/.hearth/deep/file",
        writable=(str(other), str(here.own), str(here.own / "deep"), str(here.home / "missing")),
    )
    assert (other / "file").exists()
    assert [one.name for one in here.own.iterdir()] == ["tokens.json"]


def test_what_a_person_wants_to_be_seen_is_seen_and_not_written_to(here: Machine) -> None:
    done = here.run(
        "cat ~/.netrc ~/.ssh/id_ed25519 ~/.hearth/tokens.json; echo x > ~/.netrc; ls ~/.ssh",
        readable=(str(here.home / ".netrc"), str(here.home / ".ssh/id_ed25519"), str(here.own)),
    )
    assert done.stdout == "passwordprivateid_ed25519\n"
    assert (here.home / ".netrc").read_text(encoding="utf-8") == "password"


def test_a_folder_that_is_seen_does_not_show_the_keys_in_it(here: Machine) -> None:
    done = here.run("cat ~/.netrc ~/.ssh/*; ls ~", readable=(str(here.home), "/", "/run", "/proc"))
    assert done.stdout == "project\n"
    done = here.run(
        "cat ~/.netrc ~/.ssh/*; echo x > ~/file", writable=(str(here.home), "/", "/dev")
    )
    assert done.stdout == ""
    assert (here.home / "file").exists()


@pytest.mark.parametrize("place", ["/", "/proc", "/dev", "/run"])
def test_what_keeps_programs_apart_cannot_be_opened_up(here: Machine, place: str) -> None:
    done = here.run(
        "ls -d /proc/[0-9]* | wc -l; ls -A /run; touch /canary; "
        "test -w /proc/sys/kernel/core_pattern && echo written",
        writable=(place,),
        readable=(place,),
    )
    assert int(done.stdout.split()[0]) < 10
    assert "written" not in done.stdout
    assert not Path("/canary").exists()


def test_the_whole_folder_for_temporary_files_does_not_show_what_is_hidden_in_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/token").write_text("secret", encoding="utf-8")
    sandbox = Sandbox((str(tmp_path / "own"),))
    above = str(tmp_path.parent)
    for root in (tempfile.gettempdir(), above):
        command = sandbox.wrapped(
            ("/bin/bash", "-c", f"ls {tmp_path}; cat {tmp_path}/own/token"),
            directory=root,
            root=root,
        )
        done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)  # noqa: S603 - the very thing that is tested
        assert done.stdout == b"own\n"


def test_other_processes_are_neither_seen_nor_reached(here: Machine) -> None:
    us = os.getpid()
    done = here.run(
        f"kill -0 {us}; kill -9 {us}; ls -d /proc/[0-9]* | wc -l; "
        f"tr '\\0' '\\n' < /proc/1/environ; cat /proc/{us}/environ"
    )
    assert int(done.stdout.split()[0]) < 10
    assert done.stderr.count("No such process") == 2
    assert "PYTEST_CURRENT_TEST" not in done.stdout


@pytest.mark.parametrize("network", [True, False])
def test_the_network_is_there_only_if_it_is_allowed(here: Machine, *, network: bool) -> None:
    heard = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LIMIT)
        port = server.getsockname()[1]
        done = here.run(f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected", network=network)
        if network:
            server.accept()[0].close()
            heard.set()
    assert ("connected" in done.stdout) is network
    assert heard.is_set() is network


def test_sockets_of_other_programs_are_not_there(here: Machine) -> None:
    path = here.own / "hearth.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        done = here.run(
            f"python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{path}')\"; "
            "ls -A /run /var/run",
            network=True,
        )
    assert "FileNotFoundError" in done.stderr
    for name in ("user", "dbus", "docker.sock", "systemd/private"):
        assert name not in done.stdout.split()


def test_root_and_everybody_else_is_without_any_power(here: Machine) -> None:
    before = Path("/proc/sys/kernel/core_pattern").read_bytes()
    done = here.run(
        "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; "
        "mount -o remount,rw / ; umount ~/.ssh; umount -l /proc; "
        "unshare -Ur true && echo nested; mknod /tmp/disk b 259 0; "
        "test -w /proc/sys/kernel/core_pattern && echo written; "
        "echo 1 > /proc/sys/kernel/ns_last_pid; ls -A ~/.ssh; ls /dev"
    )
    lines = done.stdout.splitlines()
    assert lines[0].split()[1] == lines[1].split()[1] == "0000000000000000"
    assert lines[2].split()[1] == "1"
    assert not {"nested", "written", "id_ed25519", "mem", "kmsg", "sda", "vda"} & set(lines)
    assert Path("/proc/sys/kernel/core_pattern").read_bytes() == before


def test_a_program_that_belongs_to_root_gives_no_power(here: Machine) -> None:
    done = here.run("cp /bin/sh ./own; chmod u+s ./own; ./own -pc 'grep CapEff /proc/self/status'")
    assert done.stdout.split()[1] == "0000000000000000"


def test_what_forks_away_ends_with_the_command(here: Machine) -> None:
    # It would write for ever, into a file that only it writes to.
    read, write = os.pipe()
    command = here.sandbox.wrapped(
        ("/bin/bash", "-c", "(setsid bash -c 'trap \"\" HUP TERM; exec sleep 1000' &) ; echo over"),
        directory=str(here.root),
        root=str(here.root),
    )
    with subprocess.Popen(  # noqa: S603 - the very thing that is tested
        command, stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.DEVNULL
    ) as process:
        os.close(write)
        with os.fdopen(read, "rb") as said:
            # The pipe comes to its end only when nobody has it open any more.
            assert said.read() == b"over\n"
        assert process.wait(LIMIT) == 0


def test_what_runs_ends_with_whoever_started_it(here: Machine) -> None:
    command = here.sandbox.wrapped(
        ("/bin/bash", "-c", "echo begun; exec sleep 1000"),
        directory=str(here.root),
        root=str(here.root),
    )
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:  # noqa: S603 - the very thing that is tested
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()
        assert process.stdout.read() == b""  # it would stay open as long as anything lived


def test_caches_are_read_and_what_is_written_there_is_forgotten(here: Machine) -> None:
    (here.home / ".cache").mkdir()
    (here.home / ".cache/wheel").write_text("kept", encoding="utf-8")
    done = here.run("cat ~/.cache/wheel; echo new > ~/.cache/other && cat ~/.cache/other")
    assert done.stdout == "keptnew\n"
    assert [one.name for one in (here.home / ".cache").iterdir()] == ["wheel"]


def test_arguments_and_the_exit_code_come_through_as_they_are(here: Machine) -> None:
    command = here.sandbox.wrapped(
        ("/bin/bash", "-c", 'printf "%s|" "$@"; exit 7', "name", "a b", "", "$HOME", "--", "-u"),
        directory=str(here.root),
        root=str(here.root),
    )
    done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)  # noqa: S603 - the very thing that is tested
    assert (done.returncode, done.stdout) == (7, b"a b||$HOME|--|-u|")


def test_no_cores_are_written(here: Machine) -> None:
    assert here.run("ulimit -c").stdout == "0\n"


def test_without_a_program_it_says_so_and_wraps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter(()))
    sandbox = Sandbox(())
    assert not sandbox.probed().is_on
    assert "there is no bubblewrap" in sandbox.probed().why
    with pytest.raises(NoSandbox, match="there is no bubblewrap"):
        sandbox.wrapped(("true",), directory="/", root="/")


def test_a_program_that_fails_is_passed_over_for_one_that_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho bwrap: setting up uid map: Permission denied >&2; exit 1\n")
    broken.chmod(0o700)
    real = next(bubblewrap.programs())
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter((str(broken), real)))
    assert Sandbox(()).probed().is_on
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter((str(broken),)))
    standing = Sandbox(()).probed()
    assert not standing.is_on
    assert "uid map: Permission denied" in standing.why
    assert "AppArmor" in standing.why
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter((str(tmp_path / "gone"),)))
    assert "No such file" in Sandbox(()).probed().why


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hanging = tmp_path / "bwrap"
    hanging.write_text("#!/bin/sh\nexec sleep 1000\n", encoding="utf-8")
    hanging.chmod(0o700)
    monkeypatch.setattr(bubblewrap, "PATIENCE", 0.05)
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter((str(hanging),)))
    assert "did not come to an end" in Sandbox(()).probed().why


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("bwrap: No permissions to create new namespace", "user namespaces"),
        ("bwrap: Creating new namespace failed: No space left on device", "max_user_namespaces"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "forbids mounts"),
        ("bwrap: something new", "bubblewrap says: something new"),
    ],
)
def test_what_bubblewrap_complains_about_is_said_with_its_reason(said: str, means: str) -> None:
    assert means in bubblewrap.in_words(said)


def test_a_container_is_named_as_the_likely_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("container", "podman")
    assert "hearth runs in a container" in bubblewrap.in_words("bwrap: No permissions")
