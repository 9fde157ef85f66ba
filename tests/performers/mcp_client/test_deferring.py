import json
import threading

import pytest
from tests.performers.mcp_client.faking import scene
from tests.performers.mcp_client.test_tools import Calls

from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.mcp_client.deferring import (
    LONGEST,
    MOST_DECLARED,
    CallTool,
    FindTools,
    best,
    is_too_much,
)
from hearth.performers.mcp_client.definitions import Listed, defined
from hearth.performers.mcp_client.tools import McpTool
from hearth.performers.tools.arguments import NotValid
from hearth.performers.tools.tool import Outcome, Scene, Tool


def tools(**said: str) -> list[Tool]:
    schema = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    listed = [Listed(name, text, schema) for name, text in said.items()]
    return [McpTool(one, "hub", Calls()) for one in defined("hub", listed)]


HUB = tools(
    searchIssues="Find issues by words.",
    create_issue="Open a new issue.",
    merge="Merge a pull request.",
    list_branches="List the branches of a repository.",
)


def of_hub(_scene: Scene) -> list[Tool]:
    return HUB


def test_few_tools_are_declared_and_many_are_not() -> None:
    few = tools(**{f"t{one}": "x" for one in range(MOST_DECLARED)})
    assert not is_too_much(few)
    assert is_too_much([*few, *tools(more="x")])
    assert is_too_much(tools(**{f"t{one}": "x" * 2000 for one in range(10)}))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("search issue", "hub__searchIssues"),
        ("merge pull requests", "hub__merge"),
        ("branches", "hub__list_branches"),
        ("hub__create_issue", "hub__create_issue"),
    ],
)
def test_the_words_of_a_query_find_what_they_are_about(query: str, name: str) -> None:
    assert best(HUB, query)[0].name == name


async def test_finding_tells_names_descriptions_and_arguments() -> None:
    find = FindTools(of_hub)
    found = await find.run({"query": "merge"}, scene())
    first = json.loads(found.text.splitlines()[0])
    assert first["name"] == "hub__merge"
    assert first["arguments"]["required"] == ["a"]
    names = await find.run({"query": " "}, scene())
    assert "There are 4:" in names.text
    assert "hub__list_branches" in names.text
    nothing = await find.run({"query": "weather"}, scene())
    assert not nothing.is_error
    assert "Try others" in nothing.text
    assert find.wants({"query": "x"}, scene()).needs == ()
    assert find.is_offered(scene())


async def test_much_is_looked_through_beside_the_event_loop() -> None:
    readers: set[int] = set()

    class Read(McpTool):
        @property
        def description(self) -> str:
            readers.add(threading.get_ident())
            return super().description

    (merge,) = defined("hub", [Listed("merge", "Merges.")])
    found = await FindTools(lambda _scene: [Read(merge, "hub", Calls())]).run(
        {"query": "merge"}, scene()
    )
    assert "Merges." in found.text
    assert readers
    assert threading.get_ident() not in readers


async def test_what_is_found_is_bounded() -> None:
    many = tools(**{f"issue{one}": "issue " * 600 for one in range(100)})
    found = await FindTools(lambda _scene: many).run({"query": "issue"}, scene())
    assert 0 < len(found.text) < LONGEST + 10


async def test_a_call_is_judged_and_run_as_the_tool_itself() -> None:
    call = CallTool(of_hub)
    given = {"name": "hub__merge", "arguments": {"a": 1}}
    wanted = call.wants(given, scene())
    assert [(one.permission, one.target) for one in wanted.needs] == [("mcp", "hub__merge")]
    assert wanted.needs[0].usual is Verdict.ASK
    assert await call.run(given, scene()) == Outcome("done")
    assert call.is_offered(scene())


async def test_wrong_names_and_arguments_are_told_with_what_is_right() -> None:
    call = CallTool(of_hub)
    with pytest.raises(NotValid, match=r"a is missing; hub__merge takes"):
        call.wants({"name": "hub__merge"}, scene())
    unknown = call.wants({"name": "hub__merging"}, scene())
    assert unknown.needs == ()
    assert "There is no tool hub__merging here" in unknown.problem
    assert (await call.run({"name": "nope"}, scene())).is_error


def test_the_two_are_the_same_whatever_servers_offer() -> None:
    empty = FindTools(lambda _scene: [])
    assert (empty.description, empty.input_schema) == (
        FindTools(of_hub).description,
        FindTools(of_hub).input_schema,
    )
