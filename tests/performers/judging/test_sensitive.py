import pytest

from hearth.performers.judging.sensitive import guard_of, holds_guarded, may_hold_secrets


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.local",
        "deploy/.env.production",
        ".ENV",
        "server.pem",
        "id_rsa",
        "keys/id_ed25519",
        ".netrc",
        ".npmrc",
        ".pypirc",
        "old.kdbx",
        ".aws/credentials",
        "/home/x/.aws/config",
        "/home/x/.ssh/known_hosts",
        ".git-credentials",
        "private.key",
        "deploy/prod.env",
        "server.key.bak",
        ".server.pem.swp",
        "id_rsa~",
        "x.tfstate.backup",
        ".env.example.old/.ssh/a",
    ],
)
def test_files_that_people_keep_keys_in_are_known_by_name(path: str) -> None:
    assert may_hold_secrets(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        "id_rsa.pub",
        "src/env.py",
        "environment.yml",
        "tests/test_credentials.py",
        "key.py",
        "keyboard.txt",
        "README.md",
        "src/tokens.py",
        "uv.lock",
        ".env.example~",
        ".bak",
        "~",
        "notes.md.bak",
    ],
)
def test_files_that_are_made_to_be_shown_are_not(path: str) -> None:
    assert not may_hold_secrets(path)


@pytest.mark.parametrize(
    "path",
    [
        "/p/.git/hooks",
        "/p/.git/hooks/pre-commit",
        "/p/.git/config",
        "/p/.git/config.worktree",
        "/p/.git/info/attributes",
        "/p/.git/modules/lib/hooks/post-checkout",
        "/p/.git/modules/lib/deep/config",
        "/p/.git/worktrees/w/config.worktree",
        "/p/sub/.git/hooks/x",
        "/p/.git",
        "/p/hearth.jsonc",
        "/p/sub/hearth.jsonc",
        "/p/.hearthrc.py",
        "/p/.hearth",
        "/p/.hearth/anything/at/all",
    ],
)
def test_what_decides_what_runs_is_for_people_and_it_says_what_to_do(path: str) -> None:
    said = guard_of(path, is_directory=False)

    assert ":" in said
    assert "ask" in said or "use" in said


@pytest.mark.parametrize(
    "path",
    ["/p/.git/HEAD", "/p/.git/index", "/p/.gitignore", "/p/hooks/x", "/p/config", "/p/hearth.json"],
)
def test_other_files_are_not_guarded(path: str) -> None:
    assert not guard_of(path, is_directory=False)


def test_the_folder_of_a_repository_is_not_guarded_itself_but_holds_what_is() -> None:
    assert not guard_of("/p/.git", is_directory=True)
    assert holds_guarded("/p/.git")
    assert holds_guarded("/p/.git/modules")
    assert not holds_guarded("/p/.git/objects")
    assert not holds_guarded("/p/src")
