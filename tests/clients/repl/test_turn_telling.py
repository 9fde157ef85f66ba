"""A turn is told as it happens: everything once, nothing twice, and nothing is obeyed."""

from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.clients.repl.telling_of import ME, MINE, NOON, THEIRS, text, told

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Words
from hearth.clients.repl.turn_telling import TurnTeller
from hearth.core.views.conversation import Conversation, carry_on, hear
from hearth.core.views.talk import Approval, Talk
from hearth.core.vocabulary import blocks as b
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    CellId,
    InputId,
    MessageId,
    RequestId,
    TurnId,
)
from hearth.core.vocabulary.lines import Dialect, ModelChoice, TurnLimits
from hearth.core.vocabulary.origin import SYSTEM, Actor, Origin
from hearth.core.vocabulary.permitting import EXECUTE, Grant, Judged, Need, Verdict

T = TurnId("t1")
K = CallId("k1")
MODEL = ModelChoice("scripted", "weaver", Dialect.SCRIPTED, 200_000, 8_000)
AGENT = Origin(Actor.AGENT, "scripted:weaver")
HEAD = "── scripted:weaver ──\n"


@pytest.fixture
def teller() -> TurnTeller:
    return TurnTeller(Paint(), lambda cause: cause == MINE)


def sealed(
    content: b.Block,
    block: str = "b9",
    *,
    role: b.Role = b.Role.ASSISTANT,
    step: int = 0,
    cause: InputId = MINE,
    by: Origin = AGENT,
    replaces: BlockId | None = None,
) -> Envelope:
    event = t.BlockSealed(BlockId(block), T, step, role, content, replaces=replaces)
    return replace(told(event, cause), origin=by)


def said(teller: TurnTeller, *events: t.TurnEvent | Envelope, cause: InputId = MINE) -> str:
    pieces = [
        piece
        for event in events
        for piece in teller.tell(event if isinstance(event, Envelope) else told(event, cause))
    ]
    return text(pieces)


def heard(teller: TurnTeller, *progress: p.TextDelta | p.ThinkingDelta | p.ToolCallForming) -> str:
    return text([piece for one in progress for piece in teller.show(one)])


def begun(teller: TurnTeller, cause: InputId = MINE) -> None:
    prepared = t.TurnPrepared(T, MODEL, TurnLimits())
    assert said(teller, t.TurnStarted(T), prepared, cause=cause) == ""


def test_whole_lines_are_told_as_they_come_and_the_rest_when_it_is_sealed(
    teller: TurnTeller,
) -> None:
    begun(teller)
    assert heard(teller, p.TextDelta(T, 0, 0, 0, "one\ntw")) == HEAD + "one"
    assert teller.live == "tw"
    assert heard(teller, p.TextDelta(T, 0, 0, 6, "o\nthr")) == "two"
    assert said(teller, sealed(b.TextBlock("one\ntwo\nthree"))) == "three"
    assert said(teller, t.StepFinished(T, 0, RequestId("r1"), "x", b.StopReason.END)) == ""
    assert teller.live == ""


def test_what_was_never_heard_is_told_whole(teller: TurnTeller) -> None:
    begun(teller)
    assert said(teller, sealed(b.TextBlock("one\ntwo"))) == HEAD + "one\ntwo"


def test_what_was_missed_in_the_middle_is_told_when_it_is_sealed(teller: TurnTeller) -> None:
    begun(teller)
    heard(teller, p.TextDelta(T, 0, 0, 0, "one\n"))
    assert heard(teller, p.TextDelta(T, 0, 0, 8, "three\n")) == ""
    assert said(teller, sealed(b.TextBlock("one\ntwo\nthree\nfour"))) == "two\nthree\nfour"


def test_another_text_than_was_heard_is_told_whole(teller: TurnTeller) -> None:
    begun(teller)
    heard(teller, p.TextDelta(T, 0, 0, 0, "one\n"))
    assert said(teller, sealed(b.TextBlock("eins\n"))) == "eins"


