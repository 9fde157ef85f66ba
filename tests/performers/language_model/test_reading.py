"""A conversation is read along its line, with all its texts, or not at all."""

import msgspec
import pytest
from tests.performers.language_model.held import T1, Held, S

from hearth.core.vocabulary.blocks import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CallId, RequestId, SessionId, block_id
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.turns import (
    BlockSealed,
    ConversationCompacted,
    ModelAsked,
    PrefixStarted,
    TurnEnd,
    TurnFinished,
    TurnStarted,
)
from hearth.log.event_log import CorruptRow, StoreDown
from hearth.performers.language_model import reading
from hearth.performers.language_model.reading import Found, LogDamaged, LogUnreadable, Reading

SOURCE = SessionId("session-source")
LONG = "long " * 20_000


async def along(held: Held, *segments: Segment) -> list[Found]:
    return [found async for found in Reading(held.read, held.fetch).along(S, segments)]


async def test_blocks_summaries_and_requests_are_found_and_nothing_else() -> None:
    held = Held()
    held.add(TurnStarted(T1))
    held.user("hello")
    held.add(ModelAsked(RequestId("r1"), T1, 1))
    held.says('hi, "block_sealed" is a word')
    held.add(TurnFinished(T1, TurnEnd.DONE))
    held.add(ConversationCompacted(T1, block_id(6), "short", block_id(4), Line()))
    kinds = [type(found.event) for found in await along(held, Segment(1, 6))]
    assert kinds == [BlockSealed, ModelAsked, BlockSealed, ConversationCompacted]


async def test_ranges_are_read_in_their_order_and_from_their_own_sessions() -> None:
    held = Held()
    for text in ("one", "two", "three"):
        held.user(text)
        held.user(f"other {text}", SOURCE)
    found = await along(held, Segment(2, 3, SOURCE), Segment(1, 1))
    assert [(one.session, one.version) for one in found] == [(SOURCE, 2), (SOURCE, 3), ("", 1)]
    texts = [one.event.content for one in found if isinstance(one.event, BlockSealed)]
    assert texts == [TextBlock("other two"), TextBlock("other three"), TextBlock("one")]


async def test_a_long_range_is_read_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAGE", 3)
    held = Held()
    for number in range(8):
        held.user(f"{number}")
    found = await along(held, Segment(2, 7))
    assert [one.version for one in found] == [2, 3, 4, 5, 6, 7]
    assert held.reads == [(S, 1, 3), (S, 4, 3)]


async def test_texts_that_are_kept_elsewhere_are_fetched() -> None:
    held = Held()
    blob, call = held.keep(LONG), CallId("k1")
    held.seal(Role.USER, TextBlock(blob))
    held.seal(Role.ASSISTANT, ThinkingBlock("", blob, "m"))
    held.seal(Role.ASSISTANT, ToolCallBlock(call, "run_code", blob))
    held.seal(Role.TOOL, ToolResultBlock(call, "run_code", blob))
    held.add(ConversationCompacted(T1, block_id(5), blob, block_id(1), Line()))
    found = await along(held, Segment(1, 5))
    assert len(found) == 5
    for one in found:
        assert LONG in str(one.event)
        assert Blob.__name__ not in repr(one.event)


async def test_what_stands_before_all_messages_is_read_with_its_reason() -> None:
    held = Held()
    held.user("hello")
    version = held.add(
        PrefixStarted(2, "tools changed", "m", held.keep("You are."), held.keep("[]"))
    )
    found = await Reading(held.read, held.fetch).beginning(S, version)
    assert (found.system, found.tools, found.reason) == ("You are.", "[]", "tools changed")
    with pytest.raises(LogDamaged, match="event 1 of session-one starts no prefix"):
        await Reading(held.read, held.fetch).beginning(S, 1)


async def test_a_range_that_is_not_there_yet_is_unreadable_rather_than_short() -> None:
    held = Held()
    held.user("hello")
    with pytest.raises(LogUnreadable, match="cannot be read behind event 1 yet"):
        await along(held, Segment(1, 2))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError("disk"), LogUnreadable),
        (StoreDown("gone"), LogUnreadable),
        (RuntimeError("odd"), LogUnreadable),
        (CorruptRow("seq 7"), LogDamaged),
    ],
)
async def test_whatever_a_store_raises_is_unreadable_and_damage_for_good(
    error: Exception, kind: type[Exception]
) -> None:
    held = Held()
    held.seal(Role.USER, TextBlock(held.keep(LONG)))
    held.down = error
    with pytest.raises(LogUnreadable) as caught:
        await along(held, Segment(1, 1))
    assert type(caught.value) is kind
    held.down = None
    held.blobs.clear()
    with pytest.raises(LogDamaged, match="100000 bytes is lost"):
        await along(held, Segment(1, 1))


@pytest.mark.parametrize(
    ("error", "kind"), [(StoreDown("gone"), LogUnreadable), (CorruptRow("blob"), LogDamaged)]
)
async def test_a_text_that_cannot_be_fetched_now_is_not_lost(
    error: Exception, kind: type[Exception]
) -> None:
    held = Held()
    held.seal(Role.USER, TextBlock(held.keep(LONG)))

    async def fetch(_: str) -> bytes:
        raise error

    with pytest.raises(LogUnreadable) as caught:
        [_ async for _ in Reading(held.read, fetch).along(S, [Segment(1, 1)])]
    assert type(caught.value) is kind


async def test_a_row_that_no_word_fits_is_unreadable() -> None:
    held = Held()
    held.user("hello")
    row = held.rows[S][0]
    held.rows[S][0] = type(row)(1, S, 1, row.data.replace(b'"role"', b'"roll"'))
    with pytest.raises(LogDamaged, match="event 1 of session-one"):
        await along(held, Segment(1, 1))


async def test_a_picture_that_cannot_be_fetched_now_is_not_lost() -> None:
    held = Held()
    blob = Blob("a" * 64, 100, "image/png")
    held.seal(Role.TOOL, ToolResultBlock(CallId("k1"), "read_file", "a plot", pictures=(blob,)))

    async def fetch(_: str) -> bytes:
        raise StoreDown("gone")

    with pytest.raises(
        LogUnreadable, match="a picture of 100 bytes cannot be fetched now"
    ) as caught:
        [_ async for _ in Reading(held.read, fetch).along(S, [Segment(1, 1)])]
    assert not isinstance(caught.value, LogDamaged)


async def test_pictures_are_found_beside_the_result_that_has_them() -> None:
    held = Held()
    blob = msgspec.structs.replace(held.keep("GIF89a\7\0\5\0;"), media_type="image/gif")
    held.user("look")
    held.seal(Role.TOOL, ToolResultBlock(CallId("k1"), "read_file", "a plot", pictures=(blob,)))
    said, returned = await along(held, Segment(1, 2))
    assert not said.pictures
    [picture] = returned.pictures
    assert (picture.media_type, picture.width, picture.height) == ("image/gif", 7, 5)
