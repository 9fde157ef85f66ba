"""The ring keeps the newest within its bound, and knows from where on it has everything."""

from hearth.servers.http.streams.ring import FILLING, SHOWN, Chunk, Ring


def chunk(*seqs: int) -> Chunk:
    return Chunk([(seq, b"<%d>" % seq) for seq in seqs])


def test_a_chunk_gives_each_what_is_for_them() -> None:
    mixed = chunk(4, SHOWN, 5, FILLING, 6)
    assert (mixed.first, mixed.last, mixed.shown) == (4, 6, 1)
    assert mixed.part(3, live=True) is mixed.data
    assert mixed.part(3, live=False) == b"<4><5><6>"
    assert mixed.part(4, live=True) == b"<0><5><-1><6>"
    assert mixed.part(5, live=False) == b"<6>"
    assert mixed.part(6, live=False) == b""
    only_shown = chunk(SHOWN)
    assert only_shown.part(99, live=True) is only_shown.data
    assert only_shown.part(0, live=False) == b""


def test_the_oldest_go_first_and_the_newest_always_stays() -> None:
    ring = Ring(0, room=300)
    for seq in range(1, 11):
        ring.add(chunk(seq))
    assert ring.size <= 300
    assert ring.end == 10
    assert ring.floor == 7
    assert ring.since(6) is None
    assert [each.last for each in ring.since(7) or ()] == [8, 9, 10]
    assert ring.since(10) == []
    ring.add(Chunk([(11, b"x" * 1000)]))
    assert [each.last for each in ring.since(10) or ()] == [11]
    assert ring.floor == 10


def test_it_says_whether_a_cursor_can_be_gone_on_from() -> None:
    ring = Ring(None)
    assert not ring.holds(0)
    ring.add(chunk(SHOWN))
    assert not ring.holds(10**9)
    ring.add(chunk(5, 6))
    ring.add(chunk(SHOWN))
    ring.add(chunk(9))
    assert [ring.holds(cursor) for cursor in (3, 4, 5, 9)] == [False, True, True, True]
    assert [ring.place(cursor) for cursor in (4, 5, 6, 8, 9)] == [1, 1, 3, 3, 4]


def test_dropping_what_is_no_row_loses_no_cursor() -> None:
    ring = Ring(3, room=100)
    ring.add(chunk(SHOWN))
    ring.add(chunk(SHOWN))
    assert ring.floor == 3
    assert ring.shown == 2
