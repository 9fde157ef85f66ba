import os
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings import instructions
from hearth.settings.instructions import LARGEST, MOST, find_instructions


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "a" / "b").mkdir(parents=True)
    return root


def told(directory: Path) -> list[tuple[str, str]]:
    return [(one.path, one.text) for one in find_instructions(directory)]


@pytest.mark.promise("DL-INST-01", "DL-INST-03")
def test_files_are_told_from_the_root_down_and_the_nearest_last(repository: Path) -> None:
    (repository.parent / "AGENTS.md").write_text("of nobody here")
    (repository / "AGENTS.md").write_text("general")
    (repository / "CLAUDE.md").write_text("general too")
    (repository / "a" / "b" / "CLAUDE.md").write_text("near")
    (repository / "a" / "b" / "c").mkdir()
    (repository / "a" / "b" / "c" / "AGENTS.md").write_text("below")
    assert told(repository / "a" / "b") == [
        ("AGENTS.md", "general"),
        ("CLAUDE.md", "general too"),
        ("a/b/CLAUDE.md", "near"),
    ]


@pytest.mark.promise("DL-INST-01")
def test_a_worktree_whose_git_is_a_file_ends_the_search_too(repository: Path) -> None:
    (repository / ".git").rmdir()
    (repository / ".git").write_text("gitdir: /elsewhere")
    (repository.parent / "CLAUDE.md").write_text("of nobody here")
    (repository / "CLAUDE.md").write_text("mine")
    assert told(repository / "a") == [("CLAUDE.md", "mine")]


@pytest.mark.promise("DL-INST-02")
def test_nothing_above_counts_where_the_working_directory_is_the_root(repository: Path) -> None:
    for name in ("AGENTS.md", "CLAUDE.md"):
        (repository.parent / name).write_text("of nobody here")
    assert told(repository) == []
    (repository / "AGENTS.md").write_text("mine")
    assert told(repository) == [("AGENTS.md", "mine")]


@pytest.mark.promise("DL-INST-01")
def test_without_a_repository_the_search_ends_where_the_file_system_does(tmp_path: Path) -> None:
    below = tmp_path / "x" / "y"
    below.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("above")
    (below / "AGENTS.md").write_text("here")
    assert told(below)[-2:] == [("../../AGENTS.md", "above"), ("AGENTS.md", "here")]


@pytest.mark.promise("DL-INST-04")
@pytest.mark.parametrize("sign", ["a", "é", "€", "😀"])
def test_a_long_file_is_cut_between_two_characters(repository: Path, sign: str) -> None:
    content = b"x" + sign.encode() * LARGEST
    (repository / "AGENTS.md").write_bytes(content)
    [found] = find_instructions(repository)
    text, _, marker = found.text.rpartition("\n")
    assert content.startswith(text.encode())
    assert LARGEST - 4 < len(text.encode()) <= LARGEST
    assert marker == f"[cut: 32,768 of {len(content):,} bytes are shown]"
    assert (found.truncated, found.size) == (True, len(content))
    assert found.sha256 == sha256(content[:LARGEST]).hexdigest()


