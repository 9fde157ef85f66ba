"""Finding in the log what a conversation consists of."""

from collections.abc import Sequence

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.playing_talks import Talk, World, call

from hearth.core.rules.lines import LineFold, carry_on
from hearth.core.views import looking_back
from hearth.core.views.looking_back import (
    block_at,
    first_of,
    head_of,
    last_of,
    line_at,
    newest,
    tag_of,
)
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import Role, TextBlock
from hearth.core.vocabulary.codec import Unreadable
from hearth.core.vocabulary.commands import ForkPoint
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId, block_place
from hearth.core.vocabulary.lines import Segment

FORK = SessionId("session-f00")


def winding() -> Talk:
    talk = Talk().says("one").answers("uno").goes(p.SetModel("openai:gpt-5")).says("two")
    talk.answers(call("look")).returns().answers("due")
    talk.goes(p.CompactConversation()).sums_up("they count", talk.block("two"))
    talk.says("three").answers("tre").goes(p.SetModel(effort=p.Effort.LOW))
    talk.goes(p.SwitchBranch(talk.block("uno"))).says("zwei").answers("deux")
    return talk.goes(p.EditMessage(talk.block("one"), "eins", "keep")).says("drei").answers("trois")


def texts(talk: Talk, window: int = 200) -> list[str]:
    found = talk.world.driven(
        newest(talk.state.session, talk.folded().talk.shown, talk.state.version, window)
    )
    return [str(row.content.text) for row in found.rows if isinstance(row.content, TextBlock)]


@pytest.mark.parametrize("page", [1, 2, 500])
def test_the_line_at_any_version_is_what_folding_up_to_it_gives(
    page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking_back, "PAGE", page)
    talk = winding()
    fold = LineFold()
    for one in talk.envelopes():
        fold = carry_on(fold, one.event)
        assert talk.world.driven(line_at(talk.state.session, one.version)) == fold


@whenever(st.integers(1, 30))
def test_a_window_is_the_end_of_the_whole_and_knows_whether_there_is_more(window: int) -> None:
    talk = winding()
    session, shown = talk.state.session, talk.folded().talk.shown
    whole = talk.world.driven(newest(session, shown, talk.state.version, 1000))
    found = talk.world.driven(newest(session, shown, talk.state.version, window))
    assert found.rows == whole.rows[-window:]
    assert found.older == (len(whole.rows) > window)
    assert not whole.older


def test_blocks_of_other_branches_are_not_on_it() -> None:
    assert texts(winding()) == ["eins", "uno", "zwei", "deux", "drei", "trois"]


@pytest.mark.promise("DL-MGR-05", "DP-SESS-01")
def test_a_fork_shows_what_was_said_before_it_and_copies_nothing() -> None:
    talk = winding()
    rows = len(talk.facts)
    fork = Talk(FORK, talk.world, ForkPoint(talk.state.session, talk.block("was edited")))
    fork.says("vier").answers("quatre")
    assert texts(fork) == ["eins", "uno", "zwei", "deux", "vier", "quatre"]
    assert len(fork.blocks()) == 2
    assert len(talk.facts) == rows
    again = Talk(SessionId("session-f01"), talk.world, ForkPoint(FORK)).says("fünf").answers("cinq")
    assert texts(again) == ["eins", "uno", "zwei", "deux", "vier", "quatre", "fünf", "cinq"]
    assert again.asked.line.segments[-1].session == FORK


def test_behind_a_summary_of_a_summary_everything_is_found() -> None:
    talk = Talk()
    for number in range(4):
        talk.says(f"say {number}").answers(f"said {number}")
        talk.goes(p.CompactConversation()).sums_up(f"sum {number}", talk.block(f"say {number}"))
    everything = texts(talk)
    assert len(everything) == 8
    fork = Talk(FORK, talk.world, ForkPoint(talk.state.session))
    assert texts(fork) == everything  # its line begins with a summary
    talk.says("end").answers("ended").goes(p.SwitchBranch(talk.block("said 3")))
    assert texts(talk) == everything


def test_where_a_session_ends_is_found_without_reading_it() -> None:
    class Counting(World):
        asked = 0

        def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            self.asked += 1
            return super().rows(session, after, limit)

    world = Counting()
    talk = Talk(world=world).says("one").answers("uno")
    world.asked = 0
    assert world.driven(head_of(talk.state.session)) == len(talk.facts)
    assert 0 < world.asked < 2 * len(talk.facts).bit_length() + 2
    assert world.driven(head_of(SessionId("nobody"))) == 0


def test_a_block_is_found_at_its_version_and_nothing_else_is_one() -> None:
    talk = Talk().says("one").answers("uno")
    session = talk.state.session
    versions = {
        one.version for one in talk.envelopes() if talk.world.driven(block_at(session, one.version))
    }
    assert versions == {int(one.block[1:]) for one in talk.blocks()}
    assert talk.world.driven(block_at(session, 999)) is None


def test_the_newest_block_of_some_ranges_and_of_a_role() -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    session, whole = talk.state.session, (Segment(1, talk.state.version),)
    last = talk.world.driven(last_of(session, whole))
    prompt = talk.world.driven(last_of(session, whole, Role.USER))
    assert last is not None
    assert prompt is not None
    assert (last.version, prompt.version) == (
        int(talk.block("due")[1:]),
        int(talk.block("two")[1:]),
    )
    assert talk.world.driven(last_of(session, (Segment(1, 2),))) is None


@pytest.mark.parametrize("page", [1, 2, 500])
def test_the_oldest_block_of_some_ranges(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking_back, "PAGE", page)
    talk = Talk().says("one").answers("uno").says("two")
    session, end = talk.state.session, talk.state.version
    first, second, third = (block_place(one.block)[1] for one in talk.blocks())
    for segments, version in (
        ((Segment(1, end),), first),
        ((Segment(first + 1, end),), second),
        ((Segment(1, 2), Segment(third, end, session)), third),
    ):
        found = talk.world.driven(first_of(session, segments))
        assert found is not None
        assert found.version == version
    assert talk.world.driven(first_of(session, (Segment(third + 1, end),))) is None


def test_a_row_that_is_no_event_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        tag_of(Stored(1, FORK, 1, b"{"))
