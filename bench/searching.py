"""`grep` over 100,000 lines, beside ripgrep where it is installed, and beside grep where not."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.measuring import Bound, Figure, Round, Scale, at_most, scratch

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.judging.paths import Place
from hearth.performers.tools.files.grep import Grep
from hearth.performers.tools.tool import Scene

SEARCH: Final = "grep over 100,000 lines"
FILES: Final = 200
MATCHING: Final = {"few": 20, "many": FILES}
"""So many files have a line that matches; of many, 100 lines are shown."""
RIPGREP: Final = ("rg", "--no-config", "-n")
GREP: Final = ("grep", "-rn")


def measure(scale: Scale) -> list[Figure]:
    """The tool as agents call it, with the peer in turn."""
    usual = os.environ.get("PATH", os.defpath)
    # One that was installed for development lies beside Python.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{usual}"
    figures = []
    with scratch() as folder:
        _write(folder, scale.of(500, 20))
        if shutil.which("rg") is not None:
            figures = _figures(folder, RIPGREP, scale.rounds * 6, at_most(1.5))
        os.environ["PATH"] = _without("rg", usual)
        figures += _figures(folder, GREP, scale.rounds * 2, None)
    return figures


def _figures(folder: Path, peer: Sequence[str], times: int, bound: Bound | None) -> list[Figure]:
    without = "" if bound else ", no rg"
    return [
        Figure(
            f"{SEARCH}, {how} match{without}",
            "ms",
            run(_rounds(folder, how, peer, times)),
            peer[0],
            bound,
        )
        for how in MATCHING
    ]


async def _rounds(folder: Path, word: str, peer: Sequence[str], times: int) -> list[Round]:
    command = [shutil.which(peer[0]) or peer[0], *peer[1:], word, "."]
    await _ours(folder, word)
    await _theirs(folder, command)
    rounds = []
    for number in range(times):
        # Each of them goes first as often as the other.
        if number % 2:
            theirs = await _theirs(folder, command)
            rounds.append(Round(await _ours(folder, word), theirs))
        else:
            ours = await _ours(folder, word)
            rounds.append(Round(ours, await _theirs(folder, command)))
    return rounds


def _write(folder: Path, lines: int) -> None:
    (folder / "pyproject.toml").write_text("")
    for number in range(FILES):
        text = "".join(f"line {n} of file {number} in the haystack\n" for n in range(lines))
        words = [word for word, files in MATCHING.items() if number % (FILES // files) == 0]
        (folder / f"f{number}.txt").write_text(f"{text}here are {' and '.join(words)}\n")


def _without(name: str, path: str) -> str:
    folders = path.split(os.pathsep)
    return os.pathsep.join(one for one in folders if not (Path(one) / name).exists())


async def _theirs(folder: Path, command: Sequence[str]) -> float:
    """Started and listened to as the tool does it: from a thread, through a pipe."""
    start = perf_counter()
    await asyncio.to_thread(
        subprocess.run,
        command,
        cwd=folder,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    return (perf_counter() - start) * 1e3


async def _ours(folder: Path, word: str) -> float:
    start = perf_counter()
    place = Place(str(folder), str(folder))
    grep = Grep(lambda _: place)
    arguments = {"pattern": word}
    scene = Scene(SessionId("s"), str(folder), str(folder))
    wanted = grep.wants(arguments, scene)
    allowed = Scene(SessionId("s"), str(folder), str(folder), needs=wanted.needs)
    outcome = await grep.run(arguments, allowed)
    taken = (perf_counter() - start) * 1e3
    shown = min(100, MATCHING[word])
    if outcome.is_error or outcome.text.count(":here are ") != shown:
        raise RuntimeError(outcome.text)
    return taken
