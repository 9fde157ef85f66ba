"""What a process of an interpreter finds in its environment."""

import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.launcher import (
    BORROW,
    TUNABLES,
    environment_of,
    launcher_environment,
)


def test_nothing_of_ours_is_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEARTH_DATABASE_URL", "JPY_PARENT_PID", "PYTHONHOME", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("MY_OWN", "kept")
    found = environment_of("/usr/bin/python3")
    assert "secret" not in found.values()
    assert found["MY_OWN"] == "kept"
    assert "VIRTUAL_ENV" not in found


def test_secrets_stay_outside_unless_they_are_to_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_API_KEY", "DEPLOY_TOKEN", "SSH_AUTH_SOCK", "DATABASE_URL"):
        monkeypatch.setenv(name, "postgres://me:secret@db")
    monkeypatch.setenv("HEARTH_DATABASE_URL", "x")
    for found in (environment_of(sys.executable), launcher_environment(sys.executable)):
        assert "postgres://me:secret@db" not in found.values()
    kept = environment_of(sys.executable, ("MY_*", "DATABASE_URL", "HEARTH_*"))
    assert {"MY_API_KEY", "DATABASE_URL"} <= set(kept)
    assert not {"DEPLOY_TOKEN", "SSH_AUTH_SOCK", "HEARTH_DATABASE_URL"} & set(kept)


def test_an_interpreter_of_a_virtual_environment_finds_itself_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyvenv.cfg").write_text("")
    monkeypatch.setenv("PATH", "/usr/bin")
    found = environment_of(str(tmp_path / "bin" / "python"))
    assert found["VIRTUAL_ENV"] == str(tmp_path)
    assert found["PATH"] == f"{tmp_path}/bin:/usr/bin"
    monkeypatch.delenv("PATH")
    assert environment_of(str(tmp_path / "bin" / "python"))["PATH"].startswith(f"{tmp_path}/bin:/")


def test_pictures_go_to_the_session_unless_somebody_wants_them_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MPLBACKEND", raising=False)
    assert "inline" in environment_of(sys.executable)["MPLBACKEND"]
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert environment_of(sys.executable)["MPLBACKEND"] == "agg"


def test_only_the_launcher_is_told_to_allocate_in_huge_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(TUNABLES, raising=False)
    assert TUNABLES not in environment_of(sys.executable)
    assert launcher_environment(sys.executable)[TUNABLES] == "glibc.malloc.hugetlb=1"
    monkeypatch.setenv(TUNABLES, "glibc.malloc.check=1")
    told = launcher_environment(sys.executable)[TUNABLES]
    assert told == "glibc.malloc.check=1:glibc.malloc.hugetlb=1"
    assert environment_of(sys.executable)[TUNABLES] == "glibc.malloc.check=1"
    monkeypatch.setenv(TUNABLES, "glibc.malloc.hugetlb=0")
    assert launcher_environment(sys.executable)[TUNABLES] == "glibc.malloc.hugetlb=0"


def test_only_the_launcher_is_told_where_to_borrow() -> None:
    assert BORROW not in environment_of(sys.executable)
    lent = Path(launcher_environment(sys.executable)[BORROW])
    assert (lent / "ipykernel").is_dir()
