"""Running git so that nobody else has a say."""

import os
import select
import threading
from pathlib import Path

import pytest
from tests.performers.snapshots.projects import git_for, project

from hearth.performers.snapshots.git import (
    Deadline,
    Git,
    GitFailed,
    environment,
    find_git,
    is_below,
)


def made(tmp_path: Path) -> Git:
    """A repository with nothing in it."""
    git = git_for(tmp_path / "git", project(tmp_path / "loom", weave="1"))
    git.run("init", "-q", "--bare", "--template=", environ={"GIT_WORK_TREE": ""})
    return git


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def ends(pid: int) -> bool:
    """Whether a process that is no child of ours is over, or soon will be."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 20)[0])
    finally:
        os.close(watched)


class TestWhichGit:
    def test_the_first_that_path_names(self, tmp_path: Path) -> None:
        one = script(tmp_path / "one" / "git", "true")
        path = f"{tmp_path / 'none'}:{one.parent}:/usr/bin"
        assert find_git(tmp_path / "loom", path) == os.path.realpath(one)

    def test_never_one_that_lies_in_the_project(self, tmp_path: Path) -> None:
        root = tmp_path / "loom"
        script(root / "bin" / "git", "true")
        honest = script(tmp_path / "tools" / "git", "true")
        (tmp_path / "way").symlink_to(root / "bin")
        (tmp_path / "linked").mkdir()
        (tmp_path / "linked" / "git").symlink_to(root / "bin" / "git")
        (root / "out").symlink_to(tmp_path / "tools")
        path = f"{root}/bin:{root}/out:{tmp_path}/way:{tmp_path}/linked::.:bin"
        with pytest.raises(GitFailed, match="git is not installed"):
            find_git(root, path)
        assert find_git(root, f"{path}:{honest.parent}") == os.path.realpath(honest)

    def test_none_that_cannot_be_run(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "git").mkdir(parents=True)
        script(tmp_path / "b" / "git", "true").chmod(0o644)
        with pytest.raises(GitFailed):
            find_git(tmp_path / "loom", f"{tmp_path}/a:{tmp_path}/b")

    def test_a_folder_with_a_longer_name_is_another_one(self) -> None:
        assert is_below("/a/b", "/a/b")
        assert is_below("/a/b/c", "/a/b")
        assert is_below("/a", "/")
        assert not is_below("/a/bc", "/a/b")
        assert not is_below("/a", "/a/b")


class TestRunning:
    def test_it_knows_nothing_of_the_daemons_environment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_DIR", "/elsewhere")
        monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/elsewhere")
        monkeypatch.setenv("SOME_API_KEY", "secret")
        said = script(tmp_path / "bin" / "git", 'env; echo "$@"')
        git = Git(str(said), tmp_path / "git", project(tmp_path / "loom"), Deadline(30))
        printed = git.run("anything").decode()
        assert "secret" not in printed
        assert "elsewhere" not in printed
        assert f"GIT_DIR={tmp_path / 'git'}\n" in printed
        assert "GIT_CONFIG_GLOBAL=/dev/null\n" in printed
        assert "core.hooksPath=/dev/null" in printed
        assert "core.fsmonitor=false" in printed
        names = set(environment(tmp_path, tmp_path, "/usr/bin/git"))
        assert {line.partition("=")[0] for line in printed.splitlines()[:-1]} - names <= {
            "PWD",
            "_",
        }

    def test_a_failure_is_a_sentence(self, tmp_path: Path) -> None:
        git = made(tmp_path)
        with pytest.raises(GitFailed, match=r"git cat-file ended with status 128: fatal: Not a"):
            git.run("cat-file", "-e", "nonsense")

    def test_a_long_complaint_is_cut(self, tmp_path: Path) -> None:
        noisy = script(tmp_path / "bin" / "git", "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 3")
        git = Git(str(noisy), tmp_path / "git", project(tmp_path / "loom"), Deadline(30))
        with pytest.raises(GitFailed, match=r"status 3: x+…$") as told:
            git.run("anything")
        assert len(str(told.value)) < 400

    def test_what_takes_too_long_is_ended_with_all_it_started(self, tmp_path: Path) -> None:
        noted = tmp_path / "pid"
        os.mkfifo(noted)
        slow = script(tmp_path / "bin" / "git", f"sleep 1000 & echo $! > {noted}; wait")
        root = project(tmp_path / "loom")
        pids: list[int] = []
        passed = iter([0.0, 0.9, 2.0, 2.0])

        def now() -> float:
            if (time := next(passed)) == 0.9:
                pids.append(int(noted.read_text()))  # only now has it begun
            return time

        git = Git(str(slow), tmp_path / "git", root, Deadline(1, now))
        with pytest.raises(GitFailed, match="not done within 1 seconds"):
            git.run("anything")
        assert ends(pids[0])

    def test_what_is_stopped_fails_and_so_does_what_comes_after(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "begun")
        slow = script(tmp_path / "bin" / "git", f"echo x > {tmp_path / 'begun'}; exec sleep 1000")
        git = Git(str(slow), tmp_path / "git", project(tmp_path / "loom"), Deadline(60))

        def stop() -> None:
            (tmp_path / "begun").read_bytes()
            git.stop()

        stopping = threading.Thread(target=stop, daemon=True)
        stopping.start()
        with pytest.raises(GitFailed, match="status -9"):
            git.run("anything")
        stopping.join(30)
        (tmp_path / "begun").unlink()
        with pytest.raises(GitFailed, match="status -9"):
            git.run("anything")

    def test_a_program_that_is_gone_is_told(self, tmp_path: Path) -> None:
        git = Git("/no/git", tmp_path / "git", project(tmp_path / "loom"), Deadline(30))
        with pytest.raises(GitFailed, match="git cannot be run: No such file"):
            git.run("version")

    def test_time_is_counted_from_the_beginning(self) -> None:
        now = iter([0.0, 4.0, 11.0])
        deadline = Deadline(10, lambda: next(now))
        assert deadline.left() == 6
        with pytest.raises(GitFailed, match="within 10 seconds"):
            deadline.left()


class TestContents:
    def test_they_come_one_after_the_other_in_full(self, tmp_path: Path) -> None:
        git = made(tmp_path)
        wanted = [b"", b"one\n", bytes(3 * 1024 * 1024), b"\n\n"]
        names = [
            git.run("hash-object", "-w", "--stdin", stdin=one).decode().strip() for one in wanted
        ]
        with git.contents() as content:
            assert [b"".join(content(one)) for one in names] == wanted
            with pytest.raises(GitFailed, match="no longer there"):
                list(content("0" * 40))
            assert b"".join(content(names[1])) == b"one\n"

    def test_git_that_ends_early_is_told(self, tmp_path: Path) -> None:
        early = script(tmp_path / "bin" / "git", "echo 1234 blob 100; echo too little")
        git = Git(str(early), tmp_path / "git", project(tmp_path / "loom"), Deadline(30))
        with git.contents() as content, pytest.raises(GitFailed, match="git ended"):
            list(content("1234"))

    def test_git_that_says_nothing_is_ended_in_time(self, tmp_path: Path) -> None:
        mute = script(tmp_path / "bin" / "git", "exec sleep 1000")
        git = Git(str(mute), tmp_path / "git", project(tmp_path / "loom"), Deadline(0.3))
        with git.contents() as content, pytest.raises(GitFailed):
            list(content("1234"))


def test_a_git_of_today_packs_many_files_at_once(tmp_path: Path) -> None:
    old = script(tmp_path / "bin" / "git", "echo git version 2.30.2")
    root = project(tmp_path / "loom")
    assert not Git(str(old), tmp_path / "git", root, Deadline(30)).packs_at_once()
    new = script(tmp_path / "bin" / "git", "echo git version 2.37.0.windows.1")
    assert Git(str(new), tmp_path / "git", root, Deadline(30)).packs_at_once()
