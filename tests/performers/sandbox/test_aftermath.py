"""What a command left where git and hearth look by themselves is found and made harmless."""

import os
from pathlib import Path

import pytest
from tests.performers.sandbox.trying import Machine

from hearth.performers.sandbox.aftermath import MOST_HOOKS, aftermath, state
from hearth.performers.sandbox.footing import HELD


def _left(here: Machine, script: str) -> str:
    folders = (str(here.root),)
    before = state(folders)
    here.run(script)
    return "\n".join(one.what for one in aftermath(before))


def test_a_repository_that_is_made_as_usual_is_left_alone(here: Machine) -> None:
    assert _left(here, "git init -q && git add . && git remote add origin https://x/y") == ""
    assert (here.root / ".git/config").exists()


def test_a_hook_in_a_new_repository_is_no_longer_run(here: Machine) -> None:
    said = _left(here, "git init -q; echo '#!/bin/sh' > .git/hooks/pre-push; chmod +x .git/hooks/*")
    hook = here.root / ".git/hooks/pre-push"
    assert not hook.exists()
    assert hook.with_name(f"pre-push{HELD}").exists()
    assert f"{hook} is a hook" in said
    assert "sample" not in said


def test_settings_that_have_git_run_something_are_moved_aside(here: Machine) -> None:
    said = _left(here, "git init -q; git config core.fsmonitor ./evil; git config alias.x '!evil'")
    assert "core.fsmonitor" in said
    assert not (here.root / ".git/config").exists()
    assert (here.root / f".git/config{HELD}").exists()


def test_git_is_not_sent_elsewhere_for_its_settings(here: Machine) -> None:
    here.git("init")
    said = _left(here, "git init -q evil; echo ../evil/.git > .git/commondir")
    assert "from elsewhere" in said
    assert not (here.root / ".git/commondir").exists()


def test_settings_of_hearth_that_come_to_be_are_told_and_stay(here: Machine) -> None:
    said = _left(here, "echo {} > hearth.jsonc; echo > .hearthrc.py; echo > other")
    assert said.count("once a person trusts it") == 2
    assert (here.root / "hearth.jsonc").exists()


def test_what_was_there_before_is_neither_told_nor_touched(here: Machine) -> None:
    here.git("init")
    hook = here.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n", encoding="utf-8")
    hook.chmod(0o755)
    assert _left(here, "echo x > file") == ""
    assert os.access(hook, os.X_OK)


def test_a_hook_that_somebody_else_changes_meanwhile_is_told_and_stays(tmp_path: Path) -> None:
    hook = tmp_path / ".git/hooks/pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("one", encoding="utf-8")
    hook.chmod(0o755)
    before = state((str(tmp_path),))
    hook.unlink()
    hook.write_text("two", encoding="utf-8")
    hook.chmod(0o755)
    (left,) = aftermath(before)
    assert "has changed" in left.what
    assert os.access(hook, os.X_OK)


def test_what_is_in_the_place_of_a_folder_that_was_moved_is_new(here: Machine) -> None:
    here.git("init", "nested/one")
    said = _left(
        here,
        "mv nested away; git init -q nested/one; git -C nested/one config core.fsmonitor ./evil",
    )
    assert "moved aside" in said
    assert not (here.root / "nested/one/.git/config").exists()
    assert (here.root / "away/one/.git/config").exists()


def test_settings_that_others_include_are_kept_as_they_are_or_moved_aside(here: Machine) -> None:
    here.git("init")
    for name in ("shared/there", "shared/missing"):
        here.git("config", "--add", "include.path", f"../{name}")
    (here.root / "shared").mkdir()
    (here.root / "shared/there").write_text("[user]\n\tname = A\n", encoding="utf-8")
    evil = "printf '[core]\\n\\tfsmonitor = x\\n'"
    said = _left(
        here, f"{evil} > shared/there; mv shared away; {evil} > shared/missing; cat shared/missing"
    )
    assert (here.root / "shared/there").read_text(encoding="utf-8") == "[user]\n\tname = A\n"
    assert not (here.root / "shared/missing").exists()
    assert "core.fsmonitor" in said


