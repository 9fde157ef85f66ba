"""What a shell completes."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run

from hearth.clients.cli.completing import bash, fish, zsh
from hearth.clients.cli.words import ALONE, VERBS

BASH = shutil.which("bash") or "bash"


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A folder with a `hearth` that knows two sessions, and the script for bash."""
    command = tmp_path / "hearth"
    command.write_text("#!/bin/sh\n[ \"$*\" = 'sessions --names' ] && cat names\n")
    command.chmod(0o755)
    (tmp_path / "names").write_text("shop\nsession-a1\n$(touch taken)\nmy shop\n", "utf-8")
    (tmp_path / "complete.bash").write_text(bash(), "utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


def completed(shell: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    quoted = " ".join(f"'{word}'" for word in ("hearth", *words))
    script = (
        f"set -u; source ./complete.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words)};"
        ' _hearth; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [BASH, "--norc", "-c", script],
        capture_output=True,
        check=True,
        cwd=shell,
        env={"PATH": f"{shell}:/usr/bin:/bin"},
        timeout=60,
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines() if done.stdout != b"\n" else []


def test_verbs_and_flags_are_completed(shell: Path) -> None:
    assert completed(shell, "sta") == ["status"]
    assert completed(shell, "sto") == ["stop", "stop-session"]
    assert completed(shell, "--sup") == ["--supervised"]
    assert completed(shell, "run", "--t") == ["--trust", "--timeout"]
    assert completed(shell, "token", "r") == ["remove", "rotate"]
    assert completed(shell, "help", "ev") == ["events"]
    assert "--server" not in completed(shell, "--")


def test_sessions_are_completed_where_one_is_named(shell: Path) -> None:
    assert completed(shell, "run", "--session", "sh") == ["shop"]
    assert completed(shell, "run", "-s", "se") == ["session-a1"]
    assert completed(shell, "stop-session", "s") == ["shop", "session-a1"]
    assert completed(shell, "status", "sh") == []


def test_what_is_written_in_a_name_is_never_carried_out(shell: Path) -> None:
    assert completed(shell, "run", "--session", "$(t") == [r"\$\(touch\ taken\)"]
    assert completed(shell, "stop-session", "my") == [r"my\ shop"]
    assert not (shell / "taken").exists()


def test_folders_are_completed_where_one_is_named(shell: Path) -> None:
    assert completed(shell, "run", "--proj", "fol") == ["folder"]
    assert completed(shell, "trust", "fol") == ["folder"]


def test_the_value_of_a_flag_is_not_taken_for_the_verb(shell: Path) -> None:
    assert completed(shell, "--session", "status", "ru") == ["run"]
    assert completed(shell, "run", "--timeout", "") == []
    assert completed(shell, "-c", "ask", "--no-w") == ["--no-wait"]


def test_a_flag_that_takes_one_of_a_few_values_offers_them(shell: Path) -> None:
    assert completed(shell, "undo", "--for", "") == ["nobody", "agents", "everyone"]
    assert completed(shell, "fork", "--how", "re") == ["replay"]
    assert completed(shell, "run", "--on-error", "u") == ["undo"]
    assert completed(shell, "rewind", "--scope", "f") == ["files"]
    assert ":nobody|agents|everyone:(nobody agents everyone)" in zsh()
    assert "-l how -x -a 'copy replay new' -d" in fish()
    known = {one.name for verb in VERBS for one in verb.flags if one.among}
    spelled = {(one.name, one.among) for verb in VERBS for one in verb.flags if one.name in known}
    assert len(spelled) == len(known), "a flag has the same values wherever it is"


def test_files_are_completed_where_they_are_variants(shell: Path) -> None:
    assert completed(shell, "try", "comp") == ["complete.bash"]
    assert completed(shell, "try", "sh") == ["shop"]
    assert completed(shell, "keep", "comp") == []
    assert "'*: :_files'" in zsh()
    assert "__fish_seen_subcommand_from try' -F" in fish()


def test_a_value_that_may_be_left_out_is_not_waited_for(shell: Path) -> None:
    assert completed(shell, "ask", "--continue", "--no-w") == ["--no-wait"]
    assert "::NAME:" in zsh()
    assert "-l continue -s c -d" in fish()
    assert completed(shell, "ask", "-s", "sh") == ["shop"]


@pytest.mark.parametrize("made", [bash(), zsh(), fish()], ids=["bash", "zsh", "fish"])
def test_every_script_knows_every_verb_and_flag_and_asks_for_sessions(made: str) -> None:
    for verb in (ALONE, *VERBS):
        assert verb.name in made
        for flag in verb.flags:
            assert f"--{flag.name}" in made or f"-l {flag.name}" in made
    assert "hearth sessions --names" in made
    assert "--server" not in made
    assert len(shlex.split(made, comments=True)) > 100  # every quote that is opened is closed


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_scripts_are_understood_by_the_shells_that_are_here(
    name: str, run: Run, tmp_path: Path
) -> None:
    done = run("completion", name)
    assert (done.code, done.err) == (0, "")
    assert f"hearth for {name}" in done.out
    script = tmp_path / "script"
    script.write_text(done.out, "utf-8")
    if shell := shutil.which(name):
        subprocess.run([shell, "-n", str(script)], check=True, timeout=60)  # noqa: S603 - our own
