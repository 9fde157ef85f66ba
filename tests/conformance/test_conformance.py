"""hearth passes the official conformance suite, through its own door, whole."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.conformance import suite
from tests.conformance.forwarding import forwarded, forwarding
from tests.conformance.suite import NOT_APPLICABLE, ROOT, RUNS, Checks, Listed, problems
from tests.servers.http.serving import served

from hearth.servers.mcp import mounting

GUIDE = ROOT / "docs" / "guides" / "mcp-conformance.md"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Checks]:
    """Everything that was checked, by run; all of them against one daemon."""
    return asyncio.run(_results(tmp_path_factory.mktemp("conformance")))


@pytest.fixture(scope="module")
def scenarios_of() -> Mapping[str, Listed]:
    """All scenarios there are, by version of the suite."""
    packages = sorted({one.package for one in RUNS.values()})
    return {one: asyncio.run(suite.listed(one)) for one in packages}


async def _results(folder: Path) -> Mapping[str, Checks]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mounting, "SPEAKING", "tests.conformance.speaking")
        async with (
            served(folder / "home") as daemon,
            forwarding(daemon.port, daemon.tokens.person) as port,
        ):
            url = f"http://127.0.0.1:{port}/mcp"
            two = asyncio.Semaphore(2)

            async def run(name: str) -> Checks:
                async with two:
                    return await suite.run(RUNS[name], url, folder / name)

            return dict(zip(RUNS, await asyncio.gather(*map(run, RUNS)), strict=True))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", RUNS)
def test_every_scenario_that_applies_passes(
    name: str, results: Mapping[str, Checks], scenarios_of: Mapping[str, Listed]
) -> None:
    ran = results[name]
    wrong = [
        one
        for scenario, checks in ran.items()
        if scenario not in NOT_APPLICABLE
        for one in problems(scenario, checks)
    ]
    assert not wrong, "\n".join(wrong)
    scenarios = scenarios_of[RUNS[name].package]
    assert set(ran) == suite.wanted(RUNS[name], scenarios), "each is run, and passes or is excused"
    assert len(ran) >= RUNS[name].scenarios


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_is_excused_that_passes(results: Mapping[str, Checks]) -> None:
    for scenario in NOT_APPLICABLE:
        seen = [ran[scenario] for ran in results.values() if scenario in ran]
        assert seen, f"{scenario} is not a scenario any more"
        assert any(problems(scenario, checks) for checks in seen), f"{scenario} passes"


def test_the_guide_names_what_does_not_apply_and_why() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in GUIDE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert {name.strip("`"): why for name, why in rows} == NOT_APPLICABLE


def test_a_scenario_of_which_nothing_was_checked_has_not_passed() -> None:
    form = {"id": "wire-schema-valid", "status": "SUCCESS"}
    good = {"id": "x", "status": "SUCCESS"}
    assert problems("one", [form, good]) == []
    assert problems("one", [form]) == ["one: nothing of it was checked"]
    assert problems("one", [form, {"id": "x", "status": "INFO"}])
    for status in ("FAILURE", "WARNING", "SKIPPED"):
        assert problems("one", [form, good, {"id": "y", "status": status}])


def test_the_forwarder_adds_the_token_and_changes_no_foreign_name() -> None:
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:5\r\nOrigin: http://evil.test:7\r\n"
        b"Mcp-Name:   x  \r\nConnection: keep-alive\r\n\r\n"
    )
    got = forwarded(head, own=5, port=80, token="secret")  # noqa: S106 - not one of anybody
    assert got == (
        b"POST /mcp HTTP/1.1\r\nAuthorization: Bearer secret\r\nConnection: close\r\n"
        b"Host: 127.0.0.1:80\r\nOrigin: http://evil.test:7\r\nMcp-Name:   x  \r\n\r\n"
    )
