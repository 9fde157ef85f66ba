import os
import subprocess
from pathlib import Path

import pytest

from hearth.performers.tools.shell import environment
from hearth.performers.tools.shell.environment import has_shell, shell, surroundings

HERE = "/some/where"


def test_secrets_are_not_there_and_what_a_command_needs_is() -> None:
    found = surroundings(
        {"PATH": "/bin", "HOME": "/home/x", "ANTHROPIC_API_KEY": "sk-1", "LANG": "C.UTF-8"}, HERE
    )
    assert found["PATH"] == "/bin"
    assert found["HOME"] == "/home/x"
    assert found["PWD"] == HERE
    assert "ANTHROPIC_API_KEY" not in found


def test_what_a_person_wants_to_be_passed_on_is_passed_on() -> None:
    found = surroundings({"MY_TOKEN": "t", "YOUR_TOKEN": "t"}, HERE, ("MY_*",))
    assert found.get("MY_TOKEN") == "t"
    assert "YOUR_TOKEN" not in found


def test_nobody_is_asked_and_nothing_is_paged() -> None:
    found = surroundings({"PAGER": "less", "GIT_EDITOR": "vim", "TERM": "xterm"}, HERE)
    assert (found["PAGER"], found["GIT_PAGER"], found["TERM"]) == ("cat", "cat", "dumb")
    assert (found["GIT_EDITOR"], found["GIT_TERMINAL_PROMPT"]) == (":", "0")


def test_nothing_that_surrounds_a_command_changes_what_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "first.sh"
    file.write_text("echo read first\n")
    found = surroundings(
        {
            "PATH": "/bin:/usr/bin",
            "BASH_ENV": str(file),
            "ENV": str(file),
            "BASH_FUNC_ls%%": "() { echo another ls; }",
            "CDPATH": "/",
            "SHELLOPTS": "xtrace",
        },
        str(tmp_path),
    )
    argv = shell("ls; cd tmp 2>/dev/null")
    ran = subprocess.run(argv, env=found, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603 - our own words
    assert ran.stdout == b"first.sh\n"
    assert not ran.stderr


def test_no_program_gets_options_that_nobody_sees() -> None:
    given = dict.fromkeys(("RIPGREP_CONFIG_PATH", "TAR_OPTIONS", "GREP_OPTIONS", "UNZIP"), "x")
    assert given.keys().isdisjoint(surroundings(given, HERE))


def test_a_command_that_begins_with_a_dash_is_a_command() -> None:
    argv = shell("-c 'echo ran'; echo after")
    ran = subprocess.run(argv, capture_output=True, check=False)  # noqa: S603 - our own words
    assert ran.stdout == b"after\n"
    assert b"not found" in ran.stderr


def test_without_bash_there_is_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_shell()
    monkeypatch.setattr(environment, "_USUAL", ("/no/such/bash",))
    monkeypatch.setattr(environment, "which", lambda _: None)
    assert not has_shell()


def _git(*words: str, cwd: Path, env: dict[str, str]) -> str:
    ran = subprocess.run(  # noqa: S603 - git, with words of the test
        ["git", *words],  # noqa: S607 - whichever git there is
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return ran.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    env = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ("init", "-q"),
        ("config", "user.name", "somebody"),
        ("config", "user.email", "somebody@example.org"),
        ("commit", "-q", "--allow-empty", "-m", "one"),
    ):
        _git(*words, cwd=folder, env=env)
    return folder


@pytest.mark.parametrize("where", [".", "sub"])
def test_git_runs_nothing_that_a_repository_has_it_run_while_it_looks(
    repository: Path, where: str
) -> None:
    trap = repository / "trap"
    place = repository / where
    place.mkdir(exist_ok=True)
    if where != ".":
        _git("init", "-q", cwd=place, env=dict(os.environ))
        _git("config", "user.name", "x", cwd=place, env=dict(os.environ))
        _git("config", "user.email", "x", cwd=place, env=dict(os.environ))
        _git("commit", "-q", "--allow-empty", "-m", "x", cwd=place, env=dict(os.environ))
        _git("add", where, cwd=repository, env=dict(os.environ))
    _git("config", "core.fsmonitor", f"touch {trap}; false", cwd=place, env=dict(os.environ))
    (place / "new").touch()
    env = surroundings(os.environ, str(repository))
    for words in (("status",), ("diff",), ("ls-files", "-m"), ("-C", where, "status")):
        _git(*words, cwd=repository, env=env)
    assert not trap.exists()
    _git("-C", where, "status", cwd=repository, env=dict(os.environ))
    assert trap.exists(), "the trap does not work"


def test_looking_at_the_state_of_a_project_runs_no_hook(repository: Path) -> None:
    hook = repository / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    env = surroundings(os.environ, str(repository))
    _git("status", cwd=repository, env=env)
    assert not (repository / "ran").exists()
    (repository / "file").touch()
    _git("add", "file", cwd=repository, env=env)
    assert (repository / "ran").exists(), "whoever changes something has hooks run as usual"


def test_git_can_be_used_as_usual(repository: Path) -> None:
    env = surroundings(os.environ, str(repository))
    (repository / "file").write_text("x")
    _git("add", "file", cwd=repository, env=env)
    _git("commit", "-q", "-m", "two", cwd=repository, env=env)
    _git("clone", "-q", "--bare", ".", "bare", cwd=repository, env=env)
    _git("push", "-q", "bare", "HEAD:other", cwd=repository, env=env)
    assert len(_git("log", "--oneline", cwd=repository, env=env).splitlines()) == 2


def test_a_repository_elsewhere_is_not_taken_for_the_one_that_was_judged(repository: Path) -> None:
    elsewhere = {"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/nowhere"}
    env = surroundings({**os.environ, **elsewhere}, str(repository))
    assert _git("rev-parse", "--show-toplevel", cwd=repository, env=env).strip() == str(
        repository.resolve()
    )


@pytest.mark.parametrize(
    ("environ", "keep", "kept"),
    [
        ({"GIT_CONFIG_COUNT": "2"}, (), ""),
        ({"GIT_CONFIG_COUNT": "x"}, ("GIT_CONFIG_*",), ""),
        ({"GIT_CONFIG_COUNT": "9" * 20}, ("GIT_CONFIG_*",), ""),
        ({"GIT_CONFIG_COUNT": "2"}, ("GIT_CONFIG_*",), "of a person"),
    ],
)
def test_settings_of_a_person_are_passed_on_only_if_that_is_wanted_and_do_not_win(
    repository: Path, environ: dict[str, str], keep: tuple[str, ...], kept: str
) -> None:
    said = {"GIT_CONFIG_KEY_0": "x.y", "GIT_CONFIG_VALUE_0": "of a person"}
    said |= {"GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": "evil"}
    env = surroundings({**os.environ, **environ, **said}, str(repository), keep)
    read = ("config", "--default", "", "--get")
    assert _git(*read, "x.y", cwd=repository, env=env).strip() == kept
    assert _git(*read, "core.fsmonitor", cwd=repository, env=env).strip() == "false"
