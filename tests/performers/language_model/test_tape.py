"""A tape sends the same bytes as the log would, and reads of it only what is new."""

import pytest
from tests.performers.language_model.held import CLAUDE, SYSTEM, T1, TOOLS, S
from tests.performers.language_model.taped import MARK, Counting, Taped, bare, messages, steps

from hearth.core.rules.lines import kept
from hearth.core.vocabulary.blocks import Role, TextBlock, ToolCallBlock, WireNote
from hearth.core.vocabulary.ids import CallId, RequestId, SessionId, block_id
from hearth.core.vocabulary.lines import Line, ModelChoice, Segment
from hearth.core.vocabulary.messages import AssistantMessage, Message, UserMessage
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.turns import ConversationCompacted, ModelAsked
from hearth.performers.language_model import tape
from hearth.performers.language_model.reading import LogUnreadable
from hearth.performers.language_model.tape import NothingToSay, Witness, beyond

HEAD = len(SYSTEM) + len(TOOLS)
OTHER = SessionId("session-other")


class Seen(Counting):
    """Somebody looks on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Message] = []

    def take(self, message: Message) -> None:
        self.seen.append(message)

    def witness(self) -> Witness:
        return self


@pytest.mark.promise("DP-WIRE-02")
async def test_each_request_is_a_prefix_of_the_next_over_steps_and_turns_and_a_restart() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("count")
    before = await taped.draft()
    assert before.note == WireNote(HEAD + len(bare(before)), why="first")
    for step in range(1, 9):
        if step == 5:
            taped.restarted()
        steps(taped, 1, step)
        if step in {3, 6}:
            taped.held.user(f"and once more, {step}")
        now = await taped.draft()
        assert bare(now).startswith(bare(before))
        assert now.note == WireNote(HEAD + len(bare(now)), HEAD + len(bare(before)))
        assert now.opening == before.opening
        assert 2 <= messages(now).count(MARK) <= 3
        before = now


async def test_a_restart_changes_neither_a_byte_nor_where_marks_are() -> None:
    undisturbed, disturbed = Taped(), Taped()
    for taped in (undisturbed, disturbed):
        taped.held.begin()
        taped.held.user("count")
    for step in range(1, 6):
        disturbed.restarted()
        one, other = await undisturbed.draft(), await disturbed.draft()
        assert one.body == other.body
        assert one.note == other.note
        for taped in (undisturbed, disturbed):
            steps(taped, 1, step)


async def test_after_a_restart_one_request_is_laid_out_however_many_were_sent() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("count")
    for step in range(1, 51):
        taped.held.ask()
        steps(taped, 1, step)
    draft = await taped.draft()
    assert draft.note.shared > draft.note.size - 500, "what was sent before is known all the same"
    assert taped.encoding.marks == messages(draft).count(MARK) == 3


async def test_a_step_reads_and_encodes_only_what_is_new() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("count")
    steps(taped, 300)
    await taped.draft()
    steps(taped, 1, 301)
    taped.held.reads.clear()
    taped.encoding.count = 0
    draft = await taped.draft()
    assert len(taped.held.reads) == 1
    assert taped.held.reads[0][2] == 3
    assert taped.encoding.count == 4  # the step before, which is closed now, and the open one
    assert draft.body.count(b'"tool_result"') == 301


async def test_the_same_request_again_reads_nothing() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    first = await taped.draft()
    ask = taped.held.ask()
    again = await taped.draft(ask)
    reads = len(taped.held.reads)
    assert (await taped.draft(ask)).body == again.body == first.body
    assert len(taped.held.reads) == reads
    assert again.note.shared == again.note.size


async def test_a_call_that_was_left_open_has_its_result_in_every_later_request() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    taped.held.seal(Role.ASSISTANT, ToolCallBlock(CallId("k1"), "run_code", "{}", "toolu_1"))
    taped.held.user("and?")
    draft = await taped.draft()
    assert b"interrupted, effects unknown" in draft.body
    assert (
        draft.body.index(b"tool_use") < draft.body.index(b"interrupted") < draft.body.index(b"and?")
    )


async def test_another_branch_is_sent_from_where_it_parts_and_says_so() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("one")
    last = taped.held.says("first")
    taped.held.user("two")
    before = await taped.draft()
    taped.held.begin(reason="branch")
    since = taped.held.user("deux")
    line = Line((Segment(1, last),), since)
    now = await taped.draft(taped.held.ask(line))
    assert b"two" not in now.body
    assert now.note.differs_at == f"b{since}"
    assert now.note.why == "branch"
    start = bare(now)[: now.note.shared - HEAD]
    assert bare(before).startswith(start)
    assert b"first" in start
    assert b"deux" not in start


async def test_a_fork_reads_the_session_that_it_came_from() -> None:
    taped = Taped()
    taped.held.user("from there", OTHER)
    taped.held.says("indeed", session=OTHER)
    taped.held.begin()
    taped.held.user("from here")
    line = Line((Segment(1, 2, OTHER),), 1)
    draft = await taped.draft(taped.held.ask(line))
    for text in (b"from there", b"indeed", b"from here"):
        assert text in draft.body


async def test_a_summary_stands_in_the_place_of_what_it_sums_up() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("long ago")
    keeps = block_id(taped.held.user("just now"))
    await taped.draft()
    at = len(taped.held.rows[S]) + 1
    line = kept(Line(), keeps, at, at - 1)
    taped.held.add(ConversationCompacted(T1, block_id(at), "it was nice", keeps, line))
    taped.held.begin(reason="compaction")
    draft = await taped.draft(taped.held.ask(line))
    assert b"long ago" not in draft.body
    assert draft.body.index(b"it was nice") < draft.body.index(b"just now")
    assert draft.note.why == "compaction"
    assert draft.note.differs_at == block_id(at)
    assert draft.note.shared == HEAD


@pytest.mark.promise("DP-LOG-13")
async def test_after_a_restart_a_long_conversation_is_read_from_its_summary_on() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("long ago")
    steps(taped, 1_000)
    keeps = block_id(taped.held.user("just now"))
    at = len(taped.held.rows[S]) + 1
    line = kept(Line(), keeps, at, at - 1)
    taped.held.add(ConversationCompacted(T1, block_id(at), "it was nice", keeps, line))
    taped.held.begin(reason="compaction")
    taped.held.says("go on?", step=1_001)
    taped.held.user("yes")
    taped.restarted()
    draft = await taped.draft(taped.held.ask(line))
    assert sum(limit for _, _, limit in taped.held.reads) < 10, "of two thousand rows"
    assert draft.body.index(b"nice") < draft.body.index(b"just now") < draft.body.index(b"yes")
    assert draft.tape.size < HEAD + 1_000


@pytest.mark.parametrize(
    ("system", "tools", "differs_at", "shared"),
    [
        (SYSTEM, TOOLS.replace("Runs", "Really runs"), "tools", 0),
        (SYSTEM + "!", TOOLS, "system", len(TOOLS)),
    ],
)
async def test_another_beginning_is_told_with_its_reason(
    system: str, tools: str, differs_at: str, shared: int
) -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    await taped.draft()
    taped.held.begin(system, tools, reason="instructions changed")
    note = (await taped.draft()).note
    assert (note.shared, note.differs_at, note.why) == (shared, differs_at, "instructions changed")


async def test_another_model_shares_nothing() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    await taped.draft()
    taped.held.choice = ModelChoice("anthropic", "claude-other", CLAUDE.dialect, 1, 1)
    taped.held.begin(reason="model changed")
    note = (await taped.draft()).note
    assert (note.shared, note.differs_at, note.why) == (0, "model", "model changed")


async def test_another_effort_shares_what_stands_before_the_messages() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    await taped.draft()
    taped.held.choice = ModelChoice(
        CLAUDE.provider, CLAUDE.model, CLAUDE.dialect, CLAUDE.window, CLAUDE.max_output, Effort.LOW
    )
    note = (await taped.draft()).note
    assert note.shared == HEAD
    assert note.why == tape.OTHER_EFFORT


async def test_a_request_that_was_never_taken_is_not_the_one_before() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    unsent = await taped.tapes.draft(S, taped.held.ask(), taped.encoding)
    again = await taped.tapes.draft(S, taped.held.ask(), taped.encoding)
    assert again.body == unsent.body
    assert again.note.shared == 0


async def test_rows_that_are_not_there_yet_leave_nothing_half_read() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    await taped.draft()
    steps(taped, 1)
    ask = taped.held.ask()
    row = taped.held.rows[S].pop()
    with pytest.raises(LogUnreadable):
        await taped.draft(ask)
    taped.held.rows[S].append(row)
    draft = await taped.draft(ask)
    assert draft.body.count(b'"tool_use"') == 1
    assert draft.note.shared > HEAD


async def test_nothing_to_say_is_told() -> None:
    taped = Taped()
    taped.held.begin()
    with pytest.raises(NothingToSay):
        await taped.draft()


async def test_the_name_of_the_conversation_never_changes_and_tells_nothing() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    first = (await taped.draft()).opening
    taped.restarted()
    taped.held.begin(reason="compaction")
    assert (await taped.draft()).opening.conversation == first.conversation
    assert S not in first.conversation
    taped.held.rows[OTHER] = taped.held.rows[S]
    other = await taped.tapes.draft(OTHER, taped.held.ask(), taped.encoding)
    assert other.opening.conversation != first.conversation


async def test_only_so_many_tapes_and_bytes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "MOST_TAPES", 2)
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    ask = taped.held.ask()
    sessions = [SessionId(f"session-{number}") for number in range(3)]
    for session in sessions:
        taped.held.rows[session] = taped.held.rows[S]
        await taped.tapes.draft(session, ask, taped.encoding)
    assert list(taped.tapes._tapes) == sessions[1:]
    monkeypatch.setattr(tape, "MOST_BYTES", 1)
    await taped.tapes.draft(sessions[0], ask, taped.encoding)
    assert list(taped.tapes._tapes) == sessions[:1]


async def test_a_witness_sees_every_closed_message_once() -> None:
    taped = Taped()
    taped.encoding = seen = Seen()
    taped.held.begin()
    taped.held.user("go")
    await taped.draft()
    taped.held.says("gone", step=1)
    taped.held.user("on")
    await taped.draft()
    assert [type(one) for one in seen.seen] == [UserMessage, AssistantMessage, UserMessage]


@pytest.mark.parametrize(
    ("read", "wanted", "rest"),
    [
        ((), (Segment(1, 4),), (Segment(1, 4),)),
        ((Segment(1, 4),), (Segment(1, 4),), ()),
        ((Segment(1, 4),), (Segment(1, 9),), (Segment(5, 9),)),
        ((Segment(1, 4),), (Segment(1, 6), Segment(8, 9)), (Segment(5, 6), Segment(8, 9))),
        (
            (Segment(1, 2, OTHER), Segment(1, 4)),
            (Segment(1, 2, OTHER), Segment(1, 5)),
            (Segment(5, 5),),
        ),
        ((Segment(1, 4),), (Segment(1, 3), Segment(8, 9)), None),
        ((Segment(1, 4),), (Segment(2, 9),), None),
        ((Segment(1, 4, OTHER),), (Segment(1, 9),), None),
        ((Segment(1, 4), Segment(7, 8)), (Segment(1, 9),), None),
        ((Segment(1, 4), Segment(7, 8)), (Segment(1, 4),), None),
    ],
)
def test_a_line_is_carried_on_only_where_it_began_alike(
    read: tuple[Segment, ...], wanted: tuple[Segment, ...], rest: tuple[Segment, ...] | None
) -> None:
    assert beyond(read, wanted) == rest


async def test_what_was_asked_but_never_answered_is_not_taken_for_sent() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("go")
    taped.held.add(ModelAsked(RequestId("r-lost"), T1, 1))
    assert (await taped.draft()).note.shared == 0


async def test_a_block_kept_elsewhere_is_sent_in_full() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.seal(Role.USER, TextBlock(taped.held.keep("much " * 30_000)))
    assert (await taped.draft()).body.count(b"much ") == 30_000
