"""What a pretended provider finds in its cache is what its bytes and marks allow."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.caching import LOOK_BACK, Cache, common, laid_out
from tests.providers.script import Json, Tokens

MARK = {"type": "ephemeral"}
TOOLS = [{"name": "run_code", "input_schema": {"type": "object"}}]
SYSTEM = [{"type": "text", "text": "Be kind.", "cache_control": MARK}]


def body(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def message(*texts: str, marked: bool = False, role: str = "user") -> Json:
    blocks: list[Json] = [{"type": "text", "text": text} for text in texts]
    if marked:
        blocks[-1]["cache_control"] = MARK
    return {"role": role, "content": blocks}


def asking(*messages: Json, **more: Any) -> bytes:
    return body(
        {
            "model": "m",
            "tools": TOOLS,
            "system": SYSTEM,
            "thinking": {"type": "adaptive"},
            "messages": list(messages),
            **more,
        }
    )


def test_marks_are_no_part_of_what_is_compared() -> None:
    with_mark, without = asking(message("a", marked=True)), asking(message("a"))
    assert laid_out(with_mark).data == laid_out(without).data
    assert b"cache_control" not in laid_out(with_mark).data
    written = message('say ,"cache_control":{"type":"ephemeral"} twice')
    assert laid_out(asking(written)).data.count(b"cache_control") == 1


def test_the_order_is_tools_system_messages_wherever_they_stand() -> None:
    value = {"messages": [message("z")], "system": SYSTEM, "tools": TOOLS, "model": "m"}
    data = laid_out(body(value)).data
    assert data.index(b"run_code") < data.index(b"Be kind.") < data.index(b'"z"')


def test_a_request_that_grew_holds_the_one_before_whole() -> None:
    cache = Cache(marks=True)
    first = cache.take(asking(message("a", marked=True)))
    second = cache.take(asking(message("a"), message("b", role="assistant"), message("c")))
    assert (first.stability, second.stability) == (1.0, 1.0)
    assert (first.shared, second.shared) == (0, first.size)
    third = cache.take(asking(message("A"), message("b", role="assistant"), message("c")))
    assert third.stability < 1.0
    assert third.shared == second.size - len(b'a"}]},') - len(
        b'{"role":"assistant","content":[{"type":"text","text":"b"}]},'
        b'{"role":"user","content":[{"type":"text","text":"c"}]}'
    )


def test_another_order_of_fields_is_seen() -> None:
    cache = Cache(marks=True)
    cache.take(asking({"role": "user", "content": [{"type": "text", "text": "a"}]}))
    turned = {"content": [{"text": "a", "type": "text"}], "role": "user"}
    assert cache.take(asking(turned)).stability < 1.0


def test_what_an_earlier_mark_ended_can_be_read() -> None:
    cache = Cache(marks=True)
    first = cache.take(asking(message("a", marked=True)))
    assert (first.readable, first.written) == (0, first.size - len(b"]}"))
    later = (message("b", role="assistant"), message("c", marked=True))
    second = cache.take(asking(message("a"), *later))
    assert second.readable == first.written
    assert second.found_again == first.written / first.size
    assert second.readable + second.written == second.size - len(b"]}")
    unmarked = cache.take(asking(message("a"), *later[:1], message("c")))
    system = laid_out(asking(message("a"))).data.index(b'],{"role"')
    assert unmarked.readable == system, "the mark of the system is always there"


@pytest.mark.parametrize(("blocks", "found"), [(LOOK_BACK - 1, True), (LOOK_BACK, False)])
def test_a_mark_looks_back_over_so_many_blocks_only(blocks: int, *, found: bool) -> None:
    cache = Cache(marks=True)
    plain = [{"type": "text", "text": "Be kind."}]
    first = cache.take(asking(message("a", marked=True), system=plain))
    texts = [str(number) for number in range(blocks)]
    second = cache.take(asking(message("a"), message(*texts, marked=True), system=plain))
    assert second.readable == (first.written if found else 0)


def test_another_model_or_way_to_think_reads_nothing() -> None:
    for marks in (True, False):
        cache = Cache(marks=marks)
        cache.take(asking(message("a", marked=True)))
        assert cache.take(asking(message("a", marked=True), model="n")).readable == 0
        off = {"type": "disabled"}
        assert cache.take(asking(message("a", marked=True), thinking=off)).readable == 0


def test_without_marks_all_that_is_shared_can_be_read() -> None:
    cache = Cache(marks=False)
    start = {"model": "m", "instructions": "Be kind.", "input": [{"role": "user", "content": "a"}]}
    first = cache.take(body(start))
    other = cache.take(body({**start, "input": [{"role": "user", "content": "b"}]}))
    again = cache.take(body({**start, "input": [*start["input"], {"role": "user"}]}))
    assert first.readable == 0
    assert 0 < other.readable < first.size
    assert again.readable == first.size, "though another was asked between"
    assert again.shared < first.size
    assert (again.written, again.stability < 1) == (0, True)


def test_tokens_are_counted_as_the_provider_counts_them() -> None:
    cache = Cache(marks=True)
    cache.take(asking(message("a" * 400, marked=True)))
    shares = cache.take(asking(message("a" * 400), message("b" * 400, marked=True), message("c")))
    usage = shares.usage(7)
    assert usage.fresh + usage.cache_read + usage.cache_write == shares.size // 4
    assert usage == Tokens(usage.fresh, shares.readable // 4, shares.written // 4, output=7)
    assert usage.cache_read > 100
    assert usage.cache_write > 100
    assert shares.readable_share == shares.readable / shares.size


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_the_common_beginning_is_found(start: bytes, one: bytes, other: bytes) -> None:
    found = common(start + one, start + other)
    assert found >= len(start)
    assert (start + one)[:found] == (start + other)[:found]
    longer = ((start + one)[: found + 1], (start + other)[: found + 1])
    assert longer[0] != longer[1] or found == len(start + one) == len(start + other)
