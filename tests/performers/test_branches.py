"""Finding blocks, and the lines that lead to them."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

import pytest
from tests.contracts.given import SESSION
from tests.contracts.playing_talks import Talk, World, call

from hearth.core.rules.lines import segments_of
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import TextBlock
from hearth.core.vocabulary.commands import ForkPoint
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId, block_place
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.modelling import BranchFound, BranchMissing, FindBranch
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import Report
from hearth.performers.branches import Branches

FORK = SessionId("session-f00")
QUESTION = InputId("q1")


class Heard:
    """A stage that remembers."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def show(self, progress: Progress) -> None:
        raise AssertionError(progress)


def looked_for(
    talk: Talk, block: str, source: str = "", session: SessionId | None = None
) -> Report:
    """What the performer reports, when a session looks for a block now."""

    async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return talk.world.rows(session, after, limit)

    stage = Heard()
    line, through = talk.state.talk.line, talk.state.version
    effect = FindBranch(QUESTION, BlockId(block), line, through, SessionId(source))
    asyncio.run(Branches(read).perform(session or talk.state.session, effect, stage))
    (report,) = stage.reports
    return report


def found(talk: Talk, block: str, source: str = "") -> BranchFound:
    report = looked_for(talk, block, source)
    assert isinstance(report, BranchFound), report
    return report


def missing(talk: Talk, block: str, source: str = "") -> str:
    report = looked_for(talk, block, source)
    assert isinstance(report, BranchMissing), report
    assert report.question == QUESTION
    return report.why


def on(world: World, session: SessionId, segments: tuple[Segment, ...]) -> list[str]:
    """What is said on these ranges, a summary in its place."""
    told: list[str] = []
    for one in segments:
        where = one.session or session
        for fact in world.talks[where].facts[one.first - 1 : one.last]:
            event = fact.event
            if isinstance(event, t.BlockSealed) and isinstance(event.content, TextBlock):
                told.append(str(event.content.text))
            if isinstance(event, t.ConversationCompacted):
                told.append(str(event.summary))
    return told


def read(talk: Talk, line: Line) -> list[str]:
    assert line.since == talk.state.version + 1
    return on(talk.world, talk.state.session, line.segments)


def counted() -> Talk:
    return Talk().says("one").answers("uno").says("two").answers("due").says("three").answers("tre")


class TestOnThePresentLine:
    def test_a_block_has_what_leads_to_it_and_what_stands_behind_it(self) -> None:
        talk = counted()
        report = found(talk, talk.block("two"))
        assert report.sealed.block == talk.block("two")
        assert read(talk, report.line) == ["one", "uno", "two"]
        assert read(talk, report.before) == ["one", "uno"]
        assert on(talk.world, SESSION, report.after) == ["due", "three", "tre"]
        assert (report.line.leaf, report.line.prompt) == (talk.block("two"), talk.block("two"))
        assert (report.before.leaf, report.before.prompt) == (talk.block("uno"), talk.block("one"))

    def test_the_first_block_has_nothing_before_it(self) -> None:
        talk = counted()
        report = found(talk, talk.block("one"))
        assert read(talk, report.before) == []
        assert (report.before.leaf, report.before.prompt) == ("", "")

    def test_the_newest_is_meant_where_none_is_named(self) -> None:
        talk = counted()
        report = found(talk, "")
        assert report.sealed.block == talk.block("tre")
        assert on(talk.world, SESSION, report.after) == []

    def test_behind_a_summary_it_stands_for_what_came_before(self) -> None:
        talk = counted()
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("two"))
        talk.says("four").answers("quattro")
        report = found(talk, talk.block("tre"))
        assert read(talk, report.line) == ["they count", "two", "due", "three", "tre"]
        assert on(talk.world, SESSION, report.after) == ["four", "quattro"]
        first = found(talk, talk.block("two"))
        assert read(talk, first.before) == ["they count"]
        assert (first.before.leaf, first.before.prompt) == ("", "")

    def test_the_model_is_the_one_that_was_set_there(self) -> None:
        talk = Talk().says("one").answers("uno").goes(p.SetModel("openai:gpt-5", p.Effort.LOW))
        talk.says("two").answers("due").goes(p.SetModel("deepseek:deepseek-chat"))
        assert found(talk, talk.block("uno")).model == ""
        due = found(talk, talk.block("due"))
        assert (due.model, due.effort) == ("openai:gpt-5", p.Effort.LOW)


