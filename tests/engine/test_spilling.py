"""What is too large for an event becomes a blob; the rest stays as it is."""

import asyncio

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.facts import NOON

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import MAX_EVENT_BYTES, MAX_PAYLOAD_BYTES, decode_fact
from hearth.core.vocabulary.content import Blob, Output, Outputs, RichData, StreamText
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, EventId, InputId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.engine.spilling import bounded
from hearth.log.memory import MemoryLog

C = CellId("c1")


def fact_of(event: e.Event) -> Fact:
    return Fact(id=EventId("i.0"), at=NOON, origin=SYSTEM, cause=InputId("i"), event=event)


async def test_a_small_fact_is_left_alone() -> None:
    fact = fact_of(e.CellStarted(C, "x" * 1000))
    kept, draft = await bounded(fact, MemoryLog().blobs)
    assert kept is fact
    assert decode_fact(draft.data) == fact


async def test_large_payloads_wherever_they_are_become_blobs_and_come_back_whole() -> None:
    blobs, large = MemoryLog().blobs, "ä" * MAX_PAYLOAD_BYTES
    outputs = (StreamText("stdout", large), RichData({"text/html": large, "text/plain": "small"}))
    failure = CodeRaised("E", large, large)
    kept, draft = await bounded(fact_of(e.CellFailed(C, failure, outputs=outputs)), blobs)
    assert len(draft.data) < MAX_PAYLOAD_BYTES
    event = kept.event
    assert isinstance(event, e.CellFailed)
    assert isinstance(event.failure, CodeRaised)
    assert isinstance(event.outputs, tuple)
    stream, rich = event.outputs
    assert isinstance(stream, StreamText)
    assert isinstance(rich, RichData)
    assert rich.bundle["text/plain"] == "small"
    for text in (
        event.failure.message,
        event.failure.traceback,
        stream.text,
        rich.bundle["text/html"],
    ):
        assert isinstance(text, Blob)
        assert text.head == "ä" * 500
        assert (await blobs.get(text.sha256)).decode() == large
    html = rich.bundle["text/html"]
    assert isinstance(html, Blob)
    assert html.media_type == "text/html"
    assert isinstance(stream.text, Blob)
    assert stream.text.media_type == "text/plain"


async def test_too_many_small_outputs_become_one_blob() -> None:
    blobs = MemoryLog().blobs
    outputs = tuple(StreamText("stdout", "x" * 1000) for _ in range(1000))
    kept, draft = await bounded(fact_of(e.CellFinished(C, 1.0, outputs=outputs)), blobs)
    assert len(draft.data) <= MAX_EVENT_BYTES
    assert isinstance(kept.event, e.CellFinished)
    assert isinstance(kept.event.outputs, Blob)
    content = await blobs.get(kept.event.outputs.sha256)
    assert msgspec.json.decode(content, type=tuple[Output, ...]) == outputs


async def test_text_that_json_cannot_write_is_made_writable() -> None:
    kept, draft = await bounded(fact_of(e.CellStarted(C, "a\ud800b")), MemoryLog().blobs)
    assert isinstance(kept.event, e.CellStarted)
    assert kept.event.code == "a?b"
    assert decode_fact(draft.data) == kept


@settings(max_examples=15)
@given(st.lists(st.integers(0, 3 * MAX_PAYLOAD_BYTES), max_size=12))
def test_no_event_is_ever_over_the_bound(sizes: list[int]) -> None:
    outputs: Outputs = tuple(StreamText("stdout", "x" * size) for size in sizes)
    event = e.CellCancelled(C, 0.0, outputs)
    _, draft = asyncio.run(bounded(fact_of(event), MemoryLog().blobs))
    assert len(draft.data) <= MAX_EVENT_BYTES


@pytest.mark.parametrize("size", [MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES + 1])
async def test_the_limit_is_where_it_is_said_to_be(size: int) -> None:
    kept, _ = await bounded(fact_of(e.CellStarted(C, "x" * size)), MemoryLog().blobs)
    assert isinstance(kept.event, e.CellStarted)
    assert isinstance(kept.event.code, Blob) is (size > MAX_PAYLOAD_BYTES)
