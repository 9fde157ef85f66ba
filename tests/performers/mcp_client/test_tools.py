from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.performers.mcp_client.faking import scene

from hearth.core.rules.permission import Layer, Rule, judge
from hearth.core.vocabulary.permitting import Grant, Need, Verdict
from hearth.performers.mcp_client.definitions import Listed, ToolDefinition, defined
from hearth.performers.mcp_client.tools import McpTool, difference
from hearth.performers.tools.tool import Outcome, Scene

(BEFORE,) = defined("s", [Listed("add", "Adds.")])
(AFTER,) = defined("s", [Listed("add", "Adds, and tells.", {"properties": {"a": {}}})])
(HINTED,) = defined("s", [Listed("add", "Adds.", annotations={"readOnlyHint": True})])


@dataclass
class Calls:
    change: ToolDefinition | None = None
    is_local: bool = True
    seen: list[bool] = field(default_factory=list)

    def change_of(self, _definition: ToolDefinition) -> ToolDefinition | None:
        return self.change

    async def call(
        self, _tool: str, _arguments: Mapping[str, Any], _scene: Scene, *, asked: bool = False
    ) -> Outcome:
        self.seen.append(asked)
        return Outcome("done")


def need(tool: McpTool) -> Need:
    (found,) = tool.wants({}, scene()).needs
    return found


def test_a_call_needs_the_permission_by_its_full_name() -> None:
    wanted = need(McpTool(BEFORE, "s", Calls()))
    assert (wanted.permission, wanted.target, wanted.pattern) == ("mcp", "s__add", "s__add")
    assert judge(wanted, ()).verdict is Verdict.ASK
    allowing = Layer("f", (Rule("mcp", "s__*", Verdict.ALLOW),))
    assert judge(wanted, (allowing,)).verdict is Verdict.ALLOW
    denying = Layer("f", (Rule("mcp", "*", Verdict.DENY),))
    assert judge(wanted, (allowing, denying)).verdict is Verdict.DENY
    assert judge(wanted, (), (Grant("mcp", "s__add"),)).verdict is Verdict.ALLOW
    assert judge(wanted, (), (Grant("mcp", "s__other"),)).verdict is Verdict.ASK


def test_what_a_server_says_of_itself_is_shown_and_trusted_in_nothing() -> None:
    tool = McpTool(HINTED, "s", Calls())
    assert not tool.read_only
    assert judge(need(tool), ()).verdict is Verdict.ASK
    assert "says of itself that it only reads" in need(tool).why


def test_a_changed_tool_asks_whatever_rules_and_grants_say() -> None:
    wanted = need(McpTool(BEFORE, "s", Calls(AFTER)))
    allowing = (Layer("f", (Rule("mcp", "*", Verdict.ALLOW),)),)
    assert judge(wanted, allowing, (Grant("mcp", "s__add"),)).verdict is Verdict.ASK
    assert "description and arguments changed" in wanted.why
    assert wanted.pattern == "", "it can be allowed once only"


def test_what_changed_is_told_in_words() -> None:
    assert difference(BEFORE, AFTER) == "description and arguments"
    assert difference(BEFORE, HINTED) == "definition"


def test_only_what_runs_here_could_change_files() -> None:
    assert McpTool(BEFORE, "s", Calls()).wants({}, scene()).may_change
    assert not McpTool(BEFORE, "s", Calls(is_local=False)).wants({}, scene()).may_change


async def test_a_call_says_whether_a_person_knew_of_the_change() -> None:
    calls = Calls(AFTER)
    tool = McpTool(BEFORE, "s", calls)
    assert await tool.run({}, scene()) == Outcome("done")
    asked = need(tool)
    await tool.run({}, scene(needs=(asked,)))
    assert calls.seen == [False, True]


def test_a_tool_with_an_odd_name_is_known_by_that_too() -> None:
    (odd,) = defined("s", [Listed("a.b/c", "Odd.")])
    tool = McpTool(odd, "s", Calls())
    assert tool.plain_name == "s__a.b/c"
    assert tool.name != tool.plain_name


def test_one_without_a_word_is_described_by_whose_it_is() -> None:
    (mute,) = defined("s", [Listed("x")])
    assert McpTool(mute, "s", Calls()).description == "A tool of the MCP server s."
