import json
import os
import stat
import threading
from pathlib import Path

import pytest

from hearth.settings.problems import SettingsError
from hearth.settings.roots import Root, find_root
from hearth.settings.trust import Evidence, Mistrusted, TrustBook, evidence


class Place:
    """A project that wants to run something, and a book."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "project"
        (self.path / ".git").mkdir(parents=True)
        (self.path / "hearth.jsonc").write_text('{"session": {"initScript": "start.py"}}')
        (self.path / ".hearthrc.py").write_text("a = 1")
        (self.path / "start.py").write_text("b = 1")
        self.file = folder / "home" / "trust.json"
        self.book = TrustBook(self.file)

    @property
    def root(self) -> Root:
        return Root(self.path, "git")

    def trust(self) -> Evidence | Mistrusted:
        return self.book.trust(self.path, evidence(self.root).digest)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_would_run_is_the_evidence(place: Place) -> None:
    found = evidence(place.root)
    assert found.root == place.path
    assert [file.name for file in found.files] == ["hearth.jsonc", ".hearthrc.py", "start.py"]
    (place.path / "other.py").write_text("c = 1")
    assert evidence(place.root) == found, "what somebody has to ask for is none of it"


def test_instructions_for_agents_are_shown_and_may_be_saved_all_day(place: Place) -> None:
    before = evidence(place.root)
    (place.path / "AGENTS.md").write_text("be kind")
    (place.path / "CLAUDE.md").mkdir()
    found = evidence(place.root)
    assert found.files == (*before.files, place.path / "AGENTS.md")
    assert found.digest == before.digest


def test_instructions_behind_a_link_that_leads_nowhere_keep_nobody_from_looking(
    place: Place,
) -> None:
    before = evidence(place.root)
    (place.path / "AGENTS.md").symlink_to("x" * 300)
    assert evidence(place.root) == before


@pytest.mark.parametrize("name", ["hearth.jsonc", ".hearthrc.py", "start.py"])
def test_trust_is_for_the_content_alone(place: Place, name: str) -> None:
    assert not place.book.is_trusted(place.root)
    assert place.trust() == evidence(place.root)
    assert place.book.is_trusted(place.root)
    before = (place.path / name).read_text()
    (place.path / name).write_text(f"{before}\n")
    assert not place.book.is_trusted(place.root)
    (place.path / name).write_text(before)
    assert place.book.is_trusted(place.root)
    (place.path / name).unlink()
    assert not place.book.is_trusted(place.root)


def test_one_file_in_the_place_of_another_is_another_content(place: Place) -> None:
    place.trust()
    rc, start = place.path / ".hearthrc.py", place.path / "start.py"
    (first, second) = (rc.read_text(), start.read_text())
    rc.write_text(second)
    start.write_text(first)
    assert not place.book.is_trusted(place.root)


def test_a_copy_elsewhere_is_not_trusted_but_the_same_folder_by_a_link_is(
    place: Place, tmp_path: Path
) -> None:
    place.trust()
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("hearth.jsonc", ".hearthrc.py", "start.py"):
        (copy / name).write_bytes((place.path / name).read_bytes())
    assert not place.book.is_trusted(Root(copy, "git"))
    (tmp_path / "link").symlink_to(place.path)
    assert place.book.is_trusted(Root(tmp_path / "link", "git"))


def test_what_was_changed_after_somebody_looked_is_not_trusted(place: Place) -> None:
    seen = evidence(place.root).digest
    (place.path / ".hearthrc.py").write_text("import evil")
    refused = place.book.trust(place.path, seen)
    assert isinstance(refused, Mistrusted)
    assert "changed" in refused.why
    assert refused.hint
    assert not place.file.exists()
    assert not place.book.is_trusted(place.root)


def test_a_project_that_runs_nothing_can_be_trusted_too(place: Place, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    found = evidence(Root(empty, "directory"))
    assert found.files == ()
    assert not place.book.is_trusted(Root(empty, "directory"))
    place.book.trust(empty, found.digest)
    assert place.book.is_trusted(Root(empty, "directory"))
    (empty / ".hearthrc.py").write_text("")
    assert not place.book.is_trusted(Root(empty, "directory"))


def test_trust_outlives_the_process_and_the_file_is_its_owners_alone(place: Place) -> None:
    place.trust()
    assert TrustBook(place.file).is_trusted(place.root)
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o600
    assert str(place.path) in json.loads(place.file.read_text())["trusted"]


def test_what_another_process_writes_is_seen(place: Place) -> None:
    assert not place.book.is_trusted(place.root)
    TrustBook(place.file).trust(place.path, evidence(place.root).digest)
    assert place.book.is_trusted(place.root)
    assert TrustBook(place.file).forget(place.path)
    assert not place.book.is_trusted(place.root)


def test_a_project_can_be_forgotten(place: Place, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Root(tmp_path / "other", "git")
    place.trust()
    place.book.trust(other.path, evidence(other).digest)
    assert place.book.forget(place.path)
    assert not place.book.forget(place.path)
    assert not place.book.is_trusted(place.root)
    assert place.book.is_trusted(other)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"version": 2, "trusted": {}}',
        '{"version": 1, "trusted": [1]}',
        "\udcff",
    ],
)
def test_a_broken_book_trusts_nobody_and_says_so(
    place: Place, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    place.trust()
    place.file.write_text(content, errors="surrogateescape")
    assert not place.book.is_trusted(place.root)
    problem = place.book.problem()
    assert problem is not None
    assert problem.source == str(place.file)
    assert "no project is trusted" in problem.what
    assert str(place.file) in caplog.text
    place.trust()
    assert place.book.is_trusted(place.root)
    assert place.book.problem() is None
    kept = place.file.with_name("trust.json.broken")
    assert kept.read_text(errors="surrogateescape") == content


def test_a_book_that_others_can_write_to_trusts_nobody(place: Place) -> None:
    place.trust()
    place.file.chmod(0o620)
    assert not place.book.is_trusted(place.root)
    assert "others could write" in str(place.book.problem())


def test_a_book_that_cannot_be_reached_trusts_nobody_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    book = TrustBook(tmp_path / "file" / "trust.json")
    assert not book.is_trusted(Root(tmp_path, "git"))
    assert "cannot be read" in str(book.problem())


def test_what_nobody_can_see_nobody_can_trust(place: Place) -> None:
    os.mkfifo(place.path / "pipe.py")
    for wrong in ('"initScript": "pipe.py"', '"initScript": "~nobody-here/x"', '"isRoot": 5'):
        (place.path / "hearth.jsonc").write_text(f'{{"session": {{{wrong}}}}}')
        with pytest.raises(SettingsError):
            evidence(place.root)
        assert not place.book.is_trusted(place.root)
        refused = place.book.trust(place.path, "digest")
        assert isinstance(refused, Mistrusted)


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_folder_that_cannot_be_is_not_trusted(place: Place, tmp_path: Path, name: str) -> None:
    refused = place.book.trust(tmp_path / name, "digest")
    assert isinstance(refused, Mistrusted)
    assert not place.book.is_trusted(Root(tmp_path / name, "directory"))


def test_the_root_that_is_found_is_the_one_that_is_trusted(place: Place) -> None:
    place.trust()
    (place.path / "below").mkdir()
    assert place.book.is_trusted(find_root(place.path / "below"))


def test_many_threads_may_ask_and_trust_at_once(place: Place, tmp_path: Path) -> None:
    roots = [Root(tmp_path / str(number), "directory") for number in range(8)]
    for root in roots:
        root.path.mkdir()

    def work(root: Root) -> None:
        place.book.trust(root.path, evidence(root).digest)

    threads = [threading.Thread(target=work, args=(root,), daemon=True) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert all(TrustBook(place.file).is_trusted(root) for root in roots)
