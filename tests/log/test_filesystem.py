from pathlib import Path

import pytest

from hearth.log.filesystem import filesystem_type, network_warning

TABLE = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /home rw,relatime shared:2 master:3 - nfs4 server:/home rw
31 30 0:26 / /home/anna/local rw - xfs /dev/sdb rw
32 22 0:27 / /mnt/my\040share rw - cifs //server/share rw
33 22 0:28 / /data rw - ext4 /dev/sdc rw
34 33 0:29 / /data rw - fuse.sshfs anna@server: rw
not a line of the table
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/hearth.db", "ext4"),
        ("/", "ext4"),
        ("/home/anna/hearth.db", "nfs4"),
        ("/homestead/hearth.db", "ext4"),
        ("/home/anna/local/hearth.db", "xfs"),
        ("/home/anna/localhost", "nfs4"),
        ("/mnt/my share/hearth.db", "cifs"),
        ("/data/hearth.db", "fuse.sshfs"),
    ],
)
def test_a_path_lies_on_the_closest_mount(path: str, kind: str) -> None:
    assert filesystem_type(path, TABLE) == kind


def test_an_empty_table_tells_nothing() -> None:
    assert filesystem_type("/home", "") == ""


def test_a_network_file_system_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "hearth.db"
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:25 / {tmp_path} rw - nfs4 server:/home rw\n")
    warning = network_warning(path, mounts)
    assert warning is not None
    assert "nfs4" in warning
    assert str(path) in warning
    mounts.write_text(f"30 22 0:25 / {tmp_path} rw - ext4 /dev/sda rw\n")
    assert network_warning(path, mounts) is None
    assert network_warning(path, tmp_path / "nothing") is None
    assert network_warning(path) is None
