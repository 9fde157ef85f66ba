"""Tells a person that hearth itself is at fault, and keeps what whoever mends it needs."""

import sys
import time
import traceback
from pathlib import Path
from typing import Final

from hearth.daemon.home import LOGS, hearth_home

NAME: Final = "defects.log"
LARGEST: Final = 1024 * 1024


def tell(defect: BaseException) -> None:
    """Say on stderr what it is in one line, and where the rest is."""
    where = _kept(defect)
    what = traceback.format_exception_only(defect)[-1].strip()
    sys.stderr.write(f"error: something is wrong in hearth itself: {what}\n")
    hint = f"{where} tells where it happened" if where else "nothing could be written about it"
    sys.stderr.write(f"hint: {hint}; please report it\n")


def _kept(defect: BaseException) -> str:
    """Where the whole of it stands; empty if it could not be written."""
    path = Path(hearth_home(), LOGS, NAME)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LARGEST:
            path.unlink()
        with path.open("a", encoding="utf-8") as file:
            path.chmod(0o600)
            file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\n")
            traceback.print_exception(defect, file=file)
    except OSError:
        return ""
    return str(path)
