"""The commands that write, and which of their words are the paths they write to."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from hearth.performers.judging.shell.proving import Argument

_OPERAND: Final = re.compile(r"(?!-.)")
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*\Z")


@dataclass(frozen=True, slots=True)
class Does:
    """What a command does to paths and hosts, beside running."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    """What is written with everything below it."""
    hosts: tuple[str, ...] = ()
    is_networked: bool = False
    """It talks to others, even where it cannot be told to whom."""


_Sort: TypeAlias = Callable[[tuple[str, ...]], Does]


def done_by(name: str, arguments: tuple[Argument, ...]) -> Does | None:
    """What a command does; None if it is not one of those."""
    sort = _WRITERS.get(name)
    if sort is None:
        return None
    return sort(tuple(one.text for one in arguments if one.text is not None))


def _operands(texts: tuple[str, ...]) -> tuple[str, ...]:
    if "--" in texts:
        at = texts.index("--")
        return (*_operands(texts[:at]), *texts[at + 1 :])
    return tuple(text for text in texts if _OPERAND.match(text) and text != "-")


def _all(texts: tuple[str, ...]) -> Does:
    return Does(writes=_operands(texts))


def _removed(texts: tuple[str, ...]) -> Does:
    return Does(trees=_operands(texts))


def _changed(texts: tuple[str, ...]) -> Does:
    """The first word says how."""
    operands = _operands(texts)
    has_reference = any(text.startswith("--reference") for text in texts)
    return Does(trees=operands if has_reference else operands[1:])


def _copied(texts: tuple[str, ...]) -> Does:
    into = _target_directory(texts)
    operands = tuple(one for one in _operands(texts) if one not in into)
    if into:
        return Does(reads=operands, trees=into)
    return Does(reads=operands[:-1], trees=operands[-1:])


def _moved(texts: tuple[str, ...]) -> Does:
    return Does(trees=tuple(dict.fromkeys((*_operands(texts), *_target_directory(texts)))))


def _target_directory(texts: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for at, text in enumerate(texts):
        if text in {"-t", "--target-directory"} and at + 1 < len(texts):
            found.append(texts[at + 1])
        elif text.startswith("--target-directory="):
            found.append(text.partition("=")[2])
        elif re.match(r"-[a-zA-Z]*t.", text) and not text.startswith("--"):
            found.append(text[text.index("t") + 1 :])
    return tuple(found)


def _converted(texts: tuple[str, ...]) -> Does:
    """What `dd` is told with `if=` and `of=`."""
    pairs = [text.partition("=") for text in texts]
    return Does(
        tuple(value for name, _, value in pairs if name == "if"),
        tuple(value for name, _, value in pairs if name == "of"),
    )


def _fetched(texts: tuple[str, ...]) -> Does:
    """What `curl` and `wget` are told."""
    writes: list[str] = []
    reads: list[str] = []
    for at, text in enumerate(texts):
        following = texts[at + 1] if at + 1 < len(texts) else ""
        if text in {
            "-o",
            "--output",
            "-O",
            "--output-document",
            "-P",
            "--output-dir",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--directory-prefix",
        }:
            if following and not following.startswith("-") and "://" not in following:
                writes.append(following)
        elif text in {
            "-T",
            "--upload-file",
            "-K",
            "--config",
            "-i",
            "--input-file",
            "-E",
            "--cert",
        }:
            reads.append(following)
        elif text.startswith("@") or "=@" in text:
            reads.append(text.rpartition("@")[2])
    return Does(
        tuple(one for one in reads if one not in {"", "-"}),
        tuple(writes),
        (),
        _hosts(texts),
        is_networked=True,
    )


def _hosts(texts: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for text in texts:
        if "://" in text:
            try:
                parts = urlsplit(text)
                host, port = parts.hostname or "", parts.port
            except ValueError:
                continue
            found.append(f"{host}:{port}" if port else host)
        elif "." in text and _HOST.match(text.partition("/")[0]) and not text.startswith("-"):
            found.append(text.partition("/")[0])
    return tuple(dict.fromkeys(one for one in found if one))


def _connected(texts: tuple[str, ...]) -> Does:
    """Of `ssh`, `nc` and their like: the first word that is no option."""
    operands = _operands(texts)
    first = operands[0].rpartition("@")[2].partition(":")[0] if operands else ""
    return Does(hosts=(first,) if _HOST.match(first) else (), is_networked=True)


def _transferred(texts: tuple[str, ...]) -> Does:
    """Of `scp` and `rsync`: paths, or those of another machine."""
    operands = _operands(texts)
    local = tuple(one for one in operands if not re.match(r"[^/]+:", one))
    hosts = tuple(
        one.partition(":")[0].rpartition("@")[2] for one in operands if re.match(r"[^/]+:", one)
    )
    if not hosts:
        return _copied(texts)
    last_is_local = bool(operands) and operands[-1] in local
    return Does(
        local[:-1] if last_is_local else local,
        (),
        local[-1:] if last_is_local else (),
        tuple(one for one in hosts if _HOST.match(one)),
        is_networked=True,
    )


_WRITERS: Final[dict[str, _Sort]] = {
    **dict.fromkeys(
        [
            "touch", "mkdir", "tee", "truncate", "mkfifo", "mktemp", "gzip", "gunzip", "bzip2",
            "bunzip2", "xz", "unxz", "zstd", "split", "csplit", "dos2unix", "unix2dos",
        ],
        _all,
    ),
    **dict.fromkeys(["rm", "rmdir", "unlink", "shred"], _removed),
    **dict.fromkeys(["chmod", "chown", "chgrp", "setfacl", "chattr"], _changed),
    **dict.fromkeys(["cp", "ln", "install", "link"], _copied),
    "mv": _moved,
    "dd": _converted,
    **dict.fromkeys(["curl", "wget", "http", "https", "aria2c"], _fetched),
    **dict.fromkeys(
        ["ssh", "nc", "ncat", "netcat", "telnet", "ftp", "sftp", "socat", "ping", "dig", "host",
         "nslookup", "traceroute", "mosh"],
        _connected,
    ),
    **dict.fromkeys(["scp", "rsync"], _transferred),
}  # fmt: skip
