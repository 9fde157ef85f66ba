"""Searches files, in a process of its own: a hostile pattern can hang this one and no other.

Run as a script, in the folder that is searched, with the pattern, `i` or `-` (ignore case), a mode
(`lines`, `count` or `files`) and `many` or `one`. Of many files the paths come in through stdin,
each ended by NUL; one file is stdin itself. What is said, like ripgrep with `--null`, is a path, a
NUL and then `line:column:`, a count, or nothing, each on a line of its own. Knows only Python's
standard library, and little of it (not even typing): it is waited for.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator

CHUNK = 16 * 1024 * 1024
"""Larger files are searched in pieces."""
BAD_PATTERN = 2

_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOKS_AROUND = re.compile(r"\(\?[^:P]|\\[AZzG]|[*+?}]\+")
"""What may mean something else beside other lines than on a line alone."""

Hits = Iterator[tuple[int, int]]
"""Lines in a text, from 0, and where in the line."""


def searcher(pattern: str, *, ignore_case: bool) -> Callable[[str], Hits]:
    """What finds the lines of a text that match. re.error."""
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0)
    alone = re.compile(pattern, flags)
    if not ignore_case and (literal := _needed(pattern)):
        return lambda text: _around(text, literal, alone)
    if _LOOKS_AROUND.search(pattern):
        return lambda text: _each(text, alone)
    through = re.compile(_within_lines(pattern), flags)
    return lambda text: _through(text, through, alone)


def _needed(pattern: str) -> str:
    """The longest text that every match has in it; "" if none is known."""
    parser = sys.modules.get("re._parser")
    if parser is None:
        return ""  # another Python may keep it elsewhere: it is only faster with it
    tree = parser.parse(pattern)
    if tree.state.flags & re.IGNORECASE:
        return ""
    best = literal = ""
    for kind, value in tree:
        literal = f"{literal}{chr(value)}" if str(kind) == "LITERAL" else ""
        best = max(best, literal, key=len)
    return best


def _class_length(pattern: str, start: int) -> int:
    at = start + 1
    at += pattern[at : at + 1] == "^"
    at += pattern[at : at + 1] == "]"
    while at < len(pattern) and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1 - start


def _within_lines(pattern: str) -> str:
    """The same pattern, whose `[^…]` do not run on into the next lines."""
    made: list[str] = []
    at = 0
    while at < len(pattern):
        length = 1
        if pattern[at] == "\\":
            length = 2
        elif pattern[at] == "[":
            length = _class_length(pattern, at)
            if pattern[at + 1 : at + 2] == "^":
                made.append("[^\\n")
                inside = pattern[at + 2 : at + length]
                made.append(f"\\{inside}" if inside.startswith("]") else inside)
                at += length
                continue
        made.append(pattern[at : at + length])
        at += length
    return "".join(made)


def _around(text: str, literal: str, alone: "re.Pattern[str]") -> Hits:
    """Only lines that have the literal are looked at."""
    number, counted = 0, 0
    at = text.find(literal)
    while at >= 0:
        start, end = _line(text, at)
        found = alone.search(text[start:end])
        if found:
            number += text.count("\n", counted, start)
            counted = start
            yield number, found.start()
        at = text.find(literal, end)


def _through(text: str, through: "re.Pattern[str]", alone: "re.Pattern[str]") -> Hits:
    """The whole text at once; what runs over the end of a line is looked at again alone."""
    number, counted, at = 0, 0, 0
    while at <= len(text):
        found = through.search(text, at)
        if found is None:
            return
        start, end = _line(text, found.start())
        if start >= len(text):
            return  # behind the last newline there is no line
        column = found.start() - start
        if found.end() > end:
            again = alone.search(text[start:end])
            column = again.start() if again else -1
        if column >= 0:
            number += text.count("\n", counted, start)
            counted = start
            yield number, column
        at = end + 1


def _each(text: str, alone: "re.Pattern[str]") -> Hits:
    """One line after the other."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines):
        if found := alone.search(line):
            yield number, found.start()


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def hits_in(descriptor: int, search: Callable[[str], Hits]) -> Iterator[tuple[int, int]]:
    """The lines of an open file, from 1, and the character in each, from 1."""
    first, number, rest = True, 1, b""
    while True:
        chunk = os.read(descriptor, CHUNK)
        content, rest = rest + chunk, b""
        if first and content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
            content = (content + _rest_of(descriptor)).decode("utf-16", "replace").encode()
            chunk = b""
        elif b"\0" in chunk:
            return  # it is no text
        first = False
        if chunk and not content.endswith(b"\n"):
            content, mark, rest = content.rpartition(b"\n")
            content += mark
            if len(rest) > CHUNK:
                content, rest = content + rest, b""  # a line without an end is taken in pieces
        text = content.decode("utf-8", "replace")
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        for line, column in search(text):
            yield number + line, column + 1
        if not chunk:
            return
        number += content.count(b"\n")


def _rest_of(descriptor: int) -> bytes:
    parts = []
    left = CHUNK
    while left > 0 and (part := os.read(descriptor, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


class Tree:
    """Opens files below the working directory, through no link, each folder once."""

    def __init__(self) -> None:
        self._folder = ""
        self._descriptor = os.open(".", _FOLDER)
        self._top = self._descriptor

    def opened(self, path: str) -> int | None:
        """A regular file; None for anything else."""
        folder, _, name = path.rpartition("/")
        if ".." in path.split("/"):
            return None
        try:
            if folder != self._folder:
                self._enter(folder)
            about = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            if not stat.S_ISREG(about.st_mode) or not about.st_size:
                return None
            descriptor = os.open(name, _OPENED, dir_fd=self._descriptor)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return None
        return descriptor

    def _enter(self, folder: str) -> None:
        descriptor = os.open(".", _FOLDER, dir_fd=self._top)
        for part in folder.split("/") if folder else ():
            try:
                following = os.open(part, _FOLDER, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            descriptor = following
        if self._descriptor != self._top:
            os.close(self._descriptor)
        self._descriptor, self._folder = descriptor, folder


def _files(how: str) -> Iterator[tuple[bytes, int]]:
    if how == "one":
        yield b"<stdin>", os.dup(0)
        return
    tree = Tree()
    for name in sys.stdin.buffer.read().split(b"\0"):
        descriptor = tree.opened(os.fsdecode(name)) if name else None
        if descriptor is not None:
            yield name, descriptor


def _tell(
    write: Callable[[bytes], object], name: bytes, hits: Iterator[tuple[int, int]], mode: str
) -> None:
    if mode == "lines":
        for line, column in hits:
            write(b"%b\0%d:%d:\n" % (name, line, column))
    elif mode == "count":
        if count := sum(1 for _ in hits):
            write(b"%b\0%d\n" % (name, count))
    elif next(hits, None) is not None:
        write(name + b"\0")


def main(arguments: list[str]) -> int:
    """Search; the exit code."""
    pattern, case, mode, how = arguments
    try:
        search = searcher(pattern, ignore_case=case == "i")
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(str(error))
        return BAD_PATTERN
    out = sys.stdout.buffer
    for name, descriptor in _files(how):
        try:
            _tell(out.write, name, hits_in(descriptor, search), mode)
        except OSError:
            pass  # one that cannot be read has no lines to show
        finally:
            os.close(descriptor)
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
