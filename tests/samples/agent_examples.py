"""The examples of the words of conversations; see `examples`."""

from typing import Final

from hearth.core.vocabulary import blocks, lines, modelling, progress, prompting, turns
from hearth.core.vocabulary.commands import ForkPoint, SessionConfig, SessionMode
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    CellId,
    InputId,
    MessageId,
    RequestId,
    SessionId,
    TurnId,
)
from hearth.core.vocabulary.wire import Word

TURN = TurnId("t3")
CALL = CallId("k12")
REQUEST = RequestId("r9")
BLOCK = BlockId("b41")
MESSAGE = MessageId("m4")
APPROVAL = ApprovalId("a1")
QUESTION = InputId("0193a7c0-ask-1")
LONG = Blob(
    sha256="2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    size=70_000,
    media_type="text/markdown",
    head="hello",
)
FORKED = SessionConfig(
    directory="/home/ada/engine",
    name="engine",
    projects=("engine",),
    interpreter="python",
    mode=SessionMode.BARE,
    forked_from=ForkPoint(SessionId("session-d4e5f6"), BlockId("b17")),
)
LINE = lines.Line(
    segments=(lines.Segment(7, 17, SessionId("session-d4e5f6")), lines.Segment(5, 30)),
    since=33,
    leaf=BLOCK,
    prompt=BlockId("b34"),
)
CHOICE = lines.ModelChoice(
    provider="anthropic",
    model="claude-sonnet-5",
    dialect=lines.Dialect.ANTHROPIC,
    window=200_000,
    max_output=64_000,
    effort=prompting.Effort.HIGH,
)
LIMITS = lines.TurnLimits(
    max_steps=50,
    max_retries=3,
    compaction=False,
    reserve_tokens=8_000,
    keep_recent_tokens=10_000,
    result_chars=5_000,
    spill_folder="/home/ada/.local/share/hearth/spilled",
    nudge_interval=10,
)
INSTRUCTION = lines.Instruction(
    path="AGENTS.md",
    sha256="2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    size=40_000,
    truncated=True,
)
PREFIX = lines.Prefix(
    system="You share a live interpreter.",
    tools='[{"name":"run_code"}]',
    read_only=("inspect",),
    digest="2cf24dba5fb0a30e",
    instructions=(INSTRUCTION,),
)
USAGE = blocks.Usage(fresh=12, cache_read=4_096, cache_write=310, output=88)
NOTE = blocks.WireNote(size=20_480, shared=19_900, differs_at="b17", why="edit")
CALLED = blocks.ToolCallBlock(
    call=CALL, name="run_code", arguments='{"code":"1 + 1"}', wire_id="toolu_01A09q90qw90lq9"
)
SEALED = turns.BlockSealed(
    block=BLOCK,
    turn=TURN,
    step=2,
    role=blocks.Role.ASSISTANT,
    content=CALLED,
    parent=BlockId("b40"),
    replaces=BlockId("b17"),
    partial=True,
)
WRITTEN = modelling.Written(
    text="Let me see.",
    thinking=True,
    native='{"type":"thinking","thinking":"Let me see.","signature":"c2lnbmVk"}',
    name="run_code",
    wire_id="toolu_01A09q90qw90lq9",
)

