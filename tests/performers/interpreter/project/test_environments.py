import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from hearth.performers.interpreter.project.environments import (
    Environments,
    is_uv_project,
    pinned_python,
)

HERE = ".".join(map(str, sys.version_info[:2]))


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


def fake(folder: Path, version: str = "3.99.1", kernel: str = "7.4.0") -> Path:
    """An environment whose interpreter says this of itself, and counts how often it is asked."""
    said = {"version": version, "prefix": str(folder), "site": str(folder), "kernel": kernel}
    asked = folder / "asked"
    script(folder / "bin" / "python", f"echo . >> {asked}\necho noise\necho '{json.dumps(said)}'")
    (folder / "pyvenv.cfg").write_text("", "utf-8")
    return folder


def finder(patience: float = 15.0, **variables: str) -> Environments:
    return Environments(variables={"PATH": os.defpath, **variables}, patience=patience)


@pytest.mark.promise("SF-EVAL-13")
async def test_a_projects_own_environment_is_found_and_is_its_prefix(tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", symlinks=True, with_pip=False)
    found = await finder().find(tmp_path)
    assert found.python == str(tmp_path / ".venv" / "bin" / "python")
    assert found.prefix == str(tmp_path / ".venv")
    assert found.version == ".".join(map(str, sys.version_info[:3]))
    assert (found.source, found.kernel, found.problems) == (".venv", "", ())
    asked = [found.python, "-c", "import sys; print(sys.prefix)"]
    said = subprocess.run(asked, check=True, capture_output=True)  # noqa: ASYNC221, S603 - the environment made above
    assert said.stdout.decode().strip() == str(tmp_path / ".venv")


@pytest.mark.promise("SF-EVAL-13")
class TestWhereEnvironmentsAre:
    async def test_beside_the_project_in_either_spelling(self, tmp_path: Path) -> None:
        fake(tmp_path / "venv")
        assert (await finder().find(tmp_path)).source == "venv"
        fake(tmp_path / ".venv")
        assert (await finder().find(tmp_path)).source == ".venv"

    async def test_with_uv_where_it_says(self, tmp_path: Path) -> None:
        fake(tmp_path / ".venv")
        fake(tmp_path / "special")
        (tmp_path / "uv.lock").write_text("", "utf-8")
        assert (await finder().find(tmp_path)).source == "uv"
        found = await finder(UV_PROJECT_ENVIRONMENT="special").find(tmp_path)
        assert (found.prefix, found.source) == (str(tmp_path / "special"), "uv")

    async def test_in_a_member_if_the_root_has_none(self, tmp_path: Path) -> None:
        fake(tmp_path / "packages" / "a" / ".venv")
        found = await finder().find(tmp_path, [tmp_path / "packages" / "a"])
        assert found.prefix == str(tmp_path / "packages" / "a" / ".venv")

    async def test_the_active_one_only_if_it_is_the_projects(self, tmp_path: Path) -> None:
        other = fake(tmp_path / "elsewhere")
        root = tmp_path / "root"
        root.mkdir()
        assert (await finder(VIRTUAL_ENV=str(other)).find(root)).source == "hearth"
        inner = fake(root / "my-env")
        assert (await finder(VIRTUAL_ENV=str(inner)).find(root)).prefix == str(inner)
        (other / ".project").write_text(f"{root}\n", "utf-8")
        found = await finder(VIRTUAL_ENV=str(other)).find(root)
        assert (found.prefix, found.source) == (str(other), "VIRTUAL_ENV")

    async def test_with_conda_inside_of_the_project(self, tmp_path: Path) -> None:
        prefix = fake(tmp_path / ".conda")
        (prefix / "conda-meta").mkdir()
        assert (await finder().find(tmp_path)).source == "conda"
        other = finder(CONDA_PREFIX=str(prefix))
        assert (await other.find(tmp_path / "not" / "above")).source == "hearth"

    async def test_with_poetry_where_it_says(self, tmp_path: Path) -> None:
        far = fake(tmp_path / "cache" / "shop-py3")
        poetry = script(tmp_path / "bin" / "poetry", f'test "$*" = "env info -p" && echo {far}')
        path = f"{poetry.parent}:{os.defpath}"
        root = tmp_path / "root"
        root.mkdir()
        assert (await finder(PATH=path).find(root)).source == "hearth"
        (root / "poetry.lock").write_text("", "utf-8")
        found = await finder(PATH=path).find(root)
        assert (found.prefix, found.source) == (str(far), "poetry")
        assert (await finder().find(root)).source == "hearth"

    async def test_with_pyenv_by_the_version_that_is_asked_for(self, tmp_path: Path) -> None:
        fake(tmp_path / "pyenv" / "versions" / "3.99.1")
        (tmp_path / ".python-version").write_text("3.99\n", "utf-8")
        found = await finder(PYENV_ROOT=str(tmp_path / "pyenv")).find(tmp_path)
        assert found.source == ".python-version"
        assert found.version == "3.99.1"


class TestWhatCannotBeUsed:
    async def test_no_environment_at_all_means_hearths_own_without_a_word(
        self, tmp_path: Path
    ) -> None:
        found = await finder().find(tmp_path)
        assert (found.python, found.source, found.problems) == (sys.executable, "hearth", ())

    async def test_an_environment_without_a_python_is_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / ".venv").mkdir()
        fake(tmp_path / "venv")
        found = await finder().find(tmp_path)
        assert found.source == "venv"
        (problem,) = found.problems
        assert problem.startswith(f"{tmp_path}/.venv/bin/python is not there")

    async def test_a_python_that_is_gone_is_told(self, tmp_path: Path) -> None:
        (tmp_path / ".venv" / "bin").mkdir(parents=True)
        (tmp_path / ".venv" / "bin" / "python").symlink_to("/gone/python")
        first, last = (await finder().find(tmp_path)).problems
        assert "the Python it was made with is gone; make the environment anew" in first
        assert last == "hearth's own interpreter is used instead"

    @pytest.mark.parametrize("body", ["exit 3", "echo nonsense", "exec tail -f /dev/null"])
    async def test_a_python_that_does_not_answer_is_told(self, tmp_path: Path, body: str) -> None:
        script(tmp_path / ".venv" / "bin" / "python", body)
        found = await finder(patience=0.3).find(tmp_path)
        assert found.source == "hearth"
        assert "cannot be run" in found.problems[0]

    async def test_a_python_that_is_no_program_is_told(self, tmp_path: Path) -> None:
        script(tmp_path / ".venv" / "bin" / "python", "").chmod(0o644)
        assert "cannot be run" in (await finder().find(tmp_path)).problems[0]

    async def test_a_python_that_is_too_old_is_told(self, tmp_path: Path) -> None:
        fake(tmp_path / ".venv", version="3.9.18")
        problem = (await finder().find(tmp_path)).problems[0]
        assert problem.endswith("is Python 3.9.18; hearth needs 3.10 or newer")

    @pytest.mark.parametrize("kernel", ["", "6.29.1"])
    async def test_one_that_needs_a_kernel_hearth_cannot_lend_is_told(
        self, tmp_path: Path, kernel: str
    ) -> None:
        fake(tmp_path / ".venv", kernel=kernel)
        found = await finder().find(tmp_path)
        assert found.source == "hearth"
        python = f"{tmp_path}/.venv/bin/python"
        assert found.problems[0].endswith(f"{python} -m pip install 'ipykernel>=7'")

    async def test_but_one_to_which_it_can_lend_is_used(self, tmp_path: Path) -> None:
        fake(tmp_path / ".venv", version=f"{HERE}.0", kernel="")
        assert (await finder().find(tmp_path)).source == ".venv"


