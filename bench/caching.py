"""How much of each request a provider can read from its cache, and whether a prefix ever breaks."""

import os
import signal
from collections.abc import Sequence
from statistics import fmean
from typing import Final
from urllib.parse import quote

from bench.agents import Exchange, Setting, begun, say, send, speaking, with_project
from bench.daemons import Daemon, Wire, gone, until
from bench.measuring import Figure, Round, Scale, at_least, for_information
from tests.providers.script import Call, Reply, Say, Script

SHORT: Final = "readable from the cache, least of 50 steps"
SHORT_MEAN: Final = "… mean of 50 steps"
LONG: Final = "the same behind 185 KB, least of 50 steps"
AGAIN: Final = "of the request before, readable again, least"
STABLE: Final = "disturbed: begins as the request before, least"
AGAIN_DISTURBED: Final = "disturbed: of that, readable again, least"
SIZE: Final = "the last of those requests"
STEPS: Final = 50
INSTRUCTIONS: Final = 22 * 1024
"""Bytes of AGENTS.md: with our own system text and tools about 25 KB."""
FILE: Final = 40 * 1024
"""Bytes of a file that stands in the prompt."""
RESULT: Final = 300
"""Bytes that each call prints."""
PAUSE: Final = "0.02"
"""Seconds that the model thinks, so that there is time to disturb it."""


def measure(scale: Scale) -> list[Figure]:
    """Turns that nobody disturbs, then one that is disturbed in all ways."""
    steps = scale.of(STEPS, 12)
    calm, long, shaken = _calm(1, steps), _calm(4, steps), _shaken(steps)
    best = "at best"  # what a step adds was never sent before
    least = min(calm, key=_readable)
    return [
        Figure(SHORT, "", [Round(_readable(least), _old(least))], best, at_least(0.996)),
        Figure(
            SHORT_MEAN,
            "",
            [Round(fmean(map(_readable, calm)), fmean(map(_old, calm)))],
            best,
            at_least(0.996),
        ),
        for_information(SIZE, "KB", [calm[-1].size / 1000]),
        Figure(LONG, "", [Round(min(map(_readable, long)), 1.0)], "all", at_least(0.996)),
        Figure(AGAIN, "", [Round(min(map(_again, [*calm, *long])), 1.0)], "all", at_least(0.996)),
        Figure(STABLE, "", [Round(min(map(_stable, shaken)), 1.0)], "all", at_least(1.0)),
        Figure(AGAIN_DISTURBED, "", [Round(min(map(_again, shaken)), 1.0)], "all", at_least(0.996)),
    ]


def _old(one: Exchange) -> float:
    """How much of it stood in the request before."""
    return one.before / one.size


def _readable(one: Exchange) -> float:
    return one.readable / one.size


def _again(one: Exchange) -> float:
    return min(1.0, one.readable / one.before)


def _stable(one: Exchange) -> float:
    return one.shared / one.before


def script(steps: int) -> Script:
    """Steps that print something each."""
    replies = [
        Reply(
            (
                Say(f"Let me look at part {step} next."),
                Call("run_code", {"code": f"print('{step:03d}' * {RESULT // 3})"}),
            )
        )
        for step in range(steps)
    ]
    return Script((*replies, Reply((Say("That is all."),))), "by_step")


def prompt(files: int = 1) -> str:
    """A task with so many files in it."""
    file = _lines("value_{0} = compute({0}, 'of a usual kind')", FILE)
    return "Look through this:\n\n" + "\n\n".join([file] * files)


def _lines(pattern: str, size: int) -> str:
    one = len(pattern.format(1000)) + 1
    return "\n".join(pattern.format(number) for number in range(1000, 1000 + size // one))


def _instructed(wire: Wire, daemon: Daemon) -> str:
    """A session in a project with instructions, which is trusted."""
    (daemon.project / ".git").mkdir(exist_ok=True)
    text = _lines("- Rule {}: keep what is said here in mind.", INSTRUCTIONS)
    (daemon.project / "AGENTS.md").write_text(text, "utf-8")
    found = wire.ask("GET", f"/trust?directory={quote(str(daemon.project))}")
    wire.ask("POST", "/trust", {"root": found["root"], "digest": found["digest"]})
    return with_project(wire, daemon)


def _calm(files: int, steps: int) -> Sequence[Exchange]:
    """All requests of a turn but the first, which finds nothing."""
    with speaking(script(steps)) as here, Wire(here.daemon) as wire:
        session = _instructed(wire, here.daemon)
        send(wire, session, prompt(files))
        return here.record.new()[1:]


def _shaken(steps: int) -> Sequence[Exchange]:
    """The same, with messages in between, a cancel, another prompt, a crash and a restart."""
    with speaking(script(steps), "--delay", PAUSE) as here:
        found: list[Exchange] = []

        def reach(share: float) -> None:
            def is_there() -> bool:
                found.extend(here.record.so_far())
                return len(found) >= share * steps

            until(is_there, "the agent did not come so far")

        with Wire(here.daemon) as wire:
            session = _instructed(wire, here.daemon)
            say(wire, session, prompt())
            reach(0.15)
            say(wire, session, "Mind the names as well.")
            say(wire, session, "And be brief.")
            reach(0.3)
            wire.ask("POST", f"/sessions/{session}/commands", {"type": "cancel_turn"})
            _at_rest(wire, session)
            say(wire, session, "Go on where you were.")
            reach(0.5)
        after = _crashed(here)
        with Wire(after) as wire:
            reach(0.7)
            wire.ask("POST", "/shutdown", {"end_sessions": False})
        gone(after.found.pid)
        last = begun(after.home, after.project)
        with Wire(last) as wire:
            _at_rest(wire, session)
        found += here.record.new()
    if len(found) < steps:
        raise TypeError(f"only {len(found)} requests came")
    return found[1:]


def _at_rest(wire: Wire, session: str) -> None:
    """Wait until no turn runs."""

    def rests() -> bool:
        now = wire.ask("GET", f"/sessions/{session}/views/conversation")["value"]["now"]
        return now.get("turn") is None

    until(rests, "the agent did not come to rest")


def _crashed(here: Setting) -> Daemon:
    """Kill the daemon, and begin another."""
    os.kill(here.daemon.found.pid, signal.SIGKILL)
    # Of our own child; by then its threads have ended too, and with them its sockets.
    os.waitpid(here.daemon.found.pid, 0)
    return begun(here.daemon.home, here.daemon.project)