def test_thinking_text_thinking_come_in_their_order(teller: TurnTeller) -> None:
    begun(teller)
    shown = heard(
        teller,
        p.ThinkingDelta(T, 0, 0, 0, "first"),
        p.TextDelta(T, 0, 1, 0, "so"),
        p.ThinkingDelta(T, 0, 2, 0, "then"),
        p.TextDelta(T, 0, 3, 0, "done"),
    )
    assert shown == HEAD + "  first\nso\n  then"
    rest = said(
        teller,
        sealed(b.ThinkingBlock("first")),
        sealed(b.TextBlock("so")),
        sealed(b.ThinkingBlock("then")),
        sealed(b.TextBlock("done")),
    )
    assert rest == "done"


def test_thinking_is_folded(teller: TurnTeller) -> None:
    begun(teller)
    thought = "\n".join(f"thought {n}" for n in range(8))
    assert said(teller, sealed(b.ThinkingBlock(thought), "b4")) == (
        HEAD + "  thought 0\n  thought 1\n  thought 2\n"
        "  … 5 more lines of thinking; .show b4 shows all"
    )
    assert said(teller, sealed(b.ThinkingBlock("", native="{}"))) == ""


def test_an_attempt_that_failed_is_struck_and_the_next_one_told_from_its_beginning(
    teller: TurnTeller,
) -> None:
    begun(teller)
    heard(teller, p.TextDelta(T, 0, 0, 0, "half an\nans"))
    retry = t.RetryScheduled(RequestId("r1"), T, 0, 2, 1.5, "overloaded", 529)
    assert said(teller, retry) == (
        "the answer was cut off (overloaded, status 529); asking again in 1.5 s"
    )
    assert teller.live == ""
    assert heard(teller, p.TextDelta(T, 0, 0, 0, "half an\nanswer")) == "half an"
    assert said(teller, sealed(b.TextBlock("half an\nanswer"))) == "answer"


def test_an_attempt_that_said_nothing_is_no_answer(teller: TurnTeller) -> None:
    begun(teller)
    retry = t.RetryScheduled(RequestId("r1"), T, 0, 2, 0.0, "no connection")
    assert said(teller, retry) == "no answer (no connection); asking again"


def test_what_comes_too_late_is_not_told(teller: TurnTeller) -> None:
    begun(teller)
    said(teller, sealed(b.TextBlock("all\n")))
    said(teller, t.StepFinished(T, 0, RequestId("r1"), "x", b.StopReason.TOOLS))
    assert heard(teller, p.TextDelta(T, 0, 0, 0, "all\n")) == ""
    assert heard(teller, p.TextDelta(T, 1, 0, 0, "next\n")) == "next"


def test_a_cell_is_told_with_the_call_that_runs_it_and_its_result_is_not_told_again(
    teller: TurnTeller,
) -> None:
    begun(teller)
    call = b.ToolCallBlock(K, "run_code", '{"code": "x = 41 + 1"}')
    started = t.ToolStarted(K, T, 0, "run_code", CellId("c1"))
    assert said(teller, sealed(call), started) == ""
    cell = replace(told(e.CellStarted(CellId("c1"), "x = 41 + 1")), origin=AGENT)
    assert isinstance(cell.event, e.CellStarted)
    pieces = teller.cell_started(cell, cell.event)
    assert pieces is not None
    assert (text(pieces[0]), pieces[1]) == ("▸ run_code  x = 41 + 1", True)
    assert said(teller, sealed(b.ToolResultBlock(K, "run_code", "42"), role=b.Role.TOOL)) == ""


def test_longer_code_is_left_to_its_cell(teller: TurnTeller) -> None:
    begun(teller)
    code = "for i in x:\n    y"
    said(teller, sealed(b.ToolCallBlock(K, "run_code", '{"code": "for i in x:\\n    y"}')))
    said(teller, t.ToolStarted(K, T, 0, "run_code", CellId("c1")))
    cell = replace(told(e.CellStarted(CellId("c1"), code)), origin=AGENT)
    assert isinstance(cell.event, e.CellStarted)
    pieces = teller.cell_started(cell, cell.event)
    assert pieces is not None
    assert (text(pieces[0]), pieces[1]) == ("▸ run_code  (2 lines)", False)
    others = replace(cell, origin=ME)
    assert teller.cell_started(others, cell.event) is None


