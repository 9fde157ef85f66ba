"""What follows from an answer: only a report of the question's own kind answers it."""

from typing import TypeAlias, assert_never

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.diagnosing import fresh_places
from hearth.core.rules.state import Asking, Question
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.phases import Evaluating, Ready

Answer: TypeAlias = (
    r.CodeCompleted
    | r.CodeInspected
    | r.VariablesFound
    | r.MembersFound
    | r.SourcesTaken
    | r.ReplayEnded
)


def answered(then: Consequences, report: Answer | r.CodeChecked) -> None:
    """Answer whoever asked this; nobody, if it was not asked or is answered already."""
    question = open_question(then, report.question)
    if question is None:
        _unasked(then, report)
        return
    asking, answer = (
        _checked(then, question, report) if isinstance(report, r.CodeChecked) else _answer(report)
    )
    if question.asking is asking:
        then.happen_for(answer, question.cause, question.origin)


def _unasked(then: Consequences, report: Answer | r.CodeChecked) -> None:
    """Sources that a cell found saved are taken without a question, in the name of their files."""
    if not isinstance(report, r.SourcesTaken) or report.question:
        return
    if not isinstance(then.state.phase, Ready | Evaluating):
        return
    files = [*(one.file for one in report.reloaded), *(one.file for one in report.failed)]
    if files:
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        origin = Origin(Actor.FILE_WATCHER, files[0] + more, Door.WATCHER)
        _, taken = _answer(report)
        then.happen_for(taken, then.cause, origin)


def abandoned(then: Consequences, asked: InputId, reason: str) -> None:
    """Tell whoever asked this that no answer will come."""
    question = open_question(then, asked)
    if question is not None:
        then.happen_for(e.QuestionAbandoned(reason), question.cause, question.origin)


def open_question(then: Consequences, asked: InputId) -> Question | None:
    """The question of this id, while it is not answered."""
    return next((one for one in then.state.questions if one.cause == asked), None)


def _checked(
    then: Consequences, question: Question, report: r.CodeChecked
) -> tuple[Asking, e.Event]:
    found = report.diagnostics
    fresh = (
        tuple(range(len(found)))
        if question.full
        else fresh_places(then.state.known, question.origin, question.file, found)
    )
    return Asking.CHECK, e.DiagnosticsChecked(question.key, found, fresh)


def _answer(report: Answer) -> tuple[Asking, e.Event]:
    match report:
        case r.CodeCompleted():
            return Asking.COMPLETION, e.CompletionsReturned(report.items)
        case r.CodeInspected():
            return Asking.INSPECTION, e.InspectionReturned(report.inspection)
        case r.VariablesFound():
            return Asking.VARIABLES, e.VariablesReturned(report.variables, report.total)
        case r.MembersFound():
            return Asking.EXPLORATION, e.ExplorationReturned(report.exploration)
        case r.SourcesTaken():
            taken = e.SourcesReloaded(report.reloaded, report.failed, report.duration)
            return Asking.RELOAD, taken
        case r.ReplayEnded():
            replayed = e.SessionReplayed(
                ran=report.ran,
                skipped=report.skipped,
                partial=report.partial,
                failed=report.failed,
                differing=report.differing,
                missing=report.missing,
                problem=report.problem,
            )
            return Asking.REPLAY, replayed
        case _:
            assert_never(report)
