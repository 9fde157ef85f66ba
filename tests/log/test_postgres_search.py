"""An index that is filled when someone searches, and can always be made anew."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.contracts.facts import new_session, renamed, some, started
from tests.log.postgres_server import PostgresMaker, making

from hearth.log import postgres_search
from hearth.log.postgres_search import words_of


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("The_Rivers.csv", "the rivers csv"),
        ("Café CAFE\u0301", "cafe cafe"),
        ("straße", "strasse"),
        ("a\0b\ud800c", "a bc"),
        ("x = 1.5e3;", "x 1 5e3"),
        ("日本", "日本"),
    ],
)
def test_words_are_letters_and_digits_folded(text: str, words: str) -> None:
    assert words_of(text) == words


@pytest.mark.promise("SF-LOG-18")
async def test_accents_and_dots_do_not_hide_a_word(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(new_session(), 0, [started("Größe = frame.mean(axis=0)"), *some(2)])
    for query in ("grösse", "GROSSE", "mean", "frame", "frame.mean", "axis 0"):
        found = [hit.seq for hit in await log.search(query)]
        assert found == [rows[0].seq], query
    assert list(await log.search("fram")) == []


async def test_the_most_telling_comes_first_then_the_newest(maker: PostgresMaker) -> None:
    log = await maker.make()
    rows = await log.append(
        new_session(),
        0,
        [renamed("owl"), renamed("owl owl owl"), renamed("owl"), renamed("no bird")],
    )
    found = [hit.seq for hit in await log.search("owl")]
    assert found == [rows[1].seq, rows[2].seq, rows[0].seq]
    assert [hit.seq for hit in await log.search("owl", limit=1)] == [rows[1].seq]
    assert list(await log.search("owl", limit=0)) == []


async def test_more_than_a_batch_is_indexed_by_many_at_once(
    maker: PostgresMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_search, "_BATCH", 50)
    log = await maker.make()
    other = await maker.second(log)
    await log.append(new_session(), 0, [renamed(f"heron n{number}") for number in range(330)])
    results = await asyncio.gather(
        *(one.search("heron", limit=1000) for one in (log, other, log, other))
    )
    assert [len(hits) for hits in results] == [330] * 4
    assert len(await other.search("n329")) == 1


async def test_an_index_made_by_other_rules_is_made_anew(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, [renamed("needle")])
    assert len(await log.search("needle")) == 1
    await maker.execute(log, "UPDATE search SET words = to_tsvector('simple', 'haystack')")
    assert list(await log.search("needle")) == []
    await maker.execute(log, "UPDATE meta SET value = '1 0' WHERE key = 'searched'")
    assert len(await log.search("needle")) == 1
    assert list(await log.search("haystack")) == []


async def test_a_check_makes_the_index_anew(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.append(new_session(), 0, [renamed("needle")])
    await log.search("needle")
    await maker.execute(log, "TRUNCATE search")
    assert list(await log.search("needle")) == []
    assert list(await log.check()) == []
    assert len(await log.search("needle")) == 1


async def test_the_largest_events_can_be_indexed(maker: PostgresMaker) -> None:
    log = await maker.make()
    words = " ".join(f"{number:x}" for number in range(45_000))
    await log.append(new_session(), 0, [started(words), started("y" * 200_000 + " end")])
    assert len(await log.search("afc7")) == 1
    assert len(await log.search("end")) == 1
