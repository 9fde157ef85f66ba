from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.performers.mcp_client.faking import scene

from hearth.performers.mcp_client.resolving import Resolved, Resolver
from hearth.settings.mcp import McpSettings, ServerSpec
from hearth.settings.mcp_approvals import McpApprovals


def resolver(
    home: Path, *specs: ServerSpec, environ: Mapping[str, str] | None = None, **said: Any
) -> Resolver:
    settings = McpSettings({one.name: one for one in specs}, **said)
    return Resolver(lambda _directory: settings, McpApprovals(home), environ or {})


def choosing(here: Resolver, chosen: Mapping[str, tuple[str, ...]]) -> Resolver:
    """With what a person chose, by session."""
    return replace(here, chosen=chosen.get)


def names(found: Resolved) -> list[str]:
    return list(found.bounds)


@pytest.mark.promise("LK-SCOPE-01")
def test_an_agent_has_its_own_servers_else_those_of_all(tmp_path: Path) -> None:
    every = [ServerSpec(name, "x") for name in "abc"]
    mine = resolver(tmp_path, *every, enabled=("a", "b"), of_agents={"rev*": ("c",)})
    assert names(mine.resolved(scene("/p"))) == ["a", "b"]
    assert names(mine.resolved(scene("/p", agent="review"))) == ["c"]
    assert names(mine.resolved(scene("/p", agent="other"))) == ["a", "b"]
    assert names(resolver(tmp_path, *every).resolved(scene("/p"))) == ["a", "b", "c"]
    assert names(mine.every("/p")) == ["a", "b", "c"]


@pytest.mark.promise("LK-SCOPE-01")
def test_step_by_step_the_nearest_level_that_says_something_counts_alone(tmp_path: Path) -> None:
    every = [ServerSpec(name, "x") for name in "abcd"]
    chosen: dict[str, tuple[str, ...]] = {}
    steps = [choosing(resolver(tmp_path, *every), chosen)]
    steps.append(choosing(resolver(tmp_path, *every, enabled=("a", "b")), chosen))
    of_agents = {"rev*": ("d",)}
    steps.append(
        choosing(resolver(tmp_path, *every, enabled=("a", "b"), of_agents=of_agents), chosen)
    )
    here, agents = scene("/p", "s1"), scene("/p", "s1", agent="review")
    assert names(steps[0].resolved(here)) == ["a", "b", "c", "d"], "nobody says anything"
    assert names(steps[1].resolved(here)) == ["a", "b"], "the settings, for all"
    chosen["s1"] = ("b", "c")
    assert names(steps[1].resolved(here)) == ["b", "c"], "a person, for the session"
    assert names(steps[1].resolved(scene("/p", "s2"))) == ["a", "b"], "and for no other"
    assert names(steps[2].resolved(agents)) == ["d"], "the settings, for the agent"
    assert names(steps[2].resolved(here)) == ["b", "c"], "and for no other"
    chosen["s1"] = ()
    assert names(steps[1].resolved(here)) == []
    del chosen["s1"]
    assert names(steps[1].resolved(here)) == ["a", "b"]


def test_what_is_chosen_and_does_not_count_is_told(tmp_path: Path) -> None:
    servers = (ServerSpec("a", "x"), ServerSpec("off", "x", disabled=True, source="/f"))
    chosen: dict[str, tuple[str, ...]] = {"s1": ("a", "off", "z")}
    mine = choosing(resolver(tmp_path, *servers), chosen)
    found = mine.resolved(scene("/p", "s1"))
    assert names(found) == ["a"]
    assert found.problems == (
        "the MCP server off is chosen for this session, but it is disabled in /f",
        "the MCP server z is chosen for this session, but there is none of this name",
    )
    assert mine.resolved(scene("/p", "s2")).problems == ()
    of_agents = {"rev*": ("a",)}
    agents = choosing(resolver(tmp_path, *servers, of_agents=of_agents), chosen)
    (said,) = agents.resolved(scene("/p", "s1", agent="review")).problems
    assert "do not count for review" in said
    chosen["s1"] = ("a",)
    assert agents.resolved(scene("/p", "s1", agent="review")).problems == ()


def test_a_projects_server_that_is_chosen_waits_for_approval_all_the_same(tmp_path: Path) -> None:
    spec = ServerSpec("a", "run", is_project=True, root="/p")
    mine = choosing(resolver(tmp_path, spec), {"s1": ("a",)})
    assert mine.resolved(scene("/p", "s1")).bounds["a"].state == "unapproved"


def test_a_server_works_in_the_root_unless_it_says_otherwise(tmp_path: Path) -> None:
    there = resolver(tmp_path, ServerSpec("a", "x"), ServerSpec("b", "x", cwd="/w"))
    found = there.resolved(scene("/p")).bounds
    assert (found["a"].spec.cwd, found["b"].spec.cwd) == ("/p", "/w")
    other = there.resolved(scene("/q")).bounds
    assert other["a"].key != found["a"].key
    assert other["b"].key == found["b"].key
    assert there.resolved(scene("")).bounds["a"].spec.cwd


def test_one_that_is_reached_is_the_same_everywhere(tmp_path: Path) -> None:
    there = resolver(tmp_path, ServerSpec("a", url="https://x.example"))
    keys = {there.resolved(scene(root)).bounds["a"].key for root in ("/p", "/q")}
    assert len(keys) == 1


def test_a_projects_server_waits_until_the_person_has_seen_it(tmp_path: Path) -> None:
    spec = ServerSpec("a", "run", ("it",), is_project=True, root="/p")
    there = resolver(tmp_path, spec)
    bound = there.resolved(scene("/p")).bounds["a"]
    assert bound.state == "unapproved"
    assert "run it" in bound.problem
    assert "`hearth mcp approve a`" in bound.problem
    McpApprovals(tmp_path).approve(spec)
    assert there.resolved(scene("/p")).bounds["a"].problem == ""


@pytest.mark.promise("LK-POOL-02")
def test_variables_are_filled_in_and_those_that_lack_are_told(tmp_path: Path) -> None:
    spec = ServerSpec("a", "x", env={"TOKEN": "${MY_TOKEN}"})
    lacking = resolver(tmp_path, spec).resolved(scene("/p")).bounds["a"]
    assert lacking.state == "incomplete"
    assert "MY_TOKEN" in lacking.problem
    keys = set()
    for token in ("hush-one", "hush-two"):
        there = resolver(tmp_path, spec, environ={"MY_TOKEN": token})
        bound = there.resolved(scene("/p")).bounds["a"]
        assert bound.spec.env == {"TOKEN": token}
        assert token not in f"{bound} {bound.shown}"
        keys.add(bound.key)
    assert len(keys) == 2, "other secrets, another server"


def test_what_is_disabled_or_unknown_is_not_there(tmp_path: Path) -> None:
    off = ServerSpec("a", "x", disabled=True, source="/f")
    there = resolver(tmp_path, off, enabled=("a", "z"))
    found = there.resolved(scene("/p"))
    assert names(found) == []
    assert [one for one in found.problems if " z " in one]
    assert not [one for one in found.problems if " a " in one]
    assert there.every("/p").bounds["a"].state == "disabled"
