"""What waits is found by its name, and what does not wait says what became of it."""

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon, answer
from tests.clients.cli.turns import OTHER, SESSION
from tests.clients.cli.waiting_rows import decided, waiting, waits

from hearth.clients.cli.pending import answered, is_which, meant, pending
from hearth.clients.cli.troubles import REFUSED, WRONG_USAGE, Trouble
from hearth.clients.cli.wire import Wire


def test_an_approval_is_told_from_other_words() -> None:
    assert all(map(is_which, ("a1", "a23", "shop/a3", "session-a1b2c3/a1")))
    assert not any(map(is_which, ("", "a", "all", "apples", "a1b", "shop", "1", "b1", "a1/x")))


def test_one_is_found_by_all_its_names(daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"), waits("a2"), waits("a2", OTHER))
    with Wire(daemon.found, "ann") as wire:
        rows = pending(wire)
        assert [row.which for row in rows] == [f"{SESSION}/a1", f"{SESSION}/a2", f"{OTHER}/a2"]
        assert rows[0].is_of == f"shop ({SESSION})"
        assert meant(wire, rows, "a1") is rows[0]
        assert meant(wire, rows, f"{OTHER}/a2") is rows[2]
        assert meant(wire, rows, f"{SESSION[:10]}/a2") is rows[1]
        assert meant(wire, rows[:1], "") is rows[0]
        assert [row.session for row in pending(wire, OTHER)] == [OTHER]
        for which in ("a2", "shop/a2", ""):
            with pytest.raises(Trouble) as trouble:
                meant(wire, rows, which)
            assert trouble.value.ending == WRONG_USAGE
            assert f"{OTHER}/a2" in trouble.value.hint


def test_what_was_answered_says_by_whom(daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a3"))
    decided(
        daemon,
        {"answer": "denied", "what": "x"},
        {"answer": "once", "approval": "a1", "by": {"name": "bob"}},
        {"answer": "reject", "approval": "a2", "by": {"name": "bob"}, "because": "a1"},
    )
    with Wire(daemon.found, "ann") as wire:
        rows = pending(wire)
        with pytest.raises(Trouble) as trouble:
            meant(wire, rows, f"{SESSION}/a1")
        assert trouble.value.ending == REFUSED
        assert trouble.value.message.startswith("a1 was allowed once already, by bob, ")
        with pytest.raises(Trouble, match="a9 does not wait for an answer"):
            meant(wire, rows, "a9")
        assert answered(wire, SESSION, "a2").endswith(", with a1")
        with pytest.raises(Trouble, match="nothing waits for a person"):
            meant(wire, [], "")


def test_what_was_answered_says_so_also_where_nothing_waits_any_more(daemon: FakeDaemon) -> None:
    waiting(daemon)
    decided(daemon, {"answer": "once", "approval": "a1", "by": {"name": "bob"}})
    with Wire(daemon.found, "ann") as wire:
        with pytest.raises(Trouble) as trouble:
            meant(wire, [], "a1")
        said = f"{SESSION}/a1 was allowed once already, by bob, "
        assert trouble.value.message.startswith(said)
        decided(daemon, {"answer": "reject", "approval": "a1", "by": {}}, session=OTHER)
        with pytest.raises(Trouble, match="a1 does not wait") as trouble:
            meant(wire, [], "a1")
        assert f"{SESSION}/a1, {OTHER}/a1" in trouble.value.hint


def test_a_session_that_nobody_knows_has_answered_nothing(daemon: FakeDaemon) -> None:
    with Wire(daemon.found, "ann") as wire:
        assert answered(wire, "nobody", "a1") == ""


def test_a_long_command_is_fetched(daemon: FakeDaemon) -> None:
    waiting(daemon, waits(details={"sha256": "abc", "size": 9, "head": "$ ma"}))
    daemon.does("GET /blobs/abc", lambda _: answer(b"$ make all"))
    with Wire(daemon.found, "ann") as wire:
        [row] = pending(wire)
        assert row.asked.details == "$ make all"
        assert not row.asked.is_cut
