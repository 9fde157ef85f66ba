"""What follows from what a model, a tool or a search for a branch brings back."""

from typing import Final, assert_never

from msgspec.structs import replace

from hearth.core.rules.branching import decide_branch
from hearth.core.rules.calling import judge_call, start_calls, wire_id
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation import UNKNOWN_EFFECTS
from hearth.core.rules.conversation_state import (
    OVERFLOW,
    OpenTurn,
    TurnPhase,
)
from hearth.core.rules.permitted import judged
from hearth.core.rules.prefixing import prepared, prepares
from hearth.core.rules.prompted import end_cancelled
from hearth.core.rules.recording import NOT_STORED, stored
from hearth.core.rules.rendering import failure
from hearth.core.rules.results import give
from hearth.core.rules.retrying import pause
from hearth.core.rules.rewinding import rewound
from hearth.core.rules.settling import returned
from hearth.core.rules.summing_up import not_summed_up, summed_up
from hearth.core.rules.tooling import ARGUMENTS
from hearth.core.rules.turning import (
    ask_again,
    fail,
    finish,
    go_on,
    happen,
    notice,
    opened,
    seal,
    start_compaction,
)
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    NoticeKind,
    Role,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from hearth.core.vocabulary.ids import CallId, RequestId
from hearth.core.vocabulary.judging import (
    CallJudged,
    EndJobs,
    GrantStored,
    JudgeCall,
    ProjectRewound,
    RewindProject,
    StoreGrant,
)

_RESUMED: Final = (TurnPhase.RETRYING, TurnPhase.CALLING, TurnPhase.WAITING)
RESTARTED: Final = "the daemon was restarted"


def decide_agent_report(then: Consequences, report: m.AgentReport) -> None:
    """The consequences of a report. One that nobody waits for any more is ignored."""
    match report:
        case m.PrefixPrepared():
            if prepares(then, report.turn):
                prepared(then, report)
        case m.PrefixFailed():
            if prepares(then, report.turn):
                fail(then, report.why)
        case m.ModelAnswered():
            if _is_open(then, report.request):
                _answered(then, report)
        case m.SummaryMade():
            if _is_open(then, report.request):
                summed_up(then, report)
        case m.ModelFailed():
            if _is_open(then, report.request):
                _failed(then, report)
        case m.ModelStopped():
            if _is_open(then, report.request):
                _stopped(then, report.written)
        case m.AskDue():
            if _is_open(then, report.request, *_RESUMED):
                _due(then)
        case m.ToolReturned():
            returned(then, report)
        case m.BranchFound() | m.BranchMissing():
            decide_branch(then, report)
        case CallJudged():
            judged(then, report)
        case ProjectRewound():
            rewound(then, report)
        case GrantStored():
            stored(then, report)
        case _:
            assert_never(report)


def _is_open(then: Consequences, request: RequestId, *also: TurnPhase) -> bool:
    open_ = then.state.talk.open
    phases = {TurnPhase.ASKING, TurnPhase.COMPACTING, TurnPhase.STOPPING, *also}
    return open_ is not None and open_.request == request and open_.phase in phases


def _answered(then: Consequences, report: m.ModelAnswered) -> None:
    turn = opened(then)
    if turn.phase is TurnPhase.STOPPING:
        _stopped(then, report.written)
        return
    _write(then, report.written)
    model = then.state.talk.agent.name
    happen(
        then,
        t.StepFinished(
            turn=turn.turn,
            step=turn.step,
            request=report.request,
            model=model,
            stop=report.stop,
            usage=report.usage,
            wire=report.wire,
            duration=report.duration,
        ),
    )
    if opened(then).calls:
        start_calls(then)
        return
    match report.stop:
        case StopReason.PAUSE:
            go_on(then)
        case StopReason.REFUSAL:
            notice(then, NoticeKind.NOTICE, "the model refused to answer")
            finish(then, t.TurnEnd.REFUSED, "the model refused to answer")
        case StopReason.LENGTH:
            text = "the answer became too long and was cut off; continue_turn goes on with it"
            notice(then, NoticeKind.LIMIT, text)
            finish(then, t.TurnEnd.CUT_OFF, text)
        case StopReason.END | StopReason.TOOLS | StopReason.OTHER:
            finish(then, t.TurnEnd.DONE)
        case _:
            assert_never(report.stop)


def _write(then: Consequences, written: tuple[m.Written, ...], *, partial: bool = False) -> None:
    talk = then.state.talk
    for one in written:
        if one.name:
            call = CallId(f"k{then.state.talk.calls + 1}")
            named = wire_id(one.wire_id, call, then.state.session)
            seal(then, Role.ASSISTANT, ToolCallBlock(call, one.name, one.text, named))
        elif one.thinking:
            if one.text or one.native:
                thought = ThinkingBlock(one.text, one.native, talk.agent.name)
                seal(then, Role.ASSISTANT, thought, partial=partial)
        elif one.text:
            seal(then, Role.ASSISTANT, TextBlock(one.text), partial=partial)


