from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.lookup import is_of_project


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "project" / "bin"
    folder.mkdir(parents=True)
    (folder / "ls").touch()
    return Place(str(tmp_path / "project"), str(tmp_path / "project"))


def test_programs_of_the_system_are_not_of_the_project(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    assert not is_of_project("ls", place)
    assert not is_of_project("no-such-program", place)


@pytest.mark.parametrize("path", ["{}/bin:/bin", ".:/bin", "/bin-nothing::/bin", "bin"])
def test_what_is_found_in_the_project_is(
    path: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path.format(place.root))

    assert is_of_project("ls", place)
    assert not is_of_project("echo", place)


def test_what_is_found_before_the_project_is_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/bin:{place.root}/bin")

    assert not is_of_project("ls", place)


def test_links_into_the_project_are_followed(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "ls").symlink_to(Path(place.root) / "bin" / "ls")
    (tmp_path / "all").symlink_to(Path(place.root) / "bin")

    for folder in ("tools", "all"):
        monkeypatch.setenv("PATH", f"{tmp_path / folder}:/bin")
        assert is_of_project("ls", place)


def test_what_is_built_into_the_shell_is_not_when_another_program_runs_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(place.root) / "bin" / "echo").touch()
    monkeypatch.setenv("PATH", f"{place.root}/bin:/bin")

    assert not is_of_project("echo", place)
    assert is_of_project("echo", place, by_shell=False)


def test_a_shim_runs_what_files_of_the_project_say(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("home/.asdf/shims/jq", "volta/bin/volta-shim", ".pyenv/shims/pip"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    (tmp_path / "volta" / "bin" / "node").symlink_to("volta-shim")

    for also in ("", f":{place.root}/bin"):
        folders = ("home/.asdf/shims", "volta/bin", ".pyenv/shims")
        path = ":".join(f"{tmp_path}/{one}" for one in folders)
        monkeypatch.setenv("PATH", f"{path}:/bin{also}")
        assert is_of_project("jq", place)
        assert is_of_project("node", place)
        assert not is_of_project("pip", place)
        assert not is_of_project("ls", place)
