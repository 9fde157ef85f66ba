"""Which servers there are, by the files of a project and by settings."""

from pathlib import Path

import pytest

from hearth.performers.language_server.detecting import (
    ServerChange,
    ServerSpec,
    language_of,
    specs_of,
)


def names(root: Path, *, is_trusted: bool = False) -> list[str]:
    return [one.name for one in specs_of(str(root), is_trusted=is_trusted)]


@pytest.mark.promise("DP-LSP-01")
@pytest.mark.parametrize(
    ("marker", "servers"),
    [
        ("pyproject.toml", ["ty", "ruff"]),
        ("setup.py", ["ty", "ruff"]),
        ("requirements-dev.txt", ["ty", "ruff"]),
        ("main.py", ["ty", "ruff"]),
        ("tsconfig.json", ["typescript"]),
        ("package.json", ["typescript"]),
        ("go.mod", ["gopls"]),
        ("Cargo.toml", ["rust-analyzer"]),
        ("README.md", []),
    ],
)
def test_the_files_of_a_project_say_which_servers_it_needs(
    marker: str, servers: list[str], tmp_path: Path
) -> None:
    (tmp_path / marker).touch()
    assert names(tmp_path, is_trusted=True) == servers


def test_a_project_of_two_languages_has_the_servers_of_both(tmp_path: Path) -> None:
    for name in ("setup.py", "go.mod"):
        (tmp_path / name).touch()
    assert names(tmp_path, is_trusted=True) == ["ty", "ruff", "gopls"]


def test_what_may_run_code_of_the_project_is_for_trusted_ones_alone(tmp_path: Path) -> None:
    for name in ("setup.py", "go.mod", "Cargo.toml", "package.json"):
        (tmp_path / name).touch()
    assert names(tmp_path) == ["ty", "ruff"]
    changes = {"ty": ServerChange(command="./my-ty"), "mine": ServerChange("x", files=("*",))}
    assert [one.name for one in specs_of(str(tmp_path), changes)] == ["ruff"]


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert names(tmp_path / "gone", is_trusted=True) == []


@pytest.mark.promise("DP-LSP-01")
def test_settings_change_the_command_the_arguments_and_the_options(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    changes = {
        "ty": ServerChange(command="/opt/ty", args=("serve",), options={"x": 1}),
        "ruff": ServerChange(is_on=False),
        "mine": ServerChange("my-server", ("--stdio",), ("*.my",)),
        "half": ServerChange(files=("*.half",)),
        "elsewhere": ServerChange("other", files=("*",), markers=("other.toml",)),
    }
    ty, mine = specs_of(str(tmp_path), changes, is_trusted=True)
    assert ty.command == ("/opt/ty", "serve")
    assert ty.options == {"diagnosticMode": "workspace", "x": 1}
    assert ty.files == ("*.py", "*.pyi")
    assert mine == ServerSpec("mine", ("my-server", "--stdio"), ("*.my",))


def test_a_change_of_options_alone_keeps_the_program_and_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    ty, _ = specs_of(str(tmp_path), {"ty": ServerChange(options={"x": 1})})
    assert ty.command == ("ty", "server")
    assert not ty.runs_code


def test_a_server_takes_files_by_their_names() -> None:
    spec = ServerSpec("s", ("s",), ("*.py", "Makefile"))
    assert spec.takes("/a.b/c.py")
    assert spec.takes("/Makefile")
    assert not spec.takes("/a.py/c.txt")


def test_languages_have_the_names_of_the_protocol() -> None:
    assert language_of("/a/B.PY") == "python"
    assert language_of("/a/b.tsx") == "typescriptreact"
    assert language_of("/a/b.go") == "go"
    assert language_of("/a/Makefile") == "plaintext"