def test_other_tools_are_told_with_the_beginning_of_their_result(teller: TurnTeller) -> None:
    begun(teller)
    call = b.ToolCallBlock(K, "look", '{"path": "a.txt", "lines": 3}')
    shown = said(teller, sealed(call), t.ToolStarted(K, T, 0, "look"))
    assert shown == HEAD + "▸ look  path=a.txt, lines=3"
    assert text(teller.show(p.ToolOutput(K, "reading\nhalf"))) == "  │ reading"
    assert teller.live == "half"
    result = b.ToolResultBlock(K, "look", "1\n2\n3\n4\n5")
    assert said(teller, sealed(result, "b7", role=b.Role.TOOL)) == (
        "  │ half\n  ↳ 1\n    2\n    3\n    … 2 more lines; .show b7 shows all"
    )
    assert teller.live == ""


def test_a_call_that_was_never_run_is_told_with_why(teller: TurnTeller) -> None:
    begun(teller)
    said(teller, sealed(b.ToolCallBlock(K, "run_code", "{not json")))
    result = b.ToolResultBlock(K, "run_code", "The arguments are not valid.", is_error=True)
    assert said(teller, sealed(result, role=b.Role.TOOL)) == (
        HEAD + "▸ run_code  {not json\n  ↳ The arguments are not valid."
    )


def test_messages_of_others_are_told_and_ones_own_are_not(teller: TurnTeller) -> None:
    begun(teller)
    mine = sealed(b.TextBlock("hello"), role=b.Role.USER, by=ME)
    assert said(teller, mine) == ""
    bob = Origin(Actor.PERSON, "bob", ME.door)
    theirs = sealed(b.TextBlock("hello"), "b5", role=b.Role.USER, cause=THEIRS, by=bob)
    assert said(teller, theirs) == "── b5  bob (repl) to the agent ──\nhello"
    nudge = sealed(b.TextBlock("(A reminder)"), role=b.Role.USER, by=SYSTEM)
    assert said(teller, nudge) == "(A reminder)"


def test_a_message_waits_and_is_delivered_once(teller: TurnTeller) -> None:
    begun(teller, THEIRS)
    queued = t.MessageQueued(MessageId("m1"), "and more")
    assert said(teller, queued) == (
        "m1 queued for the agent's next step; .unqueue m1 takes it back"
    )
    block = sealed(b.TextBlock("and more"), "b6", role=b.Role.USER, cause=THEIRS, by=ME)
    delivered = t.MessageDelivered(MessageId("m1"), T, BlockId("b6"))
    assert said(teller, block, delivered) == "m1 delivered: and more"
    theirs = t.MessageQueued(MessageId("m2"), "me too")
    assert said(teller, theirs, cause=THEIRS) == "m2 of bot (agent, mcp) queued: me too"
    withdrawn = t.MessageWithdrawn(MessageId("m2"))
    assert said(teller, withdrawn, cause=THEIRS) == "m2 was taken back by bot (agent, mcp)"


def test_errors_notices_and_the_end_are_told(teller: TurnTeller) -> None:
    begun(teller)
    error = sealed(b.ErrorBlock("no key for anthropic", 401), role=b.Role.SYSTEM, by=SYSTEM)
    assert said(teller, error) == (
        "no key for anthropic (status 401)\n"
        "  .regenerate tries again; .model NAME asks another model"
    )
    notice = b.NoticeBlock(b.NoticeKind.CANCELLED, "cancelled")
    assert said(teller, sealed(notice, role=b.Role.SYSTEM, by=SYSTEM)) == "cancelled"
    usage = b.Usage(fresh=200, cache_read=1000, output=31)
    end = told(t.TurnFinished(T, t.TurnEnd.FAILED, 2, usage))
    assert said(teller, replace(end, at=NOON + timedelta(seconds=3))) == (
        "# t1 failed · 2 steps · 1.2k tokens in, 1.0k of them cached · 31 out · 3.0 s"
    )


def test_an_edited_block_says_what_to_do_next(teller: TurnTeller) -> None:
    edited = sealed(b.TextBlock("x"), "b20", role=b.Role.USER, by=ME, replaces=BlockId("b5"))
    assert said(teller, edited) == ("b20 stands in the place of b5; .regenerate has it answered")


