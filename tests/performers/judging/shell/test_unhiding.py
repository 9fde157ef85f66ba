import os
from pathlib import Path

from hearth.performers.judging.shell.unhiding import above, taken_back, within


def test_patterns_are_those_of_lines_that_take_something_back(tmp_path: Path) -> None:
    rules = tmp_path / ".ignore"
    rules.write_text("a\n!.env \n!/x/.y/\n#!b\n\\!c\n!**/z/**\n")

    assert taken_back(str(rules)) == (".env", ".y", "**")
    rules.write_text("!other\n")
    assert taken_back(str(rules)) == ("other",)
    assert taken_back(str(tmp_path / "none")) == ()


def test_what_cannot_be_read_may_take_back_anything(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("x")
    (tmp_path / "long").write_text("a" * 300_000)

    assert {taken_back(str(tmp_path / one)) for one in ("pipe", "link", "long")} == {("*",)}


def test_it_is_known_where_such_files_lie() -> None:
    assert "/a/.ignore" in above("/a/b")
    assert "/.gitignore" in above("/a/b")
    assert "/a/b/.ignore" not in above("/a/b")
    assert list(within("/a", (".ignore",))) == ["/a/.ignore", "/a/.git/info/exclude"]
