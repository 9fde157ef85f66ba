"""Inside of a project, what git and hearth run by themselves stays as it is."""

from pathlib import Path

import pytest
from tests.performers.sandbox.trying import Machine

HOOK = "#!/bin/sh\\ntouch ~/owned\\n"


def _live_hooks(place: Path) -> list[str]:
    return [one.name for one in place.rglob("hooks/*") if one.suffix != ".sample" and one.is_file()]


@pytest.mark.parametrize(
    "script",
    [
        f"printf '{HOOK}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        f"mv .git .aside; mkdir -p .git/hooks; printf '{HOOK}' > .git/hooks/pre-commit",
        f"mv .git/hooks .git/aside; mkdir .git/hooks; printf '{HOOK}' > .git/hooks/pre-commit",
        f"rm -rf .git/hooks; mkdir .git/hooks; printf '{HOOK}' > .git/hooks/pre-commit",
        f"mkdir evil; printf '{HOOK}' > evil/pre-commit; ln -sfn ../evil .git/hooks",
        f"mkdir evil; printf '{HOOK}' > evil/pre-commit; cp evil/pre-commit .git/hooks/",
        f"cd /proc/self/root$PWD; printf '{HOOK}' > .git/hooks/pre-commit",
        f"cd /proc/self/cwd/.git/hooks; printf '{HOOK}' > pre-commit",
    ],
)
def test_no_hook_can_be_put_in(here: Machine, script: str) -> None:
    here.git("init")
    here.run(script)
    assert (here.root / ".git/hooks").is_dir()
    assert not (here.root / ".git/hooks").is_symlink()
    assert _live_hooks(here.root / ".git") == []
    assert not (here.root / ".aside").exists()


def test_no_hook_can_be_put_in_where_the_folder_for_them_is_missing(here: Machine) -> None:
    here.git("init", "--template=")
    assert not (here.root / ".git/hooks").exists()
    here.run(f"mkdir -p .git/hooks; printf '{HOOK}' > .git/hooks/pre-commit; rmdir .git/hooks")
    assert _live_hooks(here.root) == []


@pytest.mark.parametrize(
    "script",
    [
        "git config core.hooksPath evil",
        "echo '[core] hooksPath = evil' >> .git/config",
        "printf x > evil; mv evil .git/config",
        "printf x > evil; ln -f evil .git/config; ln -sf evil .git/config",
        "rm -f .git/config; printf x > .git/config",
        "truncate -s 0 .git/config",
    ],
)
def test_the_settings_of_git_stay_as_they_are(here: Machine, script: str) -> None:
    here.git("init")
    before = (here.root / ".git/config").read_bytes()
    here.run(script)
    assert (here.root / ".git/config").read_bytes() == before


def test_git_itself_goes_on_working(here: Machine) -> None:
    here.git("init")
    here.git("config", "user.name", "somebody")
    here.git("config", "user.email", "somebody@example.org")
    done = here.run(
        "echo x > file && git add file && git commit -qm one && git checkout -qb other && "
        "echo y >> file && git stash -q && git stash pop -q && git commit -qam two && git gc -q && "
        "git log --oneline | wc -l"
    )
    assert done.stdout.strip() == "2", done.stderr


def test_hooks_elsewhere_in_the_project_are_protected_too(here: Machine) -> None:
    here.git("init")
    here.git("config", "core.hooksPath", ".husky")
    (here.root / ".husky").mkdir()
    here.run(f"printf '{HOOK}' > .husky/pre-commit")
    assert list((here.root / ".husky").iterdir()) == []


def test_repositories_below_the_root_are_protected_too(here: Machine) -> None:
    for place in (".git/modules/lib", "packages/one/.git", "bare"):
        folder = here.root / place
        (folder / "hooks").mkdir(parents=True)
        (folder / "objects").mkdir()
        (folder / "refs").mkdir()
        for name in ("HEAD", "config"):
            (folder / name).write_text("as it was", encoding="utf-8")
        here.run(f"printf '{HOOK}' > {place}/hooks/update; echo x > {place}/config; mv {place} x")
        assert (folder / "config").read_text(encoding="utf-8") == "as it was"
    assert _live_hooks(here.root) == []


def test_a_worktree_keeps_pointing_where_it_does(here: Machine) -> None:
    (here.root / ".git").write_text("gitdir: ../elsewhere", encoding="utf-8")
    here.run("echo 'gitdir: evil' > .git; rm .git; mv .git x; mkdir .git")
    assert (here.root / ".git").read_text(encoding="utf-8") == "gitdir: ../elsewhere"


@pytest.mark.parametrize("name", ["hearth.jsonc", ".hearthrc.py"])
def test_what_hearth_reads_in_the_project_stays_as_it_is(here: Machine, name: str) -> None:
    (here.root / name).write_text("mine", encoding="utf-8")
    (here.root / ".hearth/skills").mkdir(parents=True)
    here.run(
        f"echo x > {name}; echo x > new; mv new {name}; rm {name}; mv {name} aside; "
        "echo x > .hearth/skills/x; mv .hearth aside; rm -rf .hearth"
    )
    assert (here.root / name).read_text(encoding="utf-8") == "mine"
    assert list((here.root / ".hearth/skills").iterdir()) == []


def test_a_link_in_the_place_of_hooks_does_not_show_what_is_hidden(here: Machine) -> None:
    here.git("init", "--template=")
    deep = here.home / ".ssh/deep"
    deep.mkdir()
    (deep / "key").write_text("private", encoding="utf-8")
    (here.root / ".git/hooks").symlink_to(deep)
    (here.root / "hearth.jsonc").symlink_to(deep / "key")
    done = here.run("cat .git/hooks/key hearth.jsonc; ls -A ~/.ssh")
    assert done.stdout == ""
