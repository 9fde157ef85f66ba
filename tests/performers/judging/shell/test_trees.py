import os
from pathlib import Path

import pytest

from hearth.performers.judging.shell import trees
from hearth.performers.judging.shell.sieves import Sieve
from hearth.performers.judging.shell.trees import Allowance, Tree, look_through


def _make(top: Path, *names: str) -> None:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).touch()


def _look(top: Path, sieve: Sieve | None = None, allowance: Allowance | None = None) -> Tree:
    return look_through(str(top), sieve or Sieve(), allowance or Allowance())


def test_files_that_may_hold_secrets_are_found_however_deep(tmp_path: Path) -> None:
    _make(tmp_path, "a.py", "x/y/.env", "x/.aws/config", "x/server.pem", ".env.example")

    assert sorted(_look(tmp_path).secrets) == [
        f"{tmp_path}/x/.aws/config",
        f"{tmp_path}/x/server.pem",
        f"{tmp_path}/x/y/.env",
    ]
    assert _look(tmp_path).is_whole
    assert not _look(tmp_path).has_links
    assert _look(tmp_path, Sieve(skips_hidden=True)).secrets == (f"{tmp_path}/x/server.pem",)


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        (".ignore", "!.env"),
        (".gitignore", "*.log\n!/.e*\n"),
        (".rgignore", "!**"),
        ("x/.ignore", "!.[e]nv"),
        (".git/info/exclude", "!.env"),
        ("../.ignore", "!.env"),
        (".ignore", "!.kept/"),
    ],
)
def test_what_is_taken_back_is_not_hidden(tmp_path: Path, rules: str, line: str) -> None:
    top = tmp_path / "top"
    _make(top, "x/.env", ".kept/id_rsa", ".other/.env", ".git/HEAD")
    (top / rules).parent.mkdir(parents=True, exist_ok=True)
    hidden = Sieve(skips_hidden=True)
    assert _look(top, hidden).secrets == ()
    (top / rules).write_text(line)

    assert _look(top, hidden).secrets != ()
    assert _look(top, Sieve(only=("*.py",), begins_closed=True, skips_hidden=True)).secrets == ()


def test_other_things_that_are_taken_back_change_nothing(tmp_path: Path) -> None:
    _make(tmp_path, ".env", ".ssh/config")
    (tmp_path / ".gitignore").write_text(".*\n!.gitignore\n!.github/\n\\!.env\n#!.env\n")
    assert _look(tmp_path, Sieve(skips_hidden=True)).secrets == ()
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").symlink_to("elsewhere")
    assert _look(tmp_path, Sieve(skips_hidden=True)).secrets != ()


def test_what_others_have_made_public_is_not_looked_into(tmp_path: Path) -> None:
    _make(tmp_path, "node_modules/x/a.pem", "lib/site-packages/certifi/cacert.pem")

    assert _look(tmp_path) == Tree(has_links=True)


def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    _make(tmp_path, "out/.env", "in/a")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")

    assert _look(tmp_path / "in") == Tree(has_links=True)


def test_what_is_too_much_is_told(tmp_path: Path) -> None:
    _make(tmp_path, *(f"{one}/a" for one in range(5)))

    assert not _look(tmp_path, allowance=Allowance(names=3)).is_whole
    assert not _look(tmp_path, allowance=Allowance(folders=3)).is_whole
    assert _look(tmp_path, allowance=Allowance(names=10, folders=6)).is_whole
    _make(tmp_path, *(f"{one}.pem" for one in range(trees.MOST_SECRETS + 1)))
    found = _look(tmp_path)
    assert len(found.secrets) == trees.MOST_SECRETS
    assert not found.is_whole


def test_a_file_or_nothing_has_nothing_below_it(tmp_path: Path) -> None:
    _make(tmp_path, "a")

    assert _look(tmp_path / "a") == _look(tmp_path / "nothing") == Tree()


def test_a_folder_that_has_not_changed_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make(tmp_path, "a/b")
    later = os.lstat(tmp_path).st_ctime_ns + 10 * 10**9
    monkeypatch.setattr("time.time_ns", lambda: later)

    first, second = Allowance(), Allowance()
    _look(tmp_path, allowance=first)
    _look(tmp_path, allowance=second)
    assert first.names == trees.MOST_NAMES - 2
    assert second.names == trees.MOST_NAMES

    _make(tmp_path, "a/.env")
    assert _look(tmp_path).secrets == (f"{tmp_path}/a/.env",)


def test_a_folder_that_has_only_just_changed_is_read_again(tmp_path: Path) -> None:
    _make(tmp_path, "a")
    _look(tmp_path)
    again = Allowance()
    _look(tmp_path, allowance=again)

    assert again.names == trees.MOST_NAMES - 1
