import asyncio

from hearth.performers.tools.shell.showing import Showing

LIMIT = 30


async def test_what_comes_together_is_shown_together() -> None:
    shown: asyncio.Queue[str] = asyncio.Queue()
    showing = Showing(shown.put_nowait)
    for piece in (b"one\n", b"two\n", b"three"):
        showing.take(piece)
    assert shown.empty()
    async with asyncio.timeout(LIMIT):
        assert await shown.get() == "one\ntwo\nthree"
    showing.take(b" four\n")
    async with asyncio.timeout(LIMIT):
        assert await shown.get() == " four\n"
    showing.close()
    assert shown.empty()


async def test_of_what_comes_too_fast_the_newest_is_shown_and_the_rest_counted() -> None:
    shown: list[str] = []
    showing = Showing(shown.append, most=20)
    for number in range(1000):
        showing.take(b"line %04d\n" % number)
    showing.take(b"x" * 1000 + b"\nlast\n")
    showing.close()
    [text] = shown
    assert text.endswith(" bytes are not shown …\nlast\n")
    assert "line" not in text
    assert len(text) < 100


async def test_the_rest_is_shown_at_the_end_and_nothing_after_it() -> None:
    shown: list[str] = []
    showing = Showing(shown.append)
    showing.take("half ✓".encode()[:-1])
    showing.close()
    showing.take(b"late")
    showing.close()
    assert "".join(shown) == "half �"


async def test_no_escape_sequence_reaches_a_screen_also_when_it_comes_in_pieces() -> None:
    shown: list[str] = []
    showing = Showing(shown.append, every=0)
    for piece in (b"a\x1b", b"[3", b"1mb\x1b]0;ti", b"tle\x07c\n"):
        showing.take(piece)
        showing._now()
    showing.close()
    assert "".join(shown) == "abc\n"
