"""On what kind of file system a path lies, and whether a database is safe there."""

import re
from pathlib import Path
from typing import Final

MOUNTS: Final = Path("/proc/self/mountinfo")

NETWORK: Final = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "glusterfs"),
        *("lustre", "gfs2", "ocfs2", "ncpfs", "davfs", "virtiofs", "drvfs", "vboxsf", "prl_fs"),
        *("fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.davfs2"),
        *("fuse.gvfsd-fuse", "fuse.vmhgfs-fuse", "fuse.google-drive-ocamlfuse"),
    }
)
"""Where other machines may hold the same file: shared memory and locks do not reach them."""

_OCTAL: Final = re.compile(r"\\([0-7]{3})")


def filesystem_type(path: str, mountinfo: str) -> str:
    """The type of the file system an absolute path lies on; empty if the table does not tell."""
    best, found = -1, ""
    for line in mountinfo.splitlines():
        place, _, source = line.partition(" - ")
        fields, kinds = place.split(), source.split()
        if len(fields) < 5 or not kinds:
            continue
        point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), fields[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        # Of two on the same point the later one covers the earlier.
        if inside and len(point) >= best:
            best, found = len(point), kinds[0]
    return found


def network_warning(path: Path, mounts: Path = MOUNTS) -> str | None:
    """What to tell a person whose database lies on a network file system; None if it does not."""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None  # No such table on this system: nothing is known, so nothing is claimed.
    kind = filesystem_type(str(path.resolve()), table)
    if kind not in NETWORK:
        return None
    return (
        f"{path} is on a network file system ({kind}), where SQLite can lose or damage data when"
        " two machines use it at once; move it to a local disk, or use PostgreSQL"
    )