class TestOffThePresentLine:
    def test_a_block_has_the_line_that_it_had(self) -> None:
        talk = counted()
        old = talk.block("due")
        talk.goes(p.EditMessage(talk.block("two"), "zwei")).goes(p.RegenerateTurn())
        talk.answers("deux")
        report = found(talk, old)
        assert read(talk, report.line) == ["one", "uno", "two", "due"]
        assert read(talk, report.before) == ["one", "uno", "two"]
        assert report.after == ()
        assert report.line.prompt == talk.block("two")

    @pytest.mark.promise("DP-SESS-05", "DL-CTX-01")
    def test_an_edited_block_stands_where_the_old_one_stood(self) -> None:
        talk = counted()
        talk.goes(p.EditMessage(talk.block("uno"), "eins", "keep"))
        new = talk.block("eins")
        report = found(talk, new)
        assert read(talk, report.line) == ["one", "eins"]
        assert on(talk.world, SESSION, report.after) == ["two", "due", "three", "tre"]
        talk.goes(p.SwitchBranch(talk.block("'one'"))).says("else").answers("altro")
        off = found(talk, new)
        assert read(talk, off.line) == ["one", "eins"]
        assert read(talk, off.before) == ["one"]
        old = found(talk, talk.block("uno"))
        assert read(talk, old.line) == ["one", "uno"]

    @pytest.mark.promise("DP-SESS-04", "DP-SESS-05")
    def test_what_an_edit_kept_ends_the_branch_it_was_said_on_and_the_notice_the_edited_one(
        self,
    ) -> None:
        talk = counted()
        old = ["one", "uno", "two", "due", "three", "tre"]
        talk.goes(p.EditMessage(talk.block("'one'"), "eins", "keep"))
        first, edited = talk.block("was edited"), ["eins", *old[1:]]
        for go_on in ("four", "five"):  # also when more was said behind it
            assert read(talk, found(talk, talk.block("tre")).line) == old
            assert read(talk, found(talk, first).line) == edited
            assert read(talk, found(talk, talk.block("due")).line) == edited[:4]
            talk.says(go_on).answers(f"{go_on} it is")
        # An edit of that block is still one of the line that people see.
        assert read(talk, found(talk, talk.block("tre")).before) == edited[:-1]
        talk.goes(p.SwitchBranch(first)).goes(p.EditMessage(talk.block("eins"), "un", "keep"))
        assert read(talk, found(talk, talk.block("was edited")).line) == ["un", *old[1:]]
        assert read(talk, found(talk, first).line) == edited
        assert read(talk, found(talk, talk.block("tre")).line) == old
        talk.goes(p.SwitchBranch(talk.block("tre")))
        assert read(talk, found(talk, talk.block("tre")).line) == old
        assert read(talk, found(talk, first).line) == edited
        fork = Talk(FORK, talk.world, ForkPoint(SESSION, first))
        assert on(talk.world, FORK, fork.state.talk.line.segments) == edited

    def test_what_was_summed_up_can_be_gone_back_to_in_full(self) -> None:
        talk = counted()
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("three"))
        talk.says("four").answers("quattro")
        report = found(talk, talk.block("uno"))
        assert read(talk, report.line) == ["one", "uno"]

    def test_going_there_and_back_again_gives_the_same_conversation(self) -> None:
        talk = counted()
        end = talk.block("tre")
        whole = on(talk.world, SESSION, segments_of(talk.state.talk.line, talk.state.version))
        for there in ("uno", "two", "'one'", "due"):
            talk.goes(p.SwitchBranch(talk.block(there))).goes(p.SwitchBranch(end))
            line = talk.state.talk.line
            assert on(talk.world, SESSION, segments_of(line, talk.state.version)) == whole
            assert (line.leaf, line.prompt) == (end, talk.block("three"))


