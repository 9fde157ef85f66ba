"""Rows as readers see them."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts.playing_talks import Talk, call, text, thinking

from hearth.core.views.conversation import conversation
from hearth.core.views.conversation_rows import Row
from hearth.core.views.grouping import Batch, Group, Item, Single, flattened, grouped, items
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, Role
from hearth.core.vocabulary.ids import BlockId, TurnId


def mixed() -> Talk:
    talk = Talk().says("go")
    talk.answers(
        thinking("hm", '{"signature":"s"}'), text("so"), call("look"), call("run_code", code="1")
    )
    talk.returns("seen").returns().answers(thinking("well", "{}"), text("done"))
    return talk.says("more").goes(p.CancelTurn())


def rows_of(talk: Talk) -> tuple[Row, ...]:
    return conversation(talk.envelopes()).rows


def shape(found: tuple[Item, ...]) -> list[str]:
    return [
        "+".join(pair.name for pair in one.pairs) if isinstance(one, Batch) else one.row.role
        for one in found
    ]


@pytest.mark.promise("DP-LOG-09")
@whenever(st.data())
def test_grouping_any_window_loses_nothing(data: st.DataObject) -> None:
    rows = rows_of(mixed())
    first = data.draw(st.integers(0, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    window = rows[first:last]
    groups = grouped(window)
    assert flattened(groups) == window
    assert grouped(flattened(groups)) == groups
    seen = [row for group in groups for row in in_items(items(group))]
    assert sorted(row.version for row in seen) == [row.version for row in window]


def in_items(found: tuple[Item, ...]) -> list[Row]:
    rows: list[Row] = []
    for one in found:
        if isinstance(one, Single):
            rows.append(one.row)
        else:
            rows += [row for pair in one.pairs for row in (pair.asked, pair.result) if row]
    return rows


@pytest.mark.promise("DP-RED-03", "DP-LOG-05")
def test_calls_next_to_each_other_are_one_batch_each_with_its_one_result() -> None:
    view = conversation(mixed().envelopes())
    first, second = grouped(view.rows)
    assert (first.turn, second.turn) == ("t1", "t2")
    found = items(first, view.calls)
    assert shape(found) == [
        "user",
        "assistant",
        "assistant",
        "look+run_code",
        "assistant",
        "assistant",
    ]
    batch = found[3]
    assert isinstance(batch, Batch)
    for pair in batch.pairs:
        assert pair.asked is not None
        assert pair.result is not None
        assert pair.started is not None
    assert [pair.started.cell for pair in batch.pairs if pair.started] == [None, "c1"]


def test_text_between_calls_makes_two_batches() -> None:
    talk = Talk().says("go").answers(call("a"), text("and"), call("b")).returns().returns()
    (group,) = grouped(rows_of(talk))
    assert shape(items(group)) == ["user", "a", "assistant", "b"]


@pytest.mark.promise("DP-RED-04")
def test_a_result_stands_with_its_call_whenever_it_came() -> None:
    (group, _) = grouped(rows_of(mixed()))
    results = [row for row in group.rows if row.role is Role.TOOL]
    rest = [row for row in group.rows if row.role is not Role.TOOL]
    in_time = items(group)
    for late in (results, results[::-1]):
        assert items(replace(group, rows=(*rest, *late))) == in_time
        assert items(replace(group, rows=(*late, *rest))) == in_time


@pytest.mark.promise("DP-LOG-10")
def test_a_result_whose_call_is_not_here_stands_for_itself_until_it_is() -> None:
    rows = rows_of(mixed())
    cut = next(place for place, row in enumerate(rows) if row.role is Role.TOOL)
    orphans = items(grouped(rows[cut:])[0])
    assert isinstance(orphans[0], Batch)
    assert [(pair.name, pair.asked) for pair in orphans[0].pairs] == [
        ("look", None),
        ("run_code", None),
    ]
    assert grouped((*rows[:cut], *rows[cut:])) == grouped(rows)


@pytest.mark.promise("DP-LOG-12")
def test_notices_between_turns_stand_together_and_those_of_a_turn_inside_it() -> None:
    rows = rows_of(mixed())
    assert grouped(rows)[-1].rows[-1].role is Role.SYSTEM
    noted = replace(
        rows[-1],
        turn=TurnId(""),
        block=BlockId("b900"),
        content=NoticeBlock(NoticeKind.CONFIG_RELOAD, "read again"),
    )
    again = replace(noted, block=BlockId("b901"))
    *_, last = grouped((*rows, noted, again))
    assert last == Group(last.session, TurnId(""), (noted, again))


def test_turns_of_the_session_it_was_forked_from_are_others_of_the_same_name() -> None:
    rows = rows_of(Talk().says("go").answers("done"))
    theirs = tuple(replace(row, block=BlockId(f"{row.block}@session-x")) for row in rows)
    assert [(group.session, group.turn) for group in grouped((*theirs, *rows))] == [
        ("session-x", "t1"),
        ("", "t1"),
    ]
