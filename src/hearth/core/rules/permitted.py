"""What follows from what rules and people say to a call: it is run, refused, or asked for."""

from typing import Final

import msgspec

from hearth.core.rules.calling import judge_call, judge_calls, start_call
from hearth.core.rules.cell_asking import tell_code
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import OpenCall, TurnPhase
from hearth.core.rules.doing import need_key, said
from hearth.core.rules.granting import offers_of
from hearth.core.rules.in_order import is_behind
from hearth.core.rules.permission import covers
from hearth.core.rules.recording import storing
from hearth.core.rules.rendering import failure
from hearth.core.rules.results import give
from hearth.core.rules.tooling import RUN_CODE, TRY_CODE
from hearth.core.rules.turning import happen, notice, opened, wait_for_agent
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeKind
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.deeds import FilesKept, ToolRefused
from hearth.core.vocabulary.ids import ApprovalId, CallId
from hearth.core.vocabulary.judging import CallJudged
from hearth.core.vocabulary.permitting import Judged, Verdict

LONGEST_BY: Final = 300


def judged(then: Consequences, report: CallJudged) -> None:
    """The rules were asked about a call.

    One that runs already, or that a person is asked about, is not touched: it was judged twice.
    """
    call = _waiting(then, report.call)
    if call is None:
        return
    if report.notice:
        notice(then, NoticeKind.NOTICE, report.notice)
    if report.problem:
        give(then, call.call, failure(report.problem))
        return
    denied = tuple(one for one in report.judged if one.verdict is Verdict.DENY)
    if denied:
        happen(then, ToolRefused(call.call, opened(then).turn, call.name, denied))
        text = f"Not run, because it is not allowed: {said(denied, by=True)}."
        give(then, call.call, failure(text))
        return
    asked = tuple(one for one in report.judged if _is_asked(then, call, one))
    if asked:
        _ask(then, call, asked)
    elif is_behind(opened(then).calls, call.call, then.state.talk.read_only):
        pass  # it is judged again as soon as those before it are done
    elif report.keep:
        _start(then, call, report)
    elif any(one.verdict is Verdict.ASK for one in report.judged):
        judge_call(then, call)  # a person allowed it meanwhile: now its files are kept
    # Otherwise those before it are done by now: it is being judged, and its files kept.


def _waiting(then: Consequences, name: CallId) -> OpenCall | None:
    """The call, if all that it waits for is to be judged."""
    turn = then.state.talk.open
    if turn is None or turn.phase not in {TurnPhase.CALLING, TurnPhase.WAITING}:
        return None
    if any(name in one.calls for one in turn.approvals):
        return None
    open_ = (one for one in turn.calls if not one.is_started and not one.is_done)
    return next((one for one in open_ if one.call == name), None)


def _is_asked(then: Consequences, call: OpenCall, one: Judged) -> bool:
    """Whether a person must be asked about it, who has not been."""
    if one.verdict is not Verdict.ASK or need_key(one.need) in call.granted:
        return False
    return not covers(then.state.talk.grants, one.need)


def _start(then: Consequences, call: OpenCall, report: CallJudged) -> None:
    needs = tuple(one.need for one in report.judged)
    by = "; ".join(dict.fromkeys(_by(call, one) for one in report.judged))
    if report.kept is not None:
        happen(then, FilesKept(opened(then).turn, call.call, report.kept))
    by = by if len(by) <= LONGEST_BY else f"{by[: LONGEST_BY - 1]}…"
    start_call(then, call, needs, by, report.arguments)


def _by(call: OpenCall, one: Judged) -> str:
    if one.verdict is not Verdict.ASK:
        return one.by
    granted = need_key(one.need) in call.granted
    return "a person allowed it" if granted else "a person allowed it for this session"


def _ask(then: Consequences, call: OpenCall, asked: tuple[Judged, ...]) -> None:
    approval = ApprovalId(f"a{then.state.talk.approvals + 1}")
    happen(
        then,
        t.ApprovalRequested(
            approval=approval,
            turn=opened(then).turn,
            calls=(call.call,),
            why=said(asked),
            name=call.name,
            details=_details(call),
            judged=asked,
            offers=offers_of(asked),
        ),
    )


def _details(call: OpenCall) -> Text:
    """What a person must see of a call: the command or the code, and all else that it is given.

    The rest stands before it, where nothing that a command says can be taken for it.
    """
    said = call.arguments
    if isinstance(said, Blob):
        return said
    try:
        arguments = msgspec.json.decode(said or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return said
    if call.name == TRY_CODE and isinstance(arguments, dict):
        return _variants(said, arguments)
    key, sign = ("code", "") if call.name == RUN_CODE else ("command", "$ ")
    if not isinstance(arguments, dict) or not isinstance(main := arguments.pop(key, None), str):
        return said
    rest = f"{msgspec.json.encode(arguments).decode()}\n" if arguments else ""
    return f"{rest}{sign}{main}"


def _variants(said: str, arguments: dict[str, object]) -> str:
    """All that would be run side by side, one below the other."""
    variants = arguments.pop("variants", None)
    if not isinstance(variants, list) or not all(isinstance(one, str) for one in variants):
        return said
    rest = f"{msgspec.json.encode(arguments).decode()}\n" if arguments else ""
    shown = (f"# variant {number}\n{one}" for number, one in enumerate(variants, 1))
    return rest + "\n\n".join(shown)


def answer_approval(then: Consequences, command: p.AnswerApproval) -> None:
    """A person answered. Whoever says no says it to all that is asked in this session."""
    turn = opened(then)
    asked = next(one for one in turn.approvals if one.approval == command.approval)
    others = tuple(one for one in turn.approvals if one is not asked)
    answer = command.answer
    if answer is p.ApprovalAnswer.REJECT:
        then.happen(t.ApprovalAnswered(asked.approval, answer, command.text))
        for one in others:
            said = t.ApprovalAnswered(one.approval, answer, because=asked.approval)
            then.happen(said)
        text = f" They say: {command.text}" if command.text else ""
        for one in (asked, *others):
            if one.inside:
                tell_code(then, one.inside, allowed=False, why=f"the person said no.{text}")
                continue
            for call in one.calls:
                give(then, call, failure(f"Not run: the person said no.{text}"))
        return
    lasts = answer in {p.ApprovalAnswer.SESSION, p.ApprovalAnswer.ALWAYS}
    grants = asked.offers if lasts else ()
    then.happen(t.ApprovalAnswered(asked.approval, answer, command.text, grants))
    if command.text:
        # The call has a result of its own; what a person says is a message of theirs.
        wait_for_agent(then, command.text)
    if answer is p.ApprovalAnswer.ALWAYS:
        then.do(storing(opened(then).unrecorded[-1], then.state.config))
    free = [asked]
    for one in others:
        if one.judged and all(covers(grants, each.need) for each in one.judged):
            once = p.ApprovalAnswer.ONCE
            then.happen(t.ApprovalAnswered(one.approval, once, because=asked.approval))
            free.append(one)
    if not asked.judged:
        judge_calls(then)
        return
    for one in free:
        if one.inside:
            tell_code(then, one.inside, allowed=True)
    calls = {call for one in free if not one.inside for call in one.calls}
    for open_ in opened(then).calls:
        if open_.call in calls and not open_.is_done:
            judge_call(then, open_)
