import os
from pathlib import Path

import pytest

from hearth.settings import workspaces
from hearth.settings.workspaces import read_toml, table, texts, workspaces_in


def members(root: Path) -> list[str]:
    (workspace,) = workspaces_in(root).found
    return [one.relative_to(root).as_posix() for one in workspace.members]


def tree(root: Path, *folders: str) -> None:
    for name in folders:
        (root / name).mkdir(parents=True)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("pyproject.toml", '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["*/old"]'),
        ("pyproject.toml", '[tool.rye.workspace]\nmembers = ["packages/a", "packages/b"]'),
        ("pyproject.toml", '[tool.hatch.workspace]\nmembers = ["packages/[ab]"]'),
        (
            "pyproject.toml",
            '[tool.hatch.envs.default.workspace]\nmembers = ["packages/a", {path="packages/b"}]',
        ),
        ("pyproject.toml", '[tool.anything]\nmembers = ["packages/a", "packages/b"]'),
        ("hatch.toml", '[workspace]\nmembers = ["packages/a/", "packages/b"]'),
        ("hatch.toml", '[envs.default.workspace]\nmembers = ["packages/a", "packages/b"]'),
        ("workspace.toml", 'members = ["packages/?"]'),
        (
            "pyproject.toml",
            (
                '[tool.poetry.dependencies]\npython = "^3.11"\n'
                'a = {path = "packages/a", develop = true}\n'
                'zip = {path = "packages/old"}\n'
                '[tool.poetry.group.dev.dependencies]\nb = {path="packages/b", develop=true}'
            ),
        ),
    ],
)
@pytest.mark.promise("SF-RES-06")
def test_the_members_of_each_kind_of_workspace_are_found(
    tmp_path: Path, file: str, content: str
) -> None:
    tree(tmp_path, "packages/a", "packages/b", "packages/old")
    (tmp_path / "packages" / "file").write_bytes(b"")
    (tmp_path / file).write_text(content, "utf-8")
    assert members(tmp_path) == ["packages/a", "packages/b"]


def test_a_folder_without_members_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "members"\n[tool.uv]\nworkspace = 5\n[tool.x]\nmembers = "all"', "utf-8"
    )
    assert workspaces_in(tmp_path).found == ()
    assert workspaces_in(tmp_path).notices == ()
    assert workspaces_in(tmp_path / "gone").found == ()


def test_what_is_listed_and_not_there_is_told(tmp_path: Path) -> None:
    tree(tmp_path, "a")
    (tmp_path / "workspace.toml").write_text('members = ["a", "b", "c/*", "/x*"]', "utf-8")
    (workspace,) = workspaces_in(tmp_path).found
    assert workspace.missing == ("b", "c/*", "/x*")
    assert workspace.members == (tmp_path / "a",)


@pytest.mark.promise("SF-RES-07")
def test_of_several_workspace_files_the_first_counts_and_all_are_listed(tmp_path: Path) -> None:
    tree(tmp_path, "a", "b")
    (tmp_path / "pyproject.toml").write_text('[tool.uv.workspace]\nmembers = ["b"]', "utf-8")
    (tmp_path / "hatch.toml").write_text('[workspace]\nmembers = ["a"]', "utf-8")
    workspaces = workspaces_in(tmp_path)
    assert [one.file.name for one in workspaces.found] == ["hatch.toml", "pyproject.toml"]
    (notice,) = workspaces.notices
    assert "hatch.toml, pyproject.toml; hatch.toml counts" in notice


@pytest.mark.parametrize("content", [b"[tool", b"\xff", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_a_notice(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    assert read_toml(path)[0] == {}
    (notice,) = workspaces_in(tmp_path).notices
    assert str(path) in notice


def test_a_file_that_cannot_be_read_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert "cannot be read" in workspaces_in(tmp_path).notices[0]


def test_nobody_waits_for_what_is_no_file_or_never_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hatch.toml")
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    assert [notice.rpartition(": ")[2] for notice in workspaces_in(tmp_path).notices] == [
        "it is no file",
        "it is no file",
    ]


def test_a_file_that_is_far_too_large_is_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("a = 1\n")
    monkeypatch.setattr(workspaces, "LARGEST", 5)
    assert read_toml(path) == ({}, f"{path}: is larger than 5 bytes")
    monkeypatch.setattr(workspaces, "LARGEST", 6)
    assert read_toml(path) == ({"a": 1}, "")


def test_tables_and_texts_take_anything() -> None:
    assert table({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert table({"a": 1}, "a", "b") == {}
    assert texts(["a", 1, "b"]) == ("a", "b")
    assert texts("ab") == ()
