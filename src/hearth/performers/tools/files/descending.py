"""Goes from folder to folder along canonical paths, through no link, and keeps the way it came."""

import os
from itertools import takewhile

from hearth.performers.tools.files.opening import folder_in, parts_of, refuse_processes


class Descent:
    """Folders that stay open, so that neighbours are opened from what they share.

    Whoever swaps one of them for something else meanwhile changes nothing. `close` in the end.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._descriptors: list[int] = []
        self._here: str | None = None

    def folder(self, path: str) -> int:
        """A folder that files can be opened in; open until another is asked for. NotOpened.

        `path` is absolute and canonical; "" is the top.
        """
        if path != self._here:
            self._go(path)
        return self._descriptors[-1]

    def close(self) -> None:
        """Let go of all of them."""
        self._here = None
        self._back_to(0)

    def _go(self, path: str) -> None:
        refuse_processes(f"{path}/")
        names = parts_of(path) if path else []
        self._here = None
        if not self._descriptors:
            self._descriptors.append(folder_in(None, "/", "/"))
        pairs = zip(self._names, names, strict=False)  # to the end of the shorter one
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        self._back_to(shared + 1)
        for number, name in enumerate(names[shared:], shared + 1):
            below = "/".join(("", *names[:number]))
            self._descriptors.append(folder_in(self._descriptors[-1], name, below))
            self._names.append(name)
        self._here = path

    def _back_to(self, depth: int) -> None:
        while len(self._descriptors) > depth:
            os.close(self._descriptors.pop())
        del self._names[max(0, depth - 1) :]