def test_an_approval_is_asked_for(teller: TurnTeller) -> None:
    begun(teller)
    asked = t.ApprovalRequested(ApprovalId("a1"), T, (K,), "it calls look again and again")
    assert said(teller, asked) == "a1 · ann waits for you\n  it calls look again and again"
    begun(teller, THEIRS)
    assert said(teller, asked, cause=THEIRS) == (
        "a1 · bot waits for you\n  it calls look again and again\n"
        "  .approve a1 lets it; .reject a1 [TEXT] does not"
    )
    longer = replace(asked, offers=(Grant("execute", "make test"),))
    assert said(teller, longer, cause=THEIRS).endswith(
        ".approve a1 [session|always] lets it; .reject a1 [TEXT] does not"
    )


def test_nothing_that_a_model_writes_is_obeyed(teller: TurnTeller) -> None:
    evil = "\x1b]52;c;AAAA\x07\x1b[2J\x1b[31mred\r\x1b]0;title\x07"
    begun(teller)
    shown = heard(
        teller, p.ThinkingDelta(T, 0, 0, 0, evil), p.TextDelta(T, 0, 1, 0, f"{evil}\n{evil}")
    )
    shown += teller.live
    heard(teller, p.ToolCallForming(T, 0, 2, evil))
    shown += teller.live
    arguments = '{"code": "\\u001b[2J"}'
    shown += said(
        teller,
        sealed(b.ThinkingBlock(evil)),
        sealed(b.TextBlock(f"{evil}\n{evil}")),
        sealed(b.ToolCallBlock(K, evil, arguments)),
        t.ToolStarted(K, T, 0, evil),
        sealed(b.ToolResultBlock(K, evil, evil), role=b.Role.TOOL),
        sealed(b.TextBlock(evil), role=b.Role.USER, cause=THEIRS),
        sealed(b.ErrorBlock(evil), role=b.Role.SYSTEM),
        sealed(b.NoticeBlock(b.NoticeKind.NOTICE, evil), role=b.Role.SYSTEM),
        t.RetryScheduled(RequestId("r1"), T, 0, 2, 0.0, evil),
        t.MessageQueued(MessageId("m1"), evil),
        t.ModelChanged(evil),
    )
    assert "red" in shown
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "\x07" not in shown


def test_what_is_the_answer_is_told_from_what_is_about_it(teller: TurnTeller) -> None:
    begun(teller)
    pieces = [
        *teller.tell(sealed(b.ThinkingBlock("hm"))),
        *teller.tell(sealed(b.TextBlock("42"))),
        *teller.tell(told(t.TurnFinished(T, t.TurnEnd.DONE, 1))),
    ]
    assert [piece.text for piece in pieces if isinstance(piece, Words) and not piece.is_aside] == [
        "42"
    ]


def test_where_only_ones_own_is_told_turns_of_others_are_passed_over() -> None:
    teller = TurnTeller(Paint(), lambda cause: cause == MINE, tells_others=False)
    begun(teller, THEIRS)
    assert heard(teller, p.TextDelta(T, 0, 0, 0, "one\ntw")) == ""
    assert teller.live == ""
    assert said(teller, sealed(b.TextBlock("one\ntwo"), cause=THEIRS)) == ""
    delivered = t.MessageDelivered(MessageId("m1"), T, BlockId("b6"))
    assert "m1 delivered" in said(teller, delivered)
    assert said(teller, sealed(b.TextBlock("for me"), cause=THEIRS)) == HEAD + "for me"
    assert "t1 done" in said(teller, t.TurnFinished(T, t.TurnEnd.DONE), cause=THEIRS)


def test_a_long_answer_that_is_kept_apart_is_told_as_far_as_it_was_heard(
    teller: TurnTeller,
) -> None:
    begun(teller)
    heard(teller, p.TextDelta(T, 0, 0, 0, "one\ntwo"))
    whole = b.TextBlock(Blob("0" * 64, 7, head="one"))
    assert said(teller, sealed(whole)) == "two"
    cut = b.TextBlock(Blob("0" * 64, 900, head="eins\nzw"))
    assert said(teller, sealed(cut, "b8")) == "eins\nzw\n… there is more; .show b8 shows all"


