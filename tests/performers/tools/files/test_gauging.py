import os
from pathlib import Path

from hearth.performers.tools.files.gauging import MOST_BYTES, MOST_ENTRIES, is_little


def little(path: Path) -> bool:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return is_little(folder)
    finally:
        os.close(folder)


def test_few_small_files_are_little_and_many_are_not_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "sub" / "more").mkdir(parents=True)
    for number in range(MOST_ENTRIES // 2):
        (tmp_path / f"f{number}").write_text("x")
    assert little(tmp_path)
    for number in range(MOST_ENTRIES // 2):
        (tmp_path / "sub" / "more" / f"f{number}").write_text("x")
    assert not little(tmp_path)
    assert little(tmp_path / "sub")


def test_large_files_are_not_little(tmp_path: Path) -> None:
    for number in range(8):
        with (tmp_path / f"f{number}").open("wb") as file:
            file.truncate(MOST_BYTES // 4)
    assert not little(tmp_path)


def test_what_is_linked_to_or_kept_by_git_does_not_count_and_nothing_stays_open(
    tmp_path: Path,
) -> None:
    many = tmp_path / "many"
    for folder in (many, tmp_path / "here" / ".git"):
        folder.mkdir(parents=True)
        for number in range(MOST_ENTRIES + 1):
            (folder / f"f{number}").touch()
    (tmp_path / "here" / "link").symlink_to(many)
    os.mkfifo(tmp_path / "here" / "pipe")
    before = len(list(Path("/dev/fd").iterdir()))
    assert little(tmp_path / "here")
    assert not little(many)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_what_is_too_deep_to_be_looked_at_is_not_little(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(70):
        deep /= "d"
    deep.mkdir(parents=True)
    assert not little(tmp_path)
