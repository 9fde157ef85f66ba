"""`make samples`: write the samples that are missing. The file of an event is written once."""

import hashlib
import sys
from pathlib import Path
from typing import Final

import msgspec
from tests.contracts.words import KINDS, members, tag_of
from tests.samples.examples import example

from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.wire import Word

ROOT: Final = Path(__file__).parent
MANIFEST: Final = ROOT / "MANIFEST"


def path_of(kind: str, word: type[Word]) -> Path:
    """Where the sample of a word is."""
    return ROOT / kind / f"{tag_of(word)}.json"


def pretty(raw: bytes) -> bytes:
    """JSON as it stands in a sample: indented, in the order of the wire."""
    return msgspec.json.format(raw, indent=2) + b"\n"


def frozen() -> dict[str, str]:
    """The files that never change again, by their path, with their sha256."""
    lines = MANIFEST.read_text("utf-8").splitlines() if MANIFEST.exists() else []
    return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def digest_of(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(path: Path) -> None:
    """Put a new file on the list of those that never change again."""
    known = frozen()
    name = path.relative_to(ROOT).as_posix()
    if name in known:
        message = f"{name} is frozen already"
        raise ValueError(message)
    known[name] = digest_of(path)
    lines = [f"{digest}  {name}\n" for name, digest in sorted(known.items())]
    MANIFEST.write_text("".join(lines), "utf-8")


def write_missing() -> list[Path]:
    """Write what is missing or, but for events, out of date; the files that were written."""
    written = []
    for kind, union in KINDS.items():
        for word in members(union):
            path, wanted = path_of(kind, word), pretty(encode(example(word)))
            if path.exists() and (kind == "events" or path.read_bytes() == wanted):
                continue
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(wanted)
            if kind == "events":
                freeze(path)
            written.append(path)
    return written


if __name__ == "__main__":
    for one in write_missing():
        sys.stdout.write(f"{one.relative_to(ROOT.parent.parent)}\n")