def viewed(*envelopes: Envelope) -> Conversation:
    view = Conversation()
    for version, one in enumerate(envelopes, 1):
        view = carry_on(view, replace(one, version=version, seq=version))
    return view


def test_who_comes_late_is_told_what_the_turn_did_so_far(teller: TurnTeller) -> None:
    call = b.ToolCallBlock(K, "look", '{"path": "a.txt"}')
    view = viewed(
        told(t.TurnStarted(T), THEIRS),
        sealed(b.TextBlock("look at it"), "b2", role=b.Role.USER, cause=THEIRS, by=ME),
        sealed(b.TextBlock("I look."), "b3"),
        sealed(call, "b4"),
        told(t.StepFinished(T, 0, RequestId("r1"), "x", b.StopReason.TOOLS), THEIRS),
        told(t.ToolStarted(K, T, 0, "look"), THEIRS),
        sealed(b.ToolResultBlock(K, "look", "found"), "b7", role=b.Role.TOOL),
        told(t.MessageQueued(MessageId("m1"), "later"), THEIRS),
    )
    view = hear(view, p.TextDelta(T, 1, 0, 0, "It is\nther"))
    assert text(teller.attach(view, None)) == (
        "── b2  ann (repl) to the agent ──\nlook at it\n"
        "── b3  scripted:weaver ──\nI look.\n"
        "▸ look  a.txt\n  ↳ found\n"
        "It is"
    )
    assert teller.live == "ther"
    assert heard(teller, p.TextDelta(T, 1, 0, 6, "there.\n")) == "there."
    again = replace(sealed(b.TextBlock("I look."), "b3"), version=3)
    assert said(teller, again) == ""
    block = sealed(b.TextBlock("later"), "b9", role=b.Role.USER, cause=THEIRS, by=ME)
    assert said(teller, replace(block, version=9)) == ""


def test_a_cell_that_runs_for_a_call_is_told_by_others(teller: TurnTeller) -> None:
    view = viewed(
        told(t.TurnStarted(T), THEIRS),
        sealed(b.ToolCallBlock(K, "run_code", '{"code": "x"}'), "b2"),
        told(t.ToolStarted(K, T, 0, "run_code", CellId("c1")), THEIRS),
    )
    assert text(teller.attach(view, CellId("c1"))) == ""
    result = sealed(b.ToolResultBlock(K, "run_code", "42"), "b9", role=b.Role.TOOL)
    assert said(teller, replace(result, version=9)) == ""


def test_a_conversation_is_told_again_with_the_names_of_its_blocks(teller: TurnTeller) -> None:
    view = viewed(
        told(t.TurnStarted(T)),
        sealed(b.TextBlock("run it"), "b2", role=b.Role.USER, by=ME),
        sealed(b.ToolCallBlock(K, "run_code", '{"code": "6 * 7"}'), "b3"),
        told(t.ToolStarted(K, T, 0, "run_code", CellId("c1"))),
        sealed(b.ToolResultBlock(K, "run_code", "42"), "b5", role=b.Role.TOOL),
        sealed(b.TextBlock("It is 42."), "b6", step=1),
        told(t.TurnFinished(T, t.TurnEnd.DONE)),
    )
    assert text(teller.retell(view)) == (
        "── b2  ann (repl) to the agent ──\nrun it\n"
        "── scripted:weaver ──\n▸ run_code  6 * 7\n  ↳ 42\n"
        "── b6  scripted:weaver ──\nIt is 42."
    )


def test_what_other_calls_do_while_a_cell_runs_is_told_after_it(teller: TurnTeller) -> None:
    begun(teller)
    other = CallId("k2")
    said(
        teller,
        sealed(b.ToolCallBlock(K, "run_code", '{"code": "x"}')),
        sealed(b.ToolCallBlock(other, "look", '{"path": "a"}')),
        t.ToolStarted(K, T, 0, "run_code", CellId("c1")),
    )
    cell = replace(told(e.CellStarted(CellId("c1"), "x")), origin=AGENT)
    assert isinstance(cell.event, e.CellStarted)
    assert teller.cell_started(cell, cell.event) is not None
    result = sealed(b.ToolResultBlock(other, "look", "found"), role=b.Role.TOOL)
    assert said(teller, t.ToolStarted(other, T, 0, "look"), result) == ""
    shown = text(teller.cell_ended(CellId("c1")))
    assert shown.endswith("▸ look  a\n  ↳ look: found")
    assert teller.cell_ended(CellId("c1")) == []