class TestWhatWasSaid:
    async def test_is_believed_while_nothing_changes(self, tmp_path: Path) -> None:
        folder = fake(tmp_path / "v" / ".venv")
        asked = tmp_path / "asked"
        python = folder / "bin" / "python"
        python.write_text(python.read_text("utf-8").replace(f"{folder}/asked", str(asked)), "utf-8")
        environments = finder()
        for _ in range(3):
            assert (await environments.find(tmp_path / "v")).source == ".venv"
        assert asked.read_text("utf-8") == ".\n"

    async def test_is_asked_anew_when_something_was_installed(self, tmp_path: Path) -> None:
        folder = fake(tmp_path / ".venv", version=f"{HERE}.0", kernel="")
        environments = finder()
        assert (await environments.find(tmp_path)).kernel == ""
        fake(folder, version=f"{HERE}.0", kernel="7.4.0")
        os.utime(folder, ns=(1, 1))
        assert (await environments.find(tmp_path)).kernel == "7.4.0"


@pytest.mark.parametrize(
    ("said", "found"),
    [("3.11", "3.11.7"), ("3.11.2\n", "3.11.2"), ("3.12", None), ("3.1", None), ("", None)],
)
def test_a_pinned_version_is_the_newest_that_fits(
    tmp_path: Path, said: str, found: str | None
) -> None:
    for name in ("3.11.2", "3.11.7", "3.110.1", "3.12-dev"):
        (tmp_path / "versions" / name).mkdir(parents=True)
    (tmp_path / ".python-version").write_text(said, "utf-8")
    pinned = pinned_python(tmp_path, {"PYENV_ROOT": str(tmp_path)})
    assert (pinned.name if pinned else None) == found


def test_a_version_that_is_a_path_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / ".python-version").write_text("../../etc", "utf-8")
    assert pinned_python(tmp_path, {"PYENV_ROOT": str(tmp_path)}) is None


def test_uv_looks_after_what_it_locked_or_is_configured_in(tmp_path: Path) -> None:
    assert not is_uv_project(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.uv]\npackage = true", "utf-8")
    assert is_uv_project(tmp_path)
