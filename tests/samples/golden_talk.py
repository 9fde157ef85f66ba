"""The conversation in the life that is written down: everything that can happen to one, happens."""

from typing import Final

from tests.samples.agent_examples import (
    CHOICE,
    FORKED,
    LIMITS,
    LINE,
    PREFIX,
    USAGE,
    WRITTEN,
)

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.blocks import Role, StopReason, TextBlock
from hearth.core.vocabulary.deeds import ChangeKind, FileChange, PathChange
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
from hearth.core.vocabulary.judging import CallJudged, GrantStored, ProjectRewound
from hearth.core.vocabulary.permitting import Judged, Kept, Need, Verdict
from hearth.core.vocabulary.turns import BlockSealed

TALK: Final = SessionId("session-e7f8a9")
AGAIN: Final = m.Written(text='{"code":"1 + 1"}', name="run_code", wire_id="toolu_01A09q90qw90lq9")
DONE: Final = m.Written(text="It is 2.")
PLAN: Final = m.Written(text='{"op":"add","title":"plot the wheels"}', name="tasks")
WRITE: Final = m.Written(text='{"path":"plots/wheels.svg","content":""}', name="write_file")
NEED: Final = Need("write", "plots/wheels.svg", pattern="plots/wheels.svg")
KEPT: Final = Kept("/home/ada/engine", "9daeafb9864cf43055ae93beb0afd6c7d144bfa4")
CHANGE: Final = FileChange("/home/ada/engine/plots/wheels.svg", ChangeKind.CREATED)
BACK: Final = PathChange("plots/wheels.svg", ChangeKind.DELETED)
SAID: Final = BlockSealed(
    block=BlockId("b8"),
    turn=TurnId("t1"),
    step=0,
    role=Role.USER,
    content=TextBlock("Plot the wheels."),
)


def words(first: int) -> tuple[c.Command | r.Report, ...]:
    """What was asked and told; the first of it has the id `i<first>`."""

    def prepared(turn: int) -> m.PrefixPrepared:
        return m.PrefixPrepared(TurnId(f"t{turn}"), CHOICE, PREFIX, LIMITS, ("a warning",))

    def called(request: int) -> m.ModelAnswered:
        return m.ModelAnswered(RequestId(f"r{request}"), (AGAIN,), StopReason.TOOLS, USAGE)

    def ended(cell: int) -> r.CellEnded:
        return r.CellEnded(1, CellId(f"c{cell}"), r.Succeeded("2", "int"), 0.01)

    def judged(call: int, *verdicts: Judged) -> CallJudged:
        return CallJudged(CallId(f"k{call}"), verdicts, KEPT)

    found = m.BranchFound(InputId(f"i{first}"), SAID, LINE, LINE)
    script: list[c.Command | r.Report] = [
        c.CreateSession(FORKED),
        r.WorkerReady(1, 0.1),
        found,
        p.SetModel("claude-sonnet-5", p.Effort.HIGH),
        p.SetServers(("docs",)),
        p.SendMessage("Plot the wheels."),
        prepared(1),
        m.ModelFailed(RequestId("r1"), m.Trouble.OVERLOADED, "overloaded", 529),
        m.AskDue(RequestId("r1")),
        m.ModelAnswered(RequestId("r2"), (WRITTEN, AGAIN), StopReason.TOOLS, USAGE),
        p.SendMessage("Hurry."),
        p.SendMessage("Never mind."),
        p.WithdrawMessage(MessageId("m2")),
        judged(2),
        ended(1),
        called(3),
        judged(3),
        ended(2),
        called(4),
        judged(4),
        ended(3),
        called(5),
        p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.ONCE),
        judged(5),
        ended(4),
        m.ModelAnswered(RequestId("r6"), (PLAN, WRITE, WRITE), StopReason.TOOLS, USAGE),
        judged(7, Judged(NEED, Verdict.ASK, "usual")),
        judged(8, Judged(NEED, Verdict.DENY, "a rule")),
        p.AnswerApproval(ApprovalId("a2"), p.ApprovalAnswer.ALWAYS, patterns=("plots/wheels.svg",)),
        GrantStored(ApprovalId("a2")),
        judged(7, Judged(NEED, Verdict.ASK, "usual")),
        m.ToolReturned(CallId("k7"), "Written.", changes=(CHANGE,)),
        m.ModelAnswered(RequestId("r7"), (DONE,), StopReason.END, USAGE),
        p.CompactConversation("the wheels"),
        prepared(2),
        m.SummaryMade(RequestId("r8"), "We plotted wheels.", BlockId(""), USAGE),
        p.CompactConversation(),
        prepared(3),
        m.ModelFailed(RequestId("r9"), m.Trouble.REJECTED, "no", 400),
    ]
    number = first + len(script)
    script += [
        p.SwitchBranch(BlockId("b8")),
        m.BranchFound(InputId(f"i{number}"), SAID, LINE, LINE),
        p.EditMessage(BlockId("b8"), "Plot the cogs."),
        m.BranchFound(InputId(f"i{number + 2}"), SAID, LINE, LINE),
        p.SwitchBranch(BlockId("b9")),
        m.BranchMissing(InputId(f"i{number + 4}"), "there is no such block"),
        p.RewindFiles("b8", preview=True),
        ProjectRewound(InputId(f"i{number + 6}"), (BACK,), KEPT),
        p.RewindFiles("b8"),
        ProjectRewound(InputId(f"i{number + 8}"), (BACK,), KEPT, KEPT),
        p.RewindFiles(),
        ProjectRewound(InputId(f"i{number + 10}"), problem="the disk is full"),
        p.RegenerateTurn(),
        p.CancelTurn(),
    ]
    return tuple(script)
