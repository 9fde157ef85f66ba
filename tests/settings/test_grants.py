import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import Grant
from hearth.daemon import locking
from hearth.settings.grants import FILE, GrantBook, Occasion

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOW = Occasion(AT, "me", "s1", "git switch main")
SWITCH = Grant("execute", "git switch <words>")


@pytest.mark.promise("DP-PERM-06", "DP-PERM-14")
def test_what_is_granted_for_always_outlives_the_process_and_is_listed(tmp_path: Path) -> None:
    made = GrantBook(tmp_path).add(SWITCH, "/p", NOW)
    assert (made.id, made.root, made.at, made.by) == ("g1", "/p", AT, "me")
    again = GrantBook(tmp_path)
    assert again.all() == (made,)
    assert (made.session, made.why, made.grant) == ("s1", "git switch main", SWITCH)
    assert again.for_root("/p") == (SWITCH,)
    assert again.problem() is None


@pytest.mark.promise("DP-PERM-06")
def test_the_file_is_the_persons_alone(tmp_path: Path) -> None:
    GrantBook(tmp_path / "home").add(SWITCH, "/p", NOW)
    file = tmp_path / "home" / FILE
    assert file.stat().st_mode & 0o777 == 0o600
    said = json.loads(file.read_text())
    assert said["grants"][0] == {
        "id": "g1",
        "permission": "execute",
        "pattern": "git switch <words>",
        "root": "/p",
        "at": "2026-01-02T03:04:05Z",
        "by": "me",
        "session": "s1",
        "why": "git switch main",
    }


def test_a_grant_holds_in_its_own_project_alone(tmp_path: Path) -> None:
    book = GrantBook(tmp_path)
    book.add(SWITCH, "/p", NOW)
    book.add(Grant("read", "notes"), "", NOW)
    assert book.for_root("/p/sub") == ()
    assert book.for_root("/other") == ()
    assert book.for_root("") == (Grant("read", "notes"),)


def test_the_same_grant_is_kept_once_per_project(tmp_path: Path) -> None:
    book = GrantBook(tmp_path)
    assert book.add(SWITCH, "/p", NOW) == book.add(SWITCH, "/p", Occasion(AT, "you"))
    assert book.add(SWITCH, "/q", NOW).id == "g2"
    assert len(book.all()) == 2


@pytest.mark.promise("DP-PERM-14")
def test_a_grant_can_be_revoked_and_its_id_never_comes_back(tmp_path: Path) -> None:
    book, other = GrantBook(tmp_path), GrantBook(tmp_path)
    book.add(SWITCH, "/p", NOW)
    assert other.for_root("/p") == (SWITCH,)
    assert book.revoke("g1")
    assert not book.revoke("g1")
    assert other.for_root("/p") == (), "who has read it before sees that it has gone"
    assert other.add(SWITCH, "/p", NOW).id == "g2"


@pytest.mark.parametrize(
    "grant",
    [
        Grant("execute", "*"),
        Grant("execute", "rm *"),
        Grant("execute", "sudo *"),
        Grant("*", "x"),
        Grant("write", "*"),
        Grant("external_directory", f"{Path.home()}/*"),
    ],
)
def test_what_is_too_wide_is_not_kept(tmp_path: Path, grant: Grant) -> None:
    book = GrantBook(tmp_path)
    with pytest.raises(ValueError, match="is not kept"):
        book.add(grant, "/p", NOW)
    assert book.all() == ()
    assert not (tmp_path / FILE).exists()


def test_what_somebody_widened_by_hand_grants_nothing(tmp_path: Path) -> None:
    book = GrantBook(tmp_path)
    book.add(SWITCH, "/p", NOW)
    book.add(Grant("read", "notes"), "/p", NOW)
    file = tmp_path / FILE
    file.write_text(file.read_text().replace("git switch <words>", "*"))
    assert book.for_root("/p") == (Grant("read", "notes"),)
    assert [one.pattern for one in book.all()] == ["*", "notes"], "it is seen, and can be revoked"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 2}',
        '{"version": 1, "grants": [{"id": "g1"}]}',
        '{"version": 1, "grants": 5}',
        '{"version": 1, "unknown": 5}',
        "[" * 100_000,
        "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_broken_file_grants_nothing_and_is_told(tmp_path: Path, content: str) -> None:
    file = tmp_path / FILE
    file.write_text(content)
    book = GrantBook(tmp_path)
    assert book.all() == ()
    problem = book.problem()
    assert problem is not None
    assert problem.source == str(file)
    assert "nothing is granted" in problem.what
    assert not book.revoke("g1")
    assert book.add(SWITCH, "/p", NOW).id == "g1"
    assert book.problem() is None
    assert (tmp_path / f"{FILE}.broken").read_text() == content, "what was in it is not lost"


def test_a_file_that_others_can_write_to_grants_nothing(tmp_path: Path) -> None:
    book = GrantBook(tmp_path)
    book.add(SWITCH, "/p", NOW)
    (tmp_path / FILE).chmod(0o666)
    assert GrantBook(tmp_path).for_root("/p") == ()
    assert book.for_root("/p") == ()


def test_something_else_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert GrantBook(tmp_path).all() == ()
    assert GrantBook(tmp_path).problem() is not None
    within = tmp_path / FILE / "file"
    within.write_text("")
    elsewhere = GrantBook(within)
    assert elsewhere.all() == ()
    assert elsewhere.problem() is not None


def test_all_who_write_at_once_are_heard(tmp_path: Path) -> None:
    books = [GrantBook(tmp_path) for _ in range(4)]

    def grant(at: int) -> None:
        for one in range(5):
            books[at].add(Grant("read", f"file-{at}-{one}"), "/p", NOW)

    threads = [threading.Thread(target=grant, args=(at,), daemon=True) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    found = GrantBook(tmp_path).all()
    assert sorted(one.id for one in found) == sorted(f"g{at}" for at in range(1, 21))
    assert len({one.pattern for one in found}) == 20


def test_who_cannot_write_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_path: str, _patience: float) -> None:
        return None

    monkeypatch.setattr(locking, "take", nobody)
    with pytest.raises(OSError, match="somebody else"):
        GrantBook(tmp_path).add(SWITCH, "/p", NOW)
    assert GrantBook(tmp_path).all() == ()