def _outside(here: Machine) -> Path:
    """A folder with programs, and a repository whose settings run one; nothing of the project's."""
    tools = here.home / "bin"
    tools.mkdir()
    for name in ("one", "pre-commit"):
        (tools / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    bare = here.home / "bare.git"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main", encoding="utf-8")
    (bare / "config").write_text("[core]\nsshCommand = ssh -i key\n", encoding="utf-8")
    return tools


def _everything(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(one): ((about := one.lstat()).st_mode, about.st_ctime_ns)
        for one in folder.rglob("*")
        if "project" not in one.parts
    }


@pytest.mark.parametrize(
    "script",
    [
        "mkdir -p x/.git; ln -s ~/bin x/.git/hooks",
        "mkdir -p x/.git/hooks; ln -s ~/bin/one x/.git/hooks/pre-commit",
        "mkdir -p x; ln -s ~/bare.git x/.git",
        "mkdir -p x/.git; ln -s ~ x/.git/modules",
        "mkdir -p x/.git; ln -s ~ x/.git/worktrees",
        "mkdir -p x/.git; ln -s ~/bare.git/config x/.git/config",
        "mkdir -p x/.git; ln -s ~/bare.git/config x/.git/commondir",
        "mkdir -p x; echo gitdir: ~/bare.git > x/.git",
        "git init -q x; echo '[core] hooksPath = ~/bin' >> x/.git/config",
        "git init -q x; rm -rf x/.git/hooks; ln -s ../../../bin x/.git/hooks",
        "ln -s ~/bin/one hearth.jsonc",
    ],
)
def test_nothing_outside_is_touched_whatever_links_lead_there(here: Machine, script: str) -> None:
    _outside(here)
    before = _everything(here.home)
    _left(here, script)
    assert _everything(here.home) == before


def test_a_link_where_hooks_would_be_is_moved_aside(here: Machine) -> None:
    said = _left(here, "git init -q; rm -rf .git/hooks; mkdir evil; ln -s ../evil .git/hooks")
    assert ".git/hooks is a link" in said
    assert not (here.root / ".git/hooks").is_symlink()
    assert (here.root / f".git/hooks{HELD}").is_symlink()


def test_programs_of_the_project_are_no_hooks_because_a_link_says_so(here: Machine) -> None:
    (here.root / "src").mkdir()
    tool = here.root / "src/tool"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    said = _left(here, "git init -q x; rm -rf x/.git/hooks; ln -s ../../src x/.git/hooks")
    assert "src/tool" not in said
    _left(here, "git init -q y; git -C y config core.hooksPath ../src")
    assert os.access(tool, os.X_OK)


def test_another_name_that_is_taken_does_not_keep_it_in_place(here: Machine) -> None:
    said = _left(
        here,
        f"git init -q; git config core.fsmonitor evil; mkdir .git/config{HELD}",
    )
    assert "was moved aside" in said
    assert not (here.root / ".git/config").exists()


@pytest.mark.parametrize(
    "script",
    [
        "mkdir -p x/.git; mkfifo x/.git/config",
        "mkdir -p x; mkfifo x/.git",
        "git init -q x; yes '' | head -c 900000 > x/.git/config",
        "mkdir -p x/.git/hooks; cd x/.git/hooks; seq 3000 | xargs touch; chmod +x 1",
        (
            "git init -q x; cd x/.git; for n in $(seq 1500); do ln -s l$((n-1)) l$n; done; "
            "rm -rf hooks config; ln -s l1500 hooks; ln -s l1500 config"
        ),
    ],
)
def test_whatever_is_left_the_next_look_comes_to_an_end(here: Machine, script: str) -> None:
    _left(here, script)
    assert _left(here, "true") == ""
    assert not (here.root / "x/.git/config").is_file()
    assert not (here.root / "x/.git/hooks/1").exists()


def test_more_hooks_than_there_can_be_go_all_at_once(here: Machine) -> None:
    said = _left(
        here,
        f"git init -q; cd .git/hooks; seq {MOST_HOOKS + 1} | xargs touch; echo > z; chmod +x z",
    )
    assert "has more in it than hooks" in said
    assert not (here.root / ".git/hooks").exists()


def test_a_repository_that_is_reached_by_a_file_is_looked_at_however_deep(here: Machine) -> None:
    said = _left(
        here,
        "git init -q a/b/c/d; git -C a/b/c/d config core.fsmonitor evil; mkdir sub; "
        "echo gitdir: ../a/b/c/d/.git > sub/.git",
    )
    assert "core.fsmonitor" in said
    assert not (here.root / "a/b/c/d/.git/config").exists()


def test_a_repository_in_pieces_is_not_put_together(here: Machine) -> None:
    said = _left(
        here,
        "mkdir -p docs/wt docs/evil/objects docs/evil/refs; echo ref: refs/heads/x > docs/wt/HEAD; "
        "echo ../evil > docs/wt/commondir; echo '[core] fsmonitor = evil' > docs/evil/config",
    )
    assert "from elsewhere" in said
    assert not (here.root / "docs/wt/commondir").exists()


def test_a_new_worktree_of_the_project_is_left_alone(here: Machine) -> None:
    here.git("init")
    here.git("config", "user.name", "somebody")
    here.git("config", "user.email", "somebody@example.org")
    here.git("commit", "-q", "--allow-empty", "-m", "one")
    assert _left(here, "git worktree add -q ../project/other") == ""
    assert (here.root / ".git/worktrees/other/commondir").exists()


def test_settings_in_the_place_of_a_link_are_new(here: Machine) -> None:
    here.git("init")
    (here.root / ".git/config").rename(here.root / "shared")
    (here.root / ".git/config").symlink_to("../shared")
    said = _left(here, "rm .git/config; echo '[core] fsmonitor = evil' > .git/config")
    assert "core.fsmonitor" in said
    assert not (here.root / ".git/config").exists()


def test_a_folder_that_was_swapped_for_a_link_is_not_looked_at(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    folder.mkdir()
    (outside / ".git/hooks").mkdir(parents=True)
    hook = outside / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n", encoding="utf-8")
    hook.chmod(0o755)
    before = state((str(folder),))
    folder.rmdir()
    folder.symlink_to(outside)
    assert aftermath(before) == ()
    assert os.access(hook, os.X_OK)


def test_so_much_that_it_cannot_be_looked_at_is_told(here: Machine) -> None:
    assert "not all of it was looked at" in _left(here, "mkdir $(seq 500)")
    assert _left(here, "true") == ""