AGENT_WORDS: Final[tuple[Word, ...]] = (
    # commands
    prompting.SendMessage(text="Plot the wheels.", model="openai:gpt-5", if_busy="refuse"),
    prompting.WithdrawMessage(message=MESSAGE),
    prompting.CancelTurn(turn=TURN),
    prompting.SetModel(model="claude-sonnet-5", effort=prompting.Effort.LOW),
    prompting.SetServers(servers=("docs", "github")),
    prompting.RegenerateTurn(model="claude-opus-5"),
    prompting.ContinueTurn(),
    prompting.CompactConversation(focus="the wheels"),
    prompting.SwitchBranch(to=BLOCK),
    prompting.EditMessage(block=BLOCK, text="Plot the cogs.", rest="keep"),
    prompting.AnswerApproval(
        approval=APPROVAL, answer=prompting.ApprovalAnswer.REJECT, text="Try another way."
    ),
    # events
    turns.MessageQueued(message=MESSAGE, text=LONG, model="openai:gpt-5"),
    turns.MessageDelivered(message=MESSAGE, turn=TURN, block=BLOCK),
    turns.MessageWithdrawn(message=MESSAGE, reason="taken back"),
    turns.TurnStarted(turn=TURN, model="openai:gpt-5", purpose="summary"),
    turns.PrefixStarted(
        epoch=2,
        reason="compaction",
        model="anthropic:claude-sonnet-5",
        system=LONG,
        tools='[{"name":"run_code"}]',
        read_only=("inspect",),
        digest="2cf24dba5fb0a30e",
        instructions=(INSTRUCTION,),
    ),
    turns.TurnPrepared(turn=TURN, choice=CHOICE, limits=LIMITS),
    turns.ModelAsked(request=REQUEST, turn=TURN, step=2, attempt=2, purpose="summary"),
    turns.RetryScheduled(
        request=REQUEST, turn=TURN, step=2, attempt=2, delay=1.5, why="overloaded", status=529
    ),
    SEALED,
    turns.StepFinished(
        turn=TURN,
        step=2,
        request=REQUEST,
        model="anthropic:claude-sonnet-5",
        stop=blocks.StopReason.TOOLS,
        usage=USAGE,
        wire=NOTE,
        duration=3.25,
    ),
    turns.ToolStarted(
        call=CALL, turn=TURN, step=2, name="run_code", cell=CellId("c7"), shares=CallId("k11")
    ),
    turns.ApprovalRequested(
        approval=APPROVAL, turn=TURN, calls=(CALL,), why="the same call three times in a row"
    ),
    turns.ApprovalAnswered(
        approval=APPROVAL, answer=prompting.ApprovalAnswer.ONCE, text="Go ahead."
    ),
    turns.TurnCancelRequested(turn=TURN),
    turns.TurnFinished(
        turn=TURN, end=turns.TurnEnd.FAILED, steps=3, usage=USAGE, why="no key for anthropic"
    ),
    turns.ModelChanged(model="claude-sonnet-5", effort=prompting.Effort.LOW),
    turns.ServersChosen(servers=("docs", "github")),
    turns.BranchRequested(to=BLOCK),
    turns.EditRequested(block=BLOCK, text=LONG, rest="keep"),
    turns.BranchSwitched(
        line=LINE, reason="edit", model="claude-sonnet-5", effort=prompting.Effort.LOW
    ),
    turns.LookupFailed(block=BLOCK, why="there is no such block"),
    turns.ConversationForked(
        source=SessionId("session-d4e5f6"),
        block=BlockId("b17"),
        line=LINE,
        model="claude-sonnet-5",
        effort=prompting.Effort.LOW,
    ),
    turns.CompactionStarted(turn=TURN, reason="someone asked for it", focus="the wheels"),
    turns.ConversationCompacted(
        turn=TURN,
        block=BLOCK,
        summary=LONG,
        keeps=BlockId("b34"),
        line=LINE,
        files=("engine/wheels.py",),
        tokens_before=180_000,
        usage=USAGE,
        notes=('{"text":"Wheels are round."}',),
    ),
    turns.CompactionFailed(turn=TURN, why="overloaded"),
    # blocks
    blocks.TextBlock(text=LONG),
    blocks.ThinkingBlock(
        text="Let me see.",
        native='{"type":"thinking","thinking":"Let me see.","signature":"c2lnbmVk"}',
        model="anthropic:claude-sonnet-5",
    ),
    CALLED,
    blocks.ToolResultBlock(
        call=CALL,
        name="run_code",
        result=LONG,
        is_error=True,
        spilled="/home/ada/.local/share/hearth/spilled/session-a1b2c3/k12.txt",
        files=("engine/wheels.py",),
    ),
    blocks.ErrorBlock(message="overloaded", status=529),
    blocks.NoticeBlock(kind=blocks.NoticeKind.CANCELLED, text="cancelled"),
    # progress
    progress.TextDelta(turn=TURN, step=2, place=1, offset=4, text="wheel"),
    progress.ThinkingDelta(turn=TURN, step=2, place=0, offset=0, text="Let me"),
    progress.ToolCallForming(turn=TURN, step=2, place=2, name="run_code"),
    progress.ToolOutput(call=CALL, text="halfway\n"),
    # effects
    modelling.PreparePrefix(
        turn=TURN,
        config=FORKED,
        model="claude-sonnet-5",
        effort=prompting.Effort.LOW,
        with_names=True,
    ),
    modelling.AskModel(
        request=REQUEST,
        turn=TURN,
        step=2,
        choice=CHOICE,
        prefix=36,
        line=LINE,
        through=41,
        purpose="summary",
        keep_recent_tokens=10_000,
        focus="the wheels",
    ),
    modelling.StopAsking(request=REQUEST),
    modelling.WaitThenAsk(request=REQUEST, delay=1.5),
    modelling.RunTool(
        call=CALL,
        name="add_knowledge",
        arguments=LONG,
        config=FORKED,
        result_chars=5_000,
        spill_folder="/home/ada/.local/share/hearth/spilled",
    ),
    modelling.StopTool(call=CALL),
    modelling.SpillResult(
        path="/home/ada/.local/share/hearth/spilled/session-a1b2c3/k12.txt", text=LONG
    ),
    modelling.FindBranch(
        question=QUESTION,
        block=BLOCK,
        line=LINE,
        through=41,
        source=SessionId("session-d4e5f6"),
    ),
    # reports
    modelling.PrefixPrepared(
        turn=TURN, choice=CHOICE, prefix=PREFIX, limits=LIMITS, warnings=("AGENTS.md is long",)
    ),
    modelling.PrefixFailed(turn=TURN, why="no provider is called nobody"),
    modelling.ModelAnswered(
        request=REQUEST,
        written=(WRITTEN,),
        stop=blocks.StopReason.TOOLS,
        usage=USAGE,
        wire=NOTE,
        duration=3.25,
    ),
    modelling.SummaryMade(
        request=REQUEST,
        summary="We plotted wheels.",
        keeps=BlockId("b34"),
        usage=USAGE,
        notes=('{"text":"Wheels are round."}',),
    ),
    modelling.ModelFailed(
        request=REQUEST,
        trouble=modelling.Trouble.OVERLOADED,
        message="overloaded",
        status=529,
        retry_after=2.5,
    ),
    modelling.ModelStopped(request=REQUEST, written=(WRITTEN,)),
    modelling.AskDue(request=REQUEST),
    modelling.ToolReturned(
        call=CALL,
        result=LONG,
        is_error=True,
        spilled="/home/ada/.local/share/hearth/spilled/session-a1b2c3/k12.txt",
        files=("engine/wheels.py",),
    ),
    modelling.BranchFound(
        question=QUESTION,
        sealed=SEALED,
        line=LINE,
        before=LINE,
        after=(lines.Segment(42, 50),),
        model="claude-sonnet-5",
        effort=prompting.Effort.LOW,
    ),
    modelling.BranchMissing(question=QUESTION, why="there is no such block"),
)