@pytest.mark.promise("DL-INST-04")
def test_a_file_of_exactly_the_limit_is_whole(repository: Path) -> None:
    content = "é" * (LARGEST // 2)
    (repository / "AGENTS.md").write_text(content, "utf-8")
    [found] = find_instructions(repository)
    assert (found.text, found.truncated, found.size) == (content, False, LARGEST)
    assert found.sha256 == sha256(content.encode()).hexdigest()


@pytest.mark.promise("DL-INST-05")
def test_what_is_no_readable_file_is_passed_over(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "AGENTS.md").mkdir()
    os.mkfifo(repository / "CLAUDE.md")
    (repository / "a" / "AGENTS.md").symlink_to("nowhere")
    (repository / "a" / "CLAUDE.md").symlink_to("CLAUDE.md")
    assert told(repository / "a") == []
    (repository / "a" / "b" / "CLAUDE.md").write_text("closed")
    opened = os.open

    def closed(path: Path, flags: int) -> int:
        # Root may read everything: so it is not the mode that says no here.
        if str(path).endswith("b/CLAUDE.md"):
            raise PermissionError(13, "closed")
        return opened(path, flags)

    monkeypatch.setattr(os, "open", closed)
    (repository / "a" / "b" / "AGENTS.md").write_text("open")
    assert told(repository / "a" / "b") == [("a/b/AGENTS.md", "open")]


@pytest.mark.promise("DL-INST-05")
def test_a_file_that_breaks_while_it_is_read_is_passed_over(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "AGENTS.md").write_text("x")

    def broken(_descriptor: int, _size: int) -> bytes:
        raise OSError(5, "broken")

    monkeypatch.setattr(os, "read", broken)
    assert told(repository) == []


@pytest.mark.promise("DL-INST-05")
@pytest.mark.parametrize("name", ["gone", "a\0b", "x" * 300])
def test_a_directory_that_is_not_there_tells_nothing_of_its_own(
    repository: Path, name: str
) -> None:
    (repository / "AGENTS.md").write_text("x")
    assert told(repository / name) in ([], [("AGENTS.md", "x")])


def test_two_names_of_the_same_file_are_told_once(repository: Path) -> None:
    (repository / "AGENTS.md").write_text("one")
    (repository / "CLAUDE.md").symlink_to("AGENTS.md")
    (repository / "a" / "AGENTS.md").symlink_to("../AGENTS.md")
    (repository / "a" / "b" / "CLAUDE.md").hardlink_to(repository / "AGENTS.md")
    assert told(repository / "a" / "b") == [("AGENTS.md", "one")]


def test_two_files_of_a_folder_that_say_the_same_are_told_once(repository: Path) -> None:
    for name in ("AGENTS.md", "CLAUDE.md"):
        (repository / name).write_text("same")
        (repository / "a" / name).write_text(f"other {name}")
    assert [path for path, _ in told(repository / "a")] == [
        "AGENTS.md",
        "a/AGENTS.md",
        "a/CLAUDE.md",
    ]


def test_a_link_is_followed_inside_the_repository_and_never_out_of_it(repository: Path) -> None:
    secret = repository.parent / "secret"
    secret.write_text("not for models")
    (repository / "AGENTS.md").symlink_to(secret)
    (repository / "CLAUDE.md").symlink_to("../secret")
    assert told(repository) == []
    (repository / "a" / "rules.md").write_text("rules")
    (repository / "a" / "AGENTS.md").symlink_to("rules.md")
    assert told(repository / "a") == [("a/AGENTS.md", "rules")]


def test_without_a_repository_a_link_stays_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "secret").write_text("not for models")
    (tmp_path / "x" / "AGENTS.md").symlink_to(tmp_path / "secret")
    assert told(tmp_path / "x") == []


def test_a_directory_that_is_a_link_is_where_it_leads_to(repository: Path) -> None:
    (repository / "AGENTS.md").write_text("mine")
    link = repository.parent / "link"
    link.symlink_to(repository / "a")
    assert told(link) == [("AGENTS.md", "mine")]


def test_what_belongs_to_somebody_else_is_passed_over(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "AGENTS.md").write_text("planted")
    if os.geteuid() == 0:
        os.chown(repository / "AGENTS.md", 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        monkeypatch.setattr(instructions, "_owner", lambda _: iter(()))
    assert told(repository) == []


def test_a_link_that_belongs_to_somebody_else_is_not_followed_to_a_file_of_ours(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "diary.txt").write_text("ours")
    (repository / "AGENTS.md").symlink_to("diary.txt")
    assert told(repository) == [("AGENTS.md", "ours")]
    if os.geteuid() == 0:
        os.lchown(repository / "AGENTS.md", 12345, 12345)
    else:
        monkeypatch.setattr(os, "lstat", lambda _: os.stat_result((0, 0, 0, 1, 12345, *[0] * 5)))
    assert told(repository) == []


def test_empty_files_say_nothing(repository: Path) -> None:
    (repository / "AGENTS.md").write_text(" \n\n")
    (repository / "CLAUDE.md").write_bytes(b"")
    assert told(repository) == []


def test_a_mark_of_the_byte_order_is_no_part_of_the_text(repository: Path) -> None:
    (repository / "AGENTS.md").write_bytes(b"\xef\xbb\xbfhello")
    assert told(repository) == [("AGENTS.md", "hello")]


def test_of_very_many_files_the_nearest_are_told(repository: Path) -> None:
    folder = repository
    for depth in range(MOST + 5):
        (folder / "AGENTS.md").write_text(f"{depth}")
        folder /= "d"
        folder.mkdir()
    found = told(folder.parent)
    assert [text for _, text in found] == [str(depth) for depth in range(5, MOST + 5)]


def test_a_strange_name_of_a_folder_can_be_told(repository: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(repository) + b"/\xff"))
    folder.mkdir()
    (folder / "AGENTS.md").write_text("x")
    assert told(folder) == [("\ufffd/AGENTS.md", "x")]


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_the_text_can_be_written(content: bytes) -> None:
    # What is told of a file is a pure function of its bytes.
    found = instructions._told("AGENTS.md", content, len(content))
    assert found.text.encode() is not None
    assert found == instructions._told("AGENTS.md", content, len(content))
