from collections.abc import Mapping
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
