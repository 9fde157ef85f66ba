"""What is mounted otherwise than it was planned has nothing run."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.performers.sandbox.trying import LIMIT, Machine

from hearth.performers.sandbox import mounted
from hearth.performers.sandbox.bubblewrap import NoSandbox
from hearth.performers.sandbox.mounted import Line
from hearth.performers.sandbox.mounts import EMPTY, Kind, Mount

TABLE = """22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
30 27 0:30 /@home /home rw shared:3 - btrfs /dev/vdb rw
half a line
"""
READ = "cat x/.git/hooks/id_ed25519 x/.git/id_ed25519 x/id_ed25519 ~/.ssh/*"
WRITE = "echo w > x/.git/owned; echo w > ../out/owned; echo w > ../out/.git/owned"


def _swap(place: Path, target: str) -> None:
    shutil.move(place, place.with_name("aside"))
    place.symlink_to(target)


@pytest.mark.parametrize(
    "swap",
    [
        lambda root: _swap(root / "x/.git", "../../out"),
        lambda root: _swap(root / "x", "../out"),
        lambda root: _swap(root / "x/.git/hooks", "../../../.ssh"),
        lambda root: _swap(root / "x/.git/hooks", "../../../out"),
        lambda root: _swap(root / "x", "y"),
        lambda root: shutil.move(root / "x", root / "z"),
    ],
)
def test_what_is_swapped_after_it_was_planned_is_neither_shown_nor_written_to(
    here: Machine, swap: Callable[[Path], None]
) -> None:
    for place in ("out", "out/.git", "project/x/.git", "project/y/.git"):
        (here.home / place / "hooks").mkdir(parents=True)
        (here.home / place / "config").touch()
    root = str(here.root)
    argv = here.sandbox.wrapped(
        ("/bin/bash", "-c", f"echo ran; {READ}; {WRITE}"), directory=root, root=root
    )
    swap(here.root)
    done = subprocess.run(  # noqa: S603 - the very thing that is tested
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert not list(here.home.rglob("owned"))


def test_what_stays_as_it_was_planned_is_run_whatever_it_is_called(here: Machine) -> None:
    odd = here.root / "with space\tand\\tab\nline é * ?"
    (odd / ".git/hooks").mkdir(parents=True)
    (odd / ".git/config").touch()
    done = here.run("echo ran", temporary=str(here.home / "project"))
    assert (done.stdout, done.stderr) == ("ran\n", "")


def test_more_than_can_be_compared_is_not_run(
    here: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounted, "LONGEST", 10)
    with pytest.raises(NoSandbox, match="too many"):
        here.run("true")


def test_a_table_of_mounts_is_read() -> None:
    assert mounted.lines(TABLE) == [
        Line("/", "/proc", "proc"),
        Line("/", "/", "ext4"),
        Line("/@home", "/home", "btrfs"),
    ]


def test_what_is_to_be_mounted_is_written_as_the_system_writes_it() -> None:
    machine = [
        *mounted.lines(TABLE),
        Line("/", "/home/late", "xfs"),
        Line("/", "/home/late", "nfs"),
    ]
    plan = [
        Mount("/no/such/a b", Kind.WRITABLE),
        Mount("/home/no-such", Kind.READ_ONLY),
        Mount("/home/late", Kind.WRITABLE),
        Mount("/no/cache", Kind.COPIED),
        Mount("/no/hooks", Kind.EMPTIED),
        Mount("/usr", Kind.HIDDEN),
        Mount("/no/file", Kind.HIDDEN),
    ]
    assert mounted.planned(plan, "/home/tmp", machine).split("\n") == [
        "",
        "/@home/tmp /tmp btrfs",
        r"/no/such/a\040b /no/such/a\040b ext4",
        "/@home/no-such /home/no-such btrfs",
        "/ /home/late nfs",
        "/ /no/cache overlay",
        "/ /no/hooks tmpfs",
        "/ /usr tmpfs",
        f"{EMPTY} /no/file ext4",
        "",
    ]
