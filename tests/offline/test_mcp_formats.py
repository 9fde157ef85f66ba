import json
from pathlib import Path

import pytest

from hearth.offline.answering import Trouble
from hearth.offline.mcp_formats import Configured, Place, configured, usual_places


def _read(
    file: Path, text: str, program: str = "claude", root: Path | None = None
) -> list[Configured]:
    file.write_text(text)
    return configured(Place(file, program), root or file.parent)


def test_the_files_of_every_program_are_known(tmp_path: Path) -> None:
    root = tmp_path / "project"
    places = usual_places(None, root, {"HOME": str(tmp_path)})
    shown = {str(one.file.relative_to(tmp_path)) for one in places}
    assert {
        ".claude.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".config/Code/User/mcp.json",
        ".config/Claude/claude_desktop_config.json",
        "project/.mcp.json",
        "project/.cursor/mcp.json",
        "project/.vscode/mcp.json",
        "project/.codex/config.toml",
    } <= shown
    assert all(one.is_project == (root in one.file.parents) for one in places)
    assert {one.program for one in usual_places("codex", root, {"HOME": "/h"})} == {"codex"}
    (codex, _) = usual_places("codex", root, {"HOME": "/h", "CODEX_HOME": "/c"})
    assert codex.file == Path("/c/config.toml")


def test_what_claude_code_keeps_for_a_project_is_found_with_its_folder(tmp_path: Path) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    projects = {
        str(here): {"mcpServers": {"b": {"command": "b"}}, "allowedTools": []},
        str(other): {"mcpServers": {"c": {"command": "c"}}},
        str(tmp_path / "none"): {"mcpServers": {}},
    }
    text = json.dumps({"mcpServers": {"a": {"command": "a"}}, "projects": projects, "tips": {}})
    found = _read(tmp_path / ".claude.json", text, root=here)
    assert [(one.name, one.folder.name, one.is_elsewhere) for one in found] == [
        ("a", tmp_path.name, False),
        ("b", "here", False),
        ("c", "other", True),
    ]
    assert found[1].inside == f"projects.{here}.mcpServers"


def test_the_shapes_of_editors_are_read_with_their_comments(tmp_path: Path) -> None:
    text = '{ // mine\n "inputs": [], "servers": {"a": {"command": "x",},}, }'
    assert [one.name for one in _read(tmp_path / "mcp.json", text, "vscode")] == ["a"]
    nested = '{"mcp": {"servers": {"b": {"url": "https://b"}}}}'
    assert [one.name for one in _read(tmp_path / "settings.json", nested, "vscode")] == ["b"]
    assert [one.name for one in _read(tmp_path / "x.json", '\ufeff{"mcpServers": {"c": {}}}')] == [
        "c"
    ]


def test_the_shape_of_codex_is_read(tmp_path: Path) -> None:
    text = (
        '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nK = "v"\n'
        '[mcp_servers."b c"]\nurl = "u"\n'
    )
    found = _read(tmp_path / "config.toml", text, "codex")
    assert [one.name for one in found] == ["a", "b c"]
    assert found[0].said == {"command": "x", "env": {"K": "v"}}


@pytest.mark.parametrize(
    "text", ["{", "[]", "3", '{"mcpServers": []}', '{"servers": 1}', "[" * 9999]
)
def test_what_cannot_be_understood_is_told_with_its_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(Trouble, match=r"x\.json cannot be understood"):
        _read(tmp_path / "x.json", text)


def test_what_is_no_toml_and_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=r"config\.toml cannot be understood"):
        _read(tmp_path / "config.toml", "a = ", "codex")
    assert configured(Place(tmp_path / "none", "claude"), tmp_path) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(Trouble, match="cannot be understood"):
        configured(Place(tmp_path / "folder", "claude"), tmp_path)
