"""Keeping the files of a project, and going back to them."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.performers.snapshots.projects import Thing, clear, project, put, things, within

from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.permitting import Kept
from hearth.performers.snapshots import sifting, tidying
from hearth.performers.snapshots.git import Git
from hearth.performers.snapshots.snapshots import CannotKeep, CannotRestore, Snapshots
from hearth.performers.snapshots.worktree import Worktree


class Killed(Exception):
    """Nothing is done any more."""


CREATED, CHANGED, DELETED = ChangeKind.CREATED, ChangeKind.CHANGED, ChangeKind.DELETED


@pytest.fixture
async def snapshots(tmp_path: Path) -> AsyncIterator[Snapshots]:
    made = Snapshots(tmp_path / "home", keeping=60)
    yield made
    await made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "loom", weave="a = 1\nb = 2\n", spin="c = 3\n")


def kinds(changes: tuple[PathChange, ...]) -> dict[str, ChangeKind]:
    return {one.path: one.kind for one in changes}


def repository(folder: Path) -> None:
    """An ordinary repository with one commit."""
    who = ("-c", "user.name=anna", "-c", "user.email=anna@example.org")
    for words in (
        ("init", "-q"),
        ("add", "-A"),
        (*who, "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(  # noqa: S603 - git, with words of ours
            [shutil.which("git") or "git", *words],
            cwd=folder,
            check=True,
            timeout=60,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
        )


class TestGoingBack:
    async def test_changes_of_every_kind_are_shown_first_and_then_undone(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        (root / "tool").write_text("#!/bin/sh\n")
        (root / "tool").chmod(0o755)
        (root / "latest").symlink_to("weave.py")
        before = things(root)
        kept = await snapshots.keep(str(root))
        (root / "weave.py").write_text("a = 1\nb = 5\nd = 6\n")
        (root / "spin.py").unlink()
        (root / "tool").chmod(0o644)
        (root / "latest").unlink()
        (root / "latest").symlink_to("/etc/passwd")
        (root / "new").mkdir()
        (root / "new" / "made").write_text("1\n2\n")
        after = things(root)

        compared = await snapshots.compare(kept)
        assert compared.changes == (
            PathChange("latest", CHANGED, 1, 1),
            PathChange("new/made", DELETED, 0, 2),
            PathChange("spin.py", CREATED, 1, 0),
            PathChange("tool", CHANGED),
            PathChange("weave.py", CHANGED, 1, 2),
        )
        assert compared.left_out == 0
        assert things(root) == after  # nothing was changed by looking

        restored = await snapshots.restore(kept)
        assert restored.changes == compared.changes
        assert things(root) == before
        assert not (root / "new").exists()

        again = await snapshots.restore(restored.before)
        assert things(root) == after
        assert again.before == kept
        assert (await snapshots.compare(restored.before)).changes == ()

    async def test_equal_files_are_the_same_state(self, snapshots: Snapshots, root: Path) -> None:
        first = await snapshots.keep(str(root))
        os.utime(root / "weave.py")
        assert await snapshots.keep(str(root)) == first
        (root / "weave.py").write_text("other")
        assert await snapshots.keep(str(root)) != first
        (root / "weave.py").write_text("a = 1\nb = 2\n")
        assert await snapshots.keep(str(root)) == first

    async def test_states_outlive_whoever_kept_them(self, tmp_path: Path, root: Path) -> None:
        first = Snapshots(tmp_path / "home")
        kept = await first.keep(str(root))
        await first.close()
        (root / "weave.py").unlink()
        second = Snapshots(tmp_path / "home")
        await second.restore(kept)
        await second.close()
        assert (root / "weave.py").read_text() == "a = 1\nb = 2\n"

    async def test_of_very_many_changes_some_are_listed_and_all_are_undone(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        before = things(root)
        kept = await snapshots.keep(str(root))
        for number in range(600):
            (root / f"n{number:03}").write_text("x\n")
        compared = await snapshots.compare(kept)
        assert (len(compared.changes), compared.left_out) == (500, 100)
        assert compared.changes[-1] == PathChange("n499", DELETED, 0, 1)
        restored = await snapshots.restore(kept)
        assert (len(restored.changes), restored.left_out) == (500, 100)
        assert things(root) == before

    async def test_folders_become_files_and_files_folders(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        put(root, b"one/in/deep", Thing("file", b"deep"))
        put(root, b"two", Thing("file", b"two"))
        before = things(root)
        kept = await snapshots.keep(str(root))
        put(root, b"one", Thing("file", b"flat"))
        put(root, b"two/in/deep", Thing("file", b"deeper"))
        (root / "two" / "empty" / "below").mkdir(parents=True)
        after = things(root)
        restored = await snapshots.restore(kept)
        assert things(root) == before
        await snapshots.restore(restored.before)
        assert things(root) == after

    async def test_a_file_that_only_its_owner_may_read_comes_back_as_that(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        (root / "key").write_text("secret")
        (root / "key").chmod(0o600)
        (root / "run").write_text("secret")
        (root / "run").chmod(0o700)
        kept = await snapshots.keep(str(root))
        (root / "key").unlink()
        (root / "run").unlink()
        (root / "weave.py").chmod(0o640)
        (root / "weave.py").write_text("changed")
        await snapshots.restore(kept)
        modes = [(root / one).stat().st_mode & 0o777 for one in ("key", "run", "weave.py")]
        assert modes == [0o600, 0o700, 0o640]


NAMES = st.sampled_from(
    [b"a", b"b", b"c.py", b"-n", b"two\nlines", b"\xff\xfe", "é ".encode(), b'"q"\\']
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
FILES = st.builds(
    Thing,
    st.just("file"),
    st.one_of(
        st.binary(max_size=40), st.sampled_from([b"x\r\ny\r\n", b"x\ny\n", b"$Id$\n", b"\0" * 99])
    ),
    st.booleans(),
)
LINKS = st.builds(Thing, st.just("link"), st.sampled_from([b"a", b"..", b"/etc", b"a/b", b"\xff"]))
TREES = st.dictionaries(PATHS, st.one_of(FILES, LINKS), max_size=8)
DEEDS = st.lists(st.tuples(PATHS, st.one_of(FILES, LINKS, st.none())), max_size=10)


class TestAnyTree:
    @given(tree=TREES, deeds=DEEDS)
    @settings(max_examples=20)
    def test_going_back_and_forth_changes_nothing(
        self,
        tree: dict[bytes, Thing],
        deeds: list[tuple[bytes, Thing | None]],
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        folder = tmp_path_factory.mktemp("any")
        root = project(folder / "loom")
        for path, thing in tree.items():
            put(root, path, thing)
        before = things(root)

        async def there_and_back() -> None:
            snapshots = Snapshots(folder / "home", keeping=60)
            kept = await snapshots.keep(str(root))
            for path, thing in deeds:
                if thing is not None:
                    put(root, path, thing)
                elif things(root).get(path):
                    clear(within(root, path))
            after = things(root)
            restored = await snapshots.restore(kept)
            assert things(root) == before
            assert (await snapshots.restore(restored.before)).before == kept
            assert things(root) == after
            await snapshots.close()

        asyncio.run(there_and_back())


class TestByteForByte:
    @pytest.mark.parametrize(
        "attributes",
        [
            "",
            "* text eol=crlf\n",
            "* text=auto eol=lf\n",
            "* filter=lfs diff=lfs merge=lfs -text\n",
            "* ident\n",
            "* text working-tree-encoding=UTF-16\n",
            "* binary\n",
        ],
    )
    async def test_nothing_is_converted_whatever_the_project_says(
        self, snapshots: Snapshots, root: Path, attributes: str
    ) -> None:
        (root / ".gitattributes").write_text(attributes)
        contents = {
            "dos": b"a\r\nb\r\n",
            "unix": b"a\nb\n",
            "mixed": b"a\r\nb\n\rc",
            "ident": b"$Id$ $Id: abc $\n",
            "wide": "ä\n".encode("utf-16"),
            "raw": bytes(range(256)),
            "none": b"",
        }
        for name, content in contents.items():
            (root / name).write_bytes(content)
        kept = await snapshots.keep(str(root))
        for name in contents:
            (root / name).write_bytes(b"gone\n")
        (root / ".gitattributes").unlink()
        compared = await snapshots.compare(kept)
        assert {one.path: one.removed for one in compared.changes}["unix"] == 1
        await snapshots.restore(kept)
        assert {name: (root / name).read_bytes() for name in contents} == contents

    async def test_no_program_of_the_project_is_run(
        self, snapshots: Snapshots, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        canary = tmp_path / "canary"
        script = f"#!/bin/sh\ntouch {canary}\ncat\n"
        repository(root)
        tool = root / "bin" / "git"
        tool.parent.mkdir()
        tool.write_text(script)
        tool.chmod(0o755)
        hook = root / ".git" / "hooks" / "post-index-change"
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(tool, hook)
        with (root / ".git" / "config").open("a") as config:
            config.write(f'[core]\nfsmonitor = "{tool}"\n[filter "x"]\nclean = "{tool}"\n')
        (root / ".gitattributes").write_text("* filter=x\n")
        monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
        monkeypatch.setenv("GIT_DIR", str(root / ".git"))
        monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tool))
        kept = await snapshots.keep(str(root))
        (root / "weave.py").write_text("changed")
        await snapshots.compare(kept)
        await snapshots.restore(kept)
        assert not canary.exists()
        assert (root / "weave.py").read_text() == "a = 1\nb = 2\n"


class TestWhatIsNotKept:
    async def test_what_the_project_ignores_is_neither_kept_nor_touched(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        (root / ".gitignore").write_text("build/\n*.o\n")
        (root / "build").mkdir()
        (root / "build" / "out").write_text("1")
        (root / "x.o").write_text("1")
        kept = await snapshots.keep(str(root))
        (root / "build" / "out").write_text("2")
        (root / "x.o").unlink()
        (root / "y.o").write_text("2")
        (root / "weave.py").unlink()
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {"weave.py": CREATED}
        assert (root / "build" / "out").read_text() == "2"
        assert (root / "y.o").read_text() == "2"
        assert not (root / "x.o").exists()

    async def test_what_was_ignored_then_is_not_removed_because_it_is_not_ignored_now(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        (root / ".gitignore").write_text("/deps/\n.env\n")
        (root / "deps").mkdir()
        for name in ("much", ":(top)x", "*", "-n"):
            (root / "deps" / name).write_text("much")
        (root / ".env").write_text("KEY=1")
        (root / "sub").mkdir()
        (root / "sub" / ".gitignore").write_text("own\n")
        (root / "sub" / "own").write_text("own")
        kept = await snapshots.keep(str(root))
        (root / ".gitignore").unlink()
        (root / "sub" / ".gitignore").write_text("")
        (root / "made").write_text("since")
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {
            ".gitignore": CREATED,
            "sub/.gitignore": CHANGED,
            "made": DELETED,
        }
        assert len(list((root / "deps").iterdir())) == 4
        assert (root / ".env").read_text() == "KEY=1"
        assert (root / "sub" / "own").read_text() == "own"

    async def test_what_is_ignored_by_now_stands_not_in_the_way_and_is_not_lost(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        await snapshots.keep(str(root))
        (root / ".gitignore").write_text("weave.py\n")
        (root / "weave.py").write_text("ignored")
        assert kinds((await snapshots.compare(kept)).changes)["weave.py"] is CHANGED
        restored = await snapshots.restore(kept)
        assert (root / "weave.py").read_text() == "a = 1\nb = 2\n"
        await snapshots.restore(restored.before)
        assert (root / "weave.py").read_text() == "ignored"

    async def test_a_persons_own_ignore_file_does_not_count(
        self, snapshots: Snapshots, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "person" / "git").mkdir(parents=True)
        (tmp_path / "person" / "git" / "ignore").write_text("*.py\n")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "person"))
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        assert kinds((await snapshots.restore(kept)).changes) == {"weave.py": CREATED}

    async def test_large_files_are_left_out_and_told_and_left_alone(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        large = root / "large.bin"
        with large.open("wb") as file:
            file.truncate(sifting.LARGEST + 1)
        kept = await snapshots.keep(str(root))
        assert snapshots.left_out(str(root)) == (
            "not kept, because they are over 10 MB: large.bin",
        )
        large.write_text("small by now")
        restored = await snapshots.restore(kept)
        assert restored.changes == ()
        assert large.read_text() == "small by now"
        assert snapshots.left_out("/elsewhere") == ()

    async def test_a_file_that_became_large_is_brought_back_and_can_be_had_again(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        kept = await snapshots.keep(str(root))
        with (root / "weave.py").open("r+b") as file:
            file.truncate(sifting.LARGEST + 1)
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {"weave.py": CHANGED}
        assert (root / "weave.py").read_text() == "a = 1\nb = 2\n"
        await snapshots.restore(restored.before)
        assert (root / "weave.py").stat().st_size == sifting.LARGEST + 1

    async def test_pipes_and_sockets_are_passed_over(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        os.mkfifo(root / "pipe")
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        os.mkfifo(root / "weave.py")
        with pytest.raises(CannotRestore, match=r"weave.py \(what is there now cannot be kept"):
            await snapshots.restore(kept)
        assert (root / "pipe").is_fifo()
        assert (root / "weave.py").is_fifo()

    async def test_hearths_own_home_in_a_project_is_not_part_of_it(self, tmp_path: Path) -> None:
        root = project(tmp_path / "loom", weave="1")
        home = root / "some [home]"
        snapshots = Snapshots(home)
        first = await snapshots.keep(str(root))
        (home / "token").write_text("secret")
        assert await snapshots.keep(str(root)) == first
        await snapshots.restore(first)
        await snapshots.close()
        assert (home / "token").read_text() == "secret"


class TestRepositories:
    async def test_git_is_never_touched(self, snapshots: Snapshots, root: Path) -> None:
        repository(root)
        own = {one: one.read_bytes() for one in (root / ".git").rglob("*") if one.is_file()}
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        (root / ".git" / "canary").write_text("mine")
        await snapshots.restore(kept)
        assert (root / ".git" / "canary").read_text() == "mine"
        assert {one: one.read_bytes() for one in own} == own

    async def test_files_of_repositories_within_are_kept_like_all_others(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        inner = project(root / "inner", one="1")
        deeper = project(inner / "deeper", two="2")
        repository(deeper)
        repository(inner)
        project(root / "fresh", three="3")
        (root / "fresh" / ".git").mkdir()
        (root / "fresh" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        before = things(root)
        kept = await snapshots.keep(str(root))
        assert snapshots.left_out(str(root)) == ()
        assert await snapshots.keep(str(root)) == kept
        (deeper / "two.py").write_text("changed")
        (inner / "one.py").unlink()
        (inner / "made.py").write_text("made")
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {
            "inner/deeper/two.py": CHANGED,
            "inner/made.py": DELETED,
            "inner/one.py": CREATED,
        }
        assert things(root) == before
        assert (inner / ".git" / "HEAD").exists()

    async def test_what_the_project_tracks_although_it_ignores_it_is_kept(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        repository(root)
        (root / ".gitignore").write_text("*.py\n")
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        (root / "other.py").write_text("ignored, and not tracked")
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {"weave.py": CREATED}

    async def test_a_list_of_files_that_lies_leads_nowhere(
        self, snapshots: Snapshots, root: Path, tmp_path: Path
    ) -> None:
        secret = project(tmp_path / "outside", sec="s3cret") / "sec.py"
        repository(root)
        index = (root / ".git" / "index").read_bytes()
        # Whoever may write there may name what is not in the project; the sum is made anew.
        (root / "way").symlink_to(secret.parent)
        secret.rename(secret.with_suffix(""))
        for name in (b"../s.py", b"/etc/ab", b"way/sec", b".git/ab"):
            forged = index[:-20].replace(b"spin.py", name[:7])
            forged += hashlib.sha1(forged, usedforsecurity=False).digest()
            (root / ".git" / "index").write_bytes(forged)
            (root / ".gitignore").write_text("*\n")
            kept = await snapshots.keep(str(root))
            (root / "weave.py").unlink()
            assert kinds((await snapshots.restore(kept)).changes) == {"weave.py": CREATED}

    async def test_a_broken_repository_of_the_project_does_not_matter(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        (root / ".git").mkdir()
        (root / ".git" / "index").write_bytes(b"nonsense")
        kept = await snapshots.keep(str(root))
        (root / "weave.py").unlink()
        assert kinds((await snapshots.restore(kept)).changes) == {"weave.py": CREATED}


class TestLinks:
    async def test_a_link_that_took_a_folders_place_is_replaced_and_not_followed(
        self, snapshots: Snapshots, root: Path, tmp_path: Path
    ) -> None:
        put(root, b"src/one.py", Thing("file", b"mine"))
        put(root, b"src/two.py", Thing("file", b"mine too"))
        kept = await snapshots.keep(str(root))
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "one.py").write_text("canary")
        shutil.rmtree(root / "src")
        (root / "src").symlink_to(outside)
        restored = await snapshots.restore(kept)
        assert kinds(restored.changes) == {
            "src": DELETED,
            "src/one.py": CREATED,
            "src/two.py": CREATED,
        }
        assert sorted(one.name for one in outside.iterdir()) == ["one.py"]
        assert (outside / "one.py").read_text() == "canary"
        assert not (root / "src").is_symlink()
        await snapshots.restore(restored.before)
        assert (root / "src").readlink() == outside
        assert (outside / "one.py").read_text() == "canary"

    async def test_an_ignored_link_in_a_folders_place_is_replaced_too(
        self, snapshots: Snapshots, root: Path, tmp_path: Path
    ) -> None:
        put(root, b"src/one.py", Thing("file", b"mine"))
        kept = await snapshots.keep(str(root))
        outside = tmp_path / "outside"
        shutil.move(root / "src", outside)
        (root / "src").symlink_to(outside)
        (root / ".gitignore").write_text("src\n")
        restored = await snapshots.restore(kept)
        assert (root / "src" / "one.py").read_text() == "mine"
        assert not (root / "src").is_symlink()
        assert (outside / "one.py").read_text() == "mine"
        await snapshots.restore(restored.before)
        assert (root / "src").readlink() == outside

    async def test_what_a_link_leads_to_is_never_read(
        self, snapshots: Snapshots, root: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("s3cret-beyond-the-link")
        (root / "way").symlink_to(tmp_path / "secret")
        kept = await snapshots.keep(str(root))
        (root / "way").unlink()
        await snapshots.restore(kept)
        assert (root / "way").readlink() == tmp_path / "secret"
        assert (tmp_path / "secret").read_text() == "s3cret-beyond-the-link"


class TestTogether:
    async def test_many_may_keep_the_same_project_at_once(self, tmp_path: Path, root: Path) -> None:
        several = [Snapshots(tmp_path / "home", keeping=100) for _ in range(3)]
        async with asyncio.timeout(100):
            kept = await asyncio.gather(*(one.keep(str(root)) for one in several * 3))
        assert len(set(kept)) == 1
        for one in several:
            await one.close()

    async def test_another_process_is_waited_for_and_then_given_up(
        self, tmp_path: Path, root: Path
    ) -> None:
        snapshots = Snapshots(tmp_path / "home", keeping=60)
        await snapshots.keep(str(root))
        await snapshots.close()
        (lock,) = (tmp_path / "home" / "snapshots").glob("*/lock")
        code = (
            "import fcntl, sys\n"
            "lock = open(sys.argv[1])\n"
            "fcntl.flock(lock, fcntl.LOCK_EX)\n"
            "print('locked', flush=True)\n"
            "sys.stdin.read()\n"
        )
        other = await asyncio.to_thread(_started, code, str(lock))
        try:
            assert await asyncio.to_thread(_line, other) == b"locked\n"
            hasty = Snapshots(tmp_path / "home", keeping=0.2)
            with pytest.raises(CannotKeep, match=r"not done within 0.2 seconds"):
                await hasty.keep(str(root))
            waiting = asyncio.create_task(snapshots.keep(str(root)))
            await asyncio.sleep(0)
            assert not waiting.done()
            other.kill()
            async with asyncio.timeout(60):
                await waiting
        finally:
            other.kill()
            await asyncio.to_thread(other.communicate)


def _started(code: str, argument: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code, argument], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


class TestTidyingUp:
    async def test_old_states_are_let_go_of_when_a_project_is_next_used(
        self, tmp_path: Path, root: Path
    ) -> None:
        first = Snapshots(tmp_path / "home", keeping=60)
        old = await first.keep(str(root))
        (root / "weave.py").write_text("other")
        new = await first.keep(str(root))
        await first.close()
        (state,) = (tmp_path / "home").rglob(f"refs/kept/{old.tree}")
        os.utime(state, (1, 1))
        second = Snapshots(tmp_path / "home", keeping=60)
        await second.keep(str(root))
        async with asyncio.timeout(60):
            await asyncio.gather(*second._tidying)
        assert not state.exists()
        assert state.with_name(new.tree).exists()
        assert (await second.compare(new)).changes == ()
        await second.close()

    async def test_closing_does_not_wait_for_it(
        self, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun = threading.Event()

        def endless(git: Git) -> None:
            begun.set()
            git.run("cat-file", "--batch-check", "--batch-all-objects", "--unordered")
            git.run("hash-object", "--no-filters", str(tmp_path / "never"))

        os.mkfifo(tmp_path / "never")
        monkeypatch.setattr(tidying, "pack", endless)
        monkeypatch.setattr(tidying, "is_untidy", lambda _: True)
        snapshots = Snapshots(tmp_path / "home", keeping=60)
        await snapshots.keep(str(root))
        assert await asyncio.to_thread(begun.wait, 30)
        async with asyncio.timeout(30):
            await snapshots.close()
        assert not snapshots._tidying


class TestWhatCannotBe:
    @pytest.mark.parametrize(
        ("root", "why"),
        [
            ("/", "your whole home"),
            ("relative", "no absolute path"),
            ("/no/such/folder", "no such folder"),
        ],
    )
    async def test_some_roots_are_refused(self, snapshots: Snapshots, root: str, why: str) -> None:
        with pytest.raises(CannotKeep, match=why):
            await snapshots.keep(root)

    async def test_so_are_a_persons_home_and_hearths_own(
        self, snapshots: Snapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        person = tmp_path / "person"
        (person / "loom").mkdir(parents=True)
        (tmp_path / "home").mkdir(exist_ok=True)
        monkeypatch.setenv("HOME", str(person))
        with pytest.raises(CannotKeep, match="whole home"):
            await snapshots.keep(str(person))
        with pytest.raises(CannotKeep, match="hearth's own"):
            await snapshots.keep(str(tmp_path / "home"))
        assert (await snapshots.keep(str(person / "loom"))).root == str(person / "loom")

    async def test_without_git_it_is_said_that_git_is_missing(
        self, snapshots: Snapshots, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(root))
        with pytest.raises(CannotKeep, match="git is not installed"):
            await snapshots.keep(str(root))

    async def test_what_would_never_end_is_given_up_and_does_no_harm_later(
        self, tmp_path: Path, root: Path
    ) -> None:
        os.mkfifo(root / ".gitattributes")
        hasty = Snapshots(tmp_path / "home", keeping=2)
        (root / ".gitignore").symlink_to("nothing")
        try:
            await hasty.keep(str(root))
        except CannotKeep as error:
            assert "not done within 2 seconds" in str(error)  # noqa: PT017 - git may also cope
        (root / ".gitattributes").unlink()
        await hasty.close()
        patient = Snapshots(tmp_path / "home", keeping=60)
        kept = await patient.keep(str(root))
        (root / "weave.py").unlink()
        assert kinds((await patient.restore(kept)).changes) == {"weave.py": CREATED}
        await patient.close()

    async def test_a_state_that_is_no_longer_kept_is_told(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        await snapshots.keep(str(root))
        with pytest.raises(CannotRestore, match="no longer kept"):
            await snapshots.restore(Kept(str(root), "0" * 39 + "1"))
        with pytest.raises(CannotRestore, match="names no state"):
            await snapshots.compare(Kept(str(root), "--output=/tmp/x"))
        assert (root / "weave.py").exists()

    async def test_what_goes_wrong_half_way_is_told_and_finished_the_next_time(
        self, snapshots: Snapshots, root: Path
    ) -> None:
        put(root, b"gone/one", Thing("file", b"1"))
        before = things(root)
        kept = await snapshots.keep(str(root))
        shutil.rmtree(root / "gone")
        (root / "weave.py").unlink()
        os.mkfifo(root / "gone")
        with pytest.raises(CannotRestore, match=r"gone/one \(what is there now at gone") as told:
            await snapshots.restore(kept)
        assert kinds(told.value.changes) == {"weave.py": CREATED}
        assert told.value.before is not None
        (root / "gone").unlink()
        await snapshots.restore(kept)
        assert things(root) == before

    @pytest.mark.parametrize("steps", [0, 3, 6])
    async def test_a_rewind_that_was_cut_off_is_undone_as_a_whole(
        self, tmp_path: Path, root: Path, steps: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        snapshots = Snapshots(tmp_path / "home")
        kept = await snapshots.keep(str(root))
        for number in range(3):
            put(root, f"new/{number}".encode(), Thing("file", b"new"))
        for name in ("weave.py", "spin.py"):
            (root / name).write_text("changed")
        before = things(root)
        changed = kinds((await snapshots.compare(kept)).changes)
        left = steps

        def counted(do: Callable[..., None]) -> Callable[..., None]:
            def doing(*arguments: Any, **more: Any) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    raise Killed
                do(*arguments, **more)

            return doing

        with monkeypatch.context() as patched:
            patched.setattr(Worktree, "write", counted(Worktree.write))
            patched.setattr(Worktree, "remove", counted(Worktree.remove))
            with suppress(Killed):  # or it was over, and only nobody heard of it
                await snapshots.restore(kept, "question-1")
        await snapshots.close()
        again = Snapshots(tmp_path / "home")
        restored = await again.restore(kept, "question-1")
        assert kinds(restored.changes) == changed
        assert (await again.compare(kept)).changes == ()
        await again.restore(restored.before, "question-2")
        assert things(root) == before
        await again.close()

    async def test_the_time_for_much_is_bounded_and_the_next_try_goes_on(
        self, tmp_path: Path, root: Path
    ) -> None:
        hasty = Snapshots(tmp_path / "home", keeping=0.0)
        with pytest.raises(CannotKeep, match="not done within 0 seconds"):
            await hasty.keep(str(root))
        patient = Snapshots(tmp_path / "home", keeping=60)
        assert (await patient.keep(str(root))).root == str(root)
        await patient.close()