def shell(teller: TurnTeller) -> str:
    begun(teller)
    call = b.ToolCallBlock(K, "run_shell", '{"command": "make \\u202eall", "timeout": 9}')
    return said(teller, sealed(call), t.ToolStarted(K, T, 0, "run_shell"))


def test_what_a_command_writes_is_shown_below_it_with_how_it_ended(teller: TurnTeller) -> None:
    assert shell(teller) == HEAD + "▸ run_shell  make <U+202E>all"
    assert text(teller.show(p.ToolOutput(K, "one\ntwo\n"))) == "  │ one\n  │ two"
    result = b.ToolResultBlock(K, "run_shell", "one\ntwo\n\nExit code 2.")
    assert said(teller, sealed(result, "b7", role=b.Role.TOOL)) == "  ↳ Exit code 2."


def test_what_was_not_heard_of_a_command_is_told_with_its_result(teller: TurnTeller) -> None:
    shell(teller)
    result = b.ToolResultBlock(K, "run_shell", "1\n2\n3\n4\n5\n\nExit code 0.")
    assert said(teller, sealed(result, "b7", role=b.Role.TOOL)) == (
        "  ↳ 1\n    2\n    3\n    … 2 more lines; .show b7 shows all\n    Exit code 0."
    )


def test_a_diff_stands_between_a_call_and_its_result(teller: TurnTeller) -> None:
    begun(teller)
    teller.root = "/p"
    call = b.ToolCallBlock(K, "write_file", '{"path": "x", "content": "1"}')
    shown = said(teller, sealed(call), t.ToolStarted(K, T, 0, "write_file"))
    assert shown == HEAD + "▸ write_file  x"
    change = d.FileChange("/p/x", d.ChangeKind.CREATED, None, "", "+1", 1)
    assert said(teller, d.FilesChanged(T, K, (change,))) == "  A x  +1\n  +1"
    result = b.ToolResultBlock(K, "write_file", "Created x")
    assert said(teller, sealed(result, role=b.Role.TOOL)) == "  ↳ Created x"


def test_a_call_that_a_rule_forbids_is_told_once_with_the_rule(teller: TurnTeller) -> None:
    begun(teller)
    said(teller, sealed(b.ToolCallBlock(K, "run_shell", '{"command": "git push"}')))
    judged = (Judged(Need(EXECUTE, "git push"), Verdict.DENY, "a rule (h:7)"),)
    assert said(teller, d.ToolRefused(K, T, "run_shell", judged)) == (
        f"{HEAD}▸ run_shell  git push\n"
        "  ✗ run_shell is not allowed: execute git push (a rule (h:7))"
    )
    result = b.ToolResultBlock(K, "run_shell", "Not run, because", is_error=True)
    assert said(teller, sealed(result, role=b.Role.TOOL)) == ""


def test_who_comes_while_an_agent_waits_is_told_what_for(teller: TurnTeller) -> None:
    asked = Approval(ApprovalId("a1"), (K,), "why", "run_shell", "$ make", agent="bot")
    view = Conversation(now=Talk(approvals=(asked,)))
    shown = text(teller.attach(view, None))
    assert shown.startswith("a1 · bot wants to use run_shell\n  $ make\n")
    assert shown.endswith(".reject a1 [TEXT] does not")
    silent = TurnTeller(Paint(), lambda _: False, tells_others=False)
    assert silent.attach(view, None) == []


def test_without_a_terminal_it_is_said_where_to_answer() -> None:
    piped = TurnTeller(Paint(), lambda cause: cause == MINE, tells_others=False)
    begun(piped)
    asked = t.ApprovalRequested(ApprovalId("a1"), T, (K,), "why")
    assert said(piped, asked).endswith("`hearth approve` answers it, in another terminal")
