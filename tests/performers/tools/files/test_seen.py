import asyncio

from hearth.performers.tools.files.seen import Seen, digest_of


def test_each_session_knows_what_it_saw_itself() -> None:
    seen = Seen()
    seen.note("one", "/f", digest_of(b"x"))
    assert seen.digest("one", "/f") == digest_of(b"x")
    assert seen.digest("two", "/f") is None
    seen.note("one", "/f", "later")
    assert seen.digest("one", "/f") == "later"


def test_what_was_seen_longest_ago_is_forgotten_first() -> None:
    seen = Seen(2)
    for path in ("/a", "/b", "/a", "/c"):
        seen.note("one", path, path)
    assert [seen.digest("one", path) for path in ("/a", "/b", "/c")] == ["/a", None, "/c"]


async def test_changes_of_one_file_wait_for_each_other_and_leave_nothing() -> None:
    seen = Seen()
    async with seen.turn("/a"):
        assert seen.turn("/a").locked()
        async with asyncio.timeout(20), seen.turn("/b"):
            pass
    assert not seen.turn("/a").locked()
    assert not len(seen._turns)
