"""`hearth doctor`: looks at everything a daemon needs, and says what to do about what is wrong."""

import asyncio
import sys
from collections.abc import Mapping
from typing import Final

from hearth.daemon.home import hearth_home
from hearth.daemon.units import launchd_plist, systemd_unit
from hearth.offline.answering import Answer, Trouble, answered
from hearth.offline.examining import Finding, examined
from hearth.offline.words import Action, help_text, parse

ACTIONS: Final[Mapping[str, Action]] = {
    "": Action(
        "[--unit systemd|launchd]",
        "look at everything; with --unit print what has your system run the daemon",
        may=("--unit",),
    ),
}
SIGNS: Final = {"ok": "ok  ", "warn": "warn", "bad": "BAD "}


def main(argv: list[str]) -> int:
    """Run `hearth doctor` with these words; 1 if something is bad."""
    return answered(argv, _work)


def _work(words: list[str]) -> Answer:
    if words[:1] and words[0] in {"help", "--help", "-h"}:
        text = help_text("doctor", ACTIONS)
        return Answer((text,), {"help": text})
    asked = parse("doctor", ACTIONS, words)
    if "--unit" in asked.given:
        return _unit(asked.given["--unit"])
    findings = asyncio.run(examined())
    bad = sum(one.state == "bad" for one in findings)
    lines = [line for one in findings for line in _lines(one)]
    end = f"{bad} of {len(findings)} are bad" if bad else "hearth can work here"
    return Answer(
        (*lines, end),
        {"ok": not bad, "findings": [one._asdict() for one in findings]},
        1 if bad else 0,
    )


def _lines(one: Finding) -> list[str]:
    lines = [f"{SIGNS[one.state]}  {one.about:<12} {one.what}"]
    if one.hint:
        lines.append(f"{'':<18} hint: {one.hint}")
    return lines


def _unit(kind: str) -> Answer:
    home = hearth_home()
    match kind:
        case "systemd":
            text = systemd_unit(home, sys.executable)
        case "launchd":
            text = launchd_plist(home, sys.executable)
        case _:
            what = f"there is no unit for {kind!r}"
            raise Trouble("usage", what, "--unit systemd, or --unit launchd", 2)
    return Answer((text.rstrip("\n"),), {"unit": text})
