"""What follows from an answer: only a report of the question's own kind answers it."""

from typing import TypeAlias, assert_never

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.diagnosing import fresh_places
from hearth.core.rules.state import Asking, Question
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import InputId

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
        return
    asking, answer = (
        _checked(then, question, report) if isinstance(report, r.CodeChecked) else _answer(report)
    )
    if question.asking is asking:
        then.happen_for(answer, question.cause, question.origin)


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
