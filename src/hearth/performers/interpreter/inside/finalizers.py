"""What a kernel that was copied from another does at its end: what was asked for since its birth.

What was there before is its original's to clean up: a folder for a while, what is registered with
`atexit`. A fork never does it. A variant does if it was kept: then it is the session, and what it
was copied from was killed.
"""

import atexit
import contextlib
import gc
import json
import logging
import os
import sys
import tempfile
import traceback
import weakref
from pathlib import Path
from typing import Any, Final

from . import files

_RECORD: Final = "worker.json"
"""Where the daemon says whose interpreter this is, and whether a variant is still on trial."""
_FINALIZE: Final[Any] = weakref.finalize
_FOLDER: Final[Any] = tempfile.TemporaryDirectory
# Known by nothing else; a Python that has none of them has nothing to be known by it.
_CLEANUP: Final[Any] = getattr(getattr(_FOLDER, "_cleanup", None), "__func__", _FOLDER)
_CLOSER: Final[Any] = getattr(tempfile, "_TemporaryFileCloser", _FOLDER)
_HELD: Final[Any] = getattr(tempfile, "_TemporaryFileWrapper", _FOLDER)


class Inherited:
    """All of that, as it was at its birth; made before anything new is registered.

    Handlers run from the last to the first: whatever was registered since comes before `_stop`,
    and all that was there before, behind it.
    """

    def __init__(self, app: Any, *, is_tried: bool) -> None:
        self._app = app
        self._is_tried = is_tried
        self._folders = [one.detach()[1:] for one in _registered() if _is_of_folder(one.peek())]
        """They stay even if a name is bound anew here, and with it the last that held one."""
        self._finalizers = [one for one in _registered() if one.atexit]
        held = (one for one in app.shell.user_ns.values() if type(one) is _HELD)
        closers: list[Any] = [getattr(one, "_closer", None) for one in held]
        self._files = [one for one in closers if getattr(one, "delete", False)]
        for closer in self._files:
            closer.delete = False
        self._opened = files.written(app)
        self._of_shell = app.shell.tempfiles, app.shell.tempdirs
        app.shell.tempfiles, app.shell.tempdirs = [], []
        atexit.register(self._stop)

    def begin(self) -> None:
        """Once the kernel can speak: what is done at the end may still be heard."""
        atexit.register(self._finish)

    def _is_owner(self) -> bool:
        """Whether it is the session that it was copied from, and not beside it."""
        if not self._is_tried:
            return False
        try:
            record = json.loads((self._app.folder / _RECORD).read_bytes())
            return record.get("trial") is None
        except (OSError, ValueError, AttributeError):
            return False

    def _finish(self) -> None:
        if self._is_owner():
            self._take()
            return
        for one in self._finalizers:
            one.atexit = False
        # What these stand for was registered before, and is common to all that came since.
        util = sys.modules.get("multiprocessing.util")
        common = [_FINALIZE._exitfunc, self._end_files, self._end_shell]  # noqa: SLF001 - the same
        common += [util._exit_function] if util is not None else []  # noqa: SLF001 - the same
        for end in (*common, logging.shutdown):
            try:
                end()
            except Exception:  # noqa: BLE001 - as atexit does: the others have their turn
                traceback.print_exc()

    def _stop(self) -> None:
        if not self._is_owner():
            os._exit(0)

    def _take(self) -> None:
        """End it as its own, which comes behind this."""
        self._app.shell.tempfiles += self._of_shell[0]
        self._app.shell.tempdirs += self._of_shell[1]
        for cleanup, arguments, named in self._folders:
            with contextlib.suppress(OSError):
                cleanup(*arguments, **named)
        for closer in self._files:
            with contextlib.suppress(OSError, ValueError):
                closer.close()
            with contextlib.suppress(OSError):
                Path(closer.name).unlink()

    def _end_files(self) -> None:
        """No object is ended: one that was there before would end what its original works with.

        So what would be written at its end, and the files for a while, are looked for.
        """
        files.prepared(self._app)
        if files.written(self._app) - self._opened:
            everything: list[Any] = gc.get_objects()
            for closer in [one for one in everything if type(one) is _CLOSER]:
                if closer.delete and _descriptor(closer.file) not in self._opened:
                    closer.__del__()

    def _end_shell(self) -> None:
        # It would let go of everything that code holds.
        self._app.shell._atexit_once_called = True  # noqa: SLF001 - its only sign
        self._app.shell.atexit_operations()


def _registered() -> list[Any]:
    return list(_FINALIZE._registry)  # noqa: SLF001 - there is no other list of them


def _is_of_folder(known: Any) -> bool:
    return known is not None and getattr(known[1], "__func__", None) is _CLEANUP


def _descriptor(file: Any) -> files.Place | None:
    with contextlib.suppress(OSError, ValueError):
        return files.place(file.fileno())
    return None