class TestForks:
    def test_the_source_is_named_in_everything(self) -> None:
        talk = counted()
        fork = Talk(FORK, talk.world, ForkPoint(SESSION, talk.block("due")))
        (forked,) = (one.event for one in fork.facts if isinstance(one.event, t.ConversationForked))
        assert forked.block == f"{talk.block('due')}@{SESSION}"
        assert (forked.line.leaf, forked.line.prompt) == (
            f"{talk.block('due')}@{SESSION}",
            f"{talk.block('two')}@{SESSION}",
        )
        assert {one.session for one in forked.line.segments} == {SESSION}

    def test_the_newest_block_is_meant_where_none_is_named_and_the_model_is_the_present_one(
        self,
    ) -> None:
        talk = counted().goes(p.SetModel("openai:gpt-5"))
        fork = Talk(FORK, talk.world, ForkPoint(SESSION))
        (forked,) = (one.event for one in fork.facts if isinstance(one.event, t.ConversationForked))
        assert (forked.block, forked.model) == (f"{talk.block('tre')}@{SESSION}", "openai:gpt-5")

    def test_a_fork_of_what_was_summed_up_begins_with_the_summary(self) -> None:
        talk = counted().goes(p.CompactConversation()).sums_up("they count")
        fork = Talk(FORK, talk.world, ForkPoint(SESSION))
        assert on(talk.world, FORK, fork.state.talk.line.segments) == ["they count"]

    def test_in_a_fork_blocks_of_the_source_are_found_on_its_line_and_off_it(self) -> None:
        talk = counted()
        old = talk.block("tre")
        fork = Talk(FORK, talk.world, ForkPoint(SESSION, talk.block("due")))
        fork.says("four").answers("quattro")
        near = found(fork, f"{talk.block('uno')}@{SESSION}")
        assert read(fork, near.line) == ["one", "uno"]
        assert near.sealed.block == f"{talk.block('uno')}@{SESSION}"
        assert near.sealed.parent == f"{talk.block('one')}@{SESSION}"
        assert on(talk.world, FORK, near.after) == ["two", "due", "four", "quattro"]
        far = found(fork, f"{old}@{SESSION}")
        assert read(fork, far.line) == ["one", "uno", "two", "due", "three", "tre"]
        own = found(fork, f"{fork.block('four')}@{FORK}")
        assert own.sealed.block == fork.block("four")
        assert read(fork, own.before) == ["one", "uno", "two", "due"]

    def test_a_fork_of_a_fork_reaches_both(self) -> None:
        talk = counted()
        Talk(FORK, talk.world, ForkPoint(SESSION, talk.block("uno"))).says("b").answers("c")
        third = Talk(SessionId("session-f01"), talk.world, ForkPoint(FORK))
        third.says("d").answers("e")
        report = found(third, "")
        assert read(third, report.line) == ["one", "uno", "b", "c", "d", "e"]
        deep = found(third, f"{talk.block('one')}@{SESSION}")
        assert read(third, deep.line) == ["one"]


class TestMissing:
    def test_what_is_no_block_says_how_blocks_are_named(self) -> None:
        talk = counted()
        for block in ("17", "b", "bx", "c1", "b-3", "b1.5"):
            assert "named like b17" in missing(talk, block)

    @pytest.mark.promise("DL-CTX-02")
    def test_what_is_not_there_says_where_to_look(self) -> None:
        talk = counted()
        for block in ("b1", "b9999", "b99999999999999999", f"b9999@{SESSION}", "b3@nobody"):
            why = missing(talk, block)
            assert "there is no block" in why
            assert "conversation" in why

    def test_an_empty_conversation_has_nothing_to_go_on_from(self) -> None:
        assert "nothing was said" in missing(Talk(), "")
        talk = Talk()
        assert "nothing was said" in missing(Talk(FORK, talk.world), "", SESSION)
        assert "there is no session" in missing(talk, "", "nobody")

    def test_what_was_said_since_it_was_asked_is_not_found(self) -> None:
        talk = counted()
        effect = FindBranch(QUESTION, talk.block("tre"), Line(), int(talk.block("tre")[1:]) - 1)

        async def rows(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            return talk.world.rows(session, after, limit)

        stage = Heard()
        asyncio.run(Branches(rows).perform(SESSION, effect, stage))
        assert isinstance(stage.reports[0], BranchMissing)

    def test_a_log_that_cannot_be_read_is_told_and_raises_nothing(self) -> None:
        async def rows(_: SessionId, __: int, ___: int) -> NoReturn:
            raise OSError("the disk is gone")

        stage = Heard()
        effect = FindBranch(QUESTION, BlockId("b3"), Line(), 10)
        performer = Branches(rows)
        asyncio.run(performer.perform(SESSION, effect, stage))
        (report,) = stage.reports
        assert isinstance(report, BranchMissing)
        assert "the disk is gone" in report.why
        asyncio.run(performer.close())

    def test_it_carries_out_searches_alone(self) -> None:
        async def rows(_: SessionId, __: int, ___: int) -> Sequence[Stored]:
            return ()

        performer = Branches(rows)
        assert performer.effects == {FindBranch}
        with pytest.raises(TypeError):
            asyncio.run(performer.perform(SESSION, fx.StopWorker(1), Heard()))


def test_blocks_with_calls_are_found_by_their_version() -> None:
    talk = Talk().says("go").answers(call("look")).returns().answers("done")
    for one in talk.blocks():
        report = found(talk, one.block)
        assert report.sealed == one
        assert block_place(report.line.leaf)[1] == block_place(one.block)[1]