def _stopped(then: Consequences, written: tuple[m.Written, ...]) -> None:
    """Nothing more comes. If nobody asked for that, the answer is asked for again."""
    turn = opened(then)
    if turn.phase is not TurnPhase.STOPPING:
        again = m.ModelFailed(
            turn.request or RequestId(""), m.Trouble.NETWORK, "the request was given up"
        )
        _failed(then, again)
        return
    if turn.asks_for == "answer":  # half a summary is nothing that was said
        _write(then, tuple(one for one in written if not one.name), partial=True)
    end_cancelled(then)


def _failed(then: Consequences, report: m.ModelFailed) -> None:
    talk, turn = then.state.talk, opened(then)
    if turn.phase is TurnPhase.STOPPING:
        end_cancelled(then)
        return
    if report.trouble is m.Trouble.OVERFLOW and turn.phase is TurnPhase.ASKING:
        if talk.limits.compaction and turn.shorter_at != turn.step:
            start_compaction(then, OVERFLOW)
        else:
            fail(then, f"the conversation is longer than the model can read: {report.message}")
        return
    delay = pause(report.trouble, turn.attempt, talk.limits.max_retries, report.retry_after)
    if delay is not None:
        _retry(then, turn, delay, report.message, report.status)
    elif turn.phase is TurnPhase.COMPACTING:
        not_summed_up(then, report.message, report.status)
    else:
        fail(then, report.message, report.status)


def _retry(
    then: Consequences, turn: OpenTurn, delay: float, why: str, status: int | None = None
) -> None:
    request = turn.request or RequestId("")
    happen(
        then,
        t.RetryScheduled(
            request=request,
            turn=turn.turn,
            step=turn.step,
            attempt=turn.attempt + 1,
            delay=delay,
            why=why,
            status=status,
        ),
    )
    then.do(m.WaitThenAsk(request, delay))


def _due(then: Consequences) -> None:
    """Time to ask again; or the daemon was restarted, and nobody else will bring this turn on."""
    turn = opened(then)
    match turn.phase:
        case TurnPhase.RETRYING:
            ask_again(then)
        case TurnPhase.COMPACTING if turn.retry_due is not None:
            ask_again(then)
        case TurnPhase.ASKING | TurnPhase.COMPACTING:
            # Not held against the provider: the attempt is not counted.
            uncounted = replace(turn, attempt=turn.attempt - 1)
            _retry(then, uncounted, 0.0, RESTARTED)
        case TurnPhase.STOPPING:
            end_cancelled(then)
        case TurnPhase.CALLING | TurnPhase.WAITING:
            _lost_tools(then)
        case TurnPhase.IDLE | TurnPhase.PREPARING:
            pass  # it waits for something else
        case _:
            assert_never(turn.phase)


def _lost_tools(then: Consequences) -> None:
    """The daemon ended while tools ran; those that are not the session's own are lost.

    What was not begun is judged again, unless a person is asked about it.
    """
    calls = opened(then).calls
    if all(call.is_done for call in calls):
        go_on(then)  # it waited for what is to stand before its next step
        return
    asked = {call for one in opened(then).approvals for call in one.calls}
    for call in calls:
        if call.is_done or call.call in asked or call.shares is not None:
            continue  # what shares a result gets it with the first
        if not call.is_started:
            judge_call(then, call)
        elif call.name not in ARGUMENTS:
            why = f"{UNKNOWN_EFFECTS}: {RESTARTED} while it ran"
            give(then, call.call, failure(why[0].upper() + why[1:]))


def of_failed(effect: m.AgentEffect, message: str) -> m.AgentReport | None:
    """The report that closes what waits for an effect that could not even be tried."""
    match effect:
        case m.PreparePrefix():
            return m.PrefixFailed(effect.turn, message)
        case m.AskModel():
            return m.ModelFailed(effect.request, m.Trouble.REJECTED, message)
        case m.StopAsking():
            return m.ModelStopped(effect.request)
        case m.WaitThenAsk():
            return m.AskDue(effect.request)
        case m.RunTool():
            return m.ToolReturned(effect.call, f"Not run: {message}", is_error=True)
        case m.FindBranch():
            return m.BranchMissing(effect.question, message)
        case JudgeCall():
            problem = f"Not run: it cannot be judged whether it may be: {message}"
            return CallJudged(effect.call, problem=problem)
        case RewindProject():
            return ProjectRewound(effect.question, problem=message)
        case StoreGrant():
            return GrantStored(effect.approval, f"{NOT_STORED}: {message}")
        case m.StopTool() | m.SpillResult() | EndJobs():
            return None  # nobody waits for it
        case _:
            assert_never(effect)
