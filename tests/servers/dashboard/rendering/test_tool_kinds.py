import pytest

from hearth.servers.dashboard.rendering.tool_kinds import (
    CODE,
    EDIT,
    FILE,
    MCP,
    OTHER,
    SEARCH,
    SHELL,
    WEB,
    ToolKind,
    kind_of,
)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("run_shell", SHELL),
        ("run_code", CODE),
        ("read_file", FILE),
        ("edit_file", EDIT),
        ("grep", SEARCH),
        ("fetch_url", WEB),
        ("github__search_issues", MCP),
        ("search_inside", SEARCH),
        ("add_task", OTHER),
        ("", OTHER),
    ],
)
def test_a_tool_has_a_kind_by_its_name(tool: str, kind: ToolKind) -> None:
    assert kind_of(tool) is kind


def test_every_kind_has_a_sign_of_its_own() -> None:
    kinds = (SHELL, CODE, FILE, EDIT, SEARCH, WEB, MCP, OTHER)
    assert len({one.sign for one in kinds}) == len({one.name for one in kinds}) == len(kinds)
