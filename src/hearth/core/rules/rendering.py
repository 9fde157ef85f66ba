"""How the outcome of a cell or a question reads as the result of a tool."""

from typing import Final, NamedTuple, TypeAlias

from hearth.core.rules.undo_state import NONE_WANTED
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Diagnostic, Outputs, RichData, StreamText, Text
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
    WarmUpFailed,
    WorkerCrashed,
)
from hearth.core.vocabulary.undoing import VariantResult

NOTHING: Final = "(no output)"
UNDONE: Final = "All that it did to the interpreter was taken back."
NOT_UNDONE: Final = "It could not be taken back: what it did until then is still there."
NOT_UNDOABLE: Final = "It cannot be taken back by undo_code: {}."
ONLY_NAMES: Final = "The names of the interpreter are what they were before; files are not."
TO_KEEP: Final = (
    "Nothing is kept yet: the interpreter is as it was. Call keep_variant with the number of the "
    "one to keep, or with 0; whatever else is run drops them all."
)
NONE_LEFT: Final = (
    "None of them can be kept: their interpreters are gone. The session's own is as it was."
)

Closed: TypeAlias = (
    e.CellFinished
    | e.CellFailed
    | e.CellCancelled
    | e.CellWithdrawn
    | e.DiagnosticsChecked
    | e.InspectionReturned
    | e.QuestionAbandoned
    | e.TrialEnded
    | e.VariantsDropped
    | e.CellsUndone
    | e.UndoFailed
    | e.SessionReady
    | e.SessionFaulted
    | e.SessionWarmUpAbandoned
)


class Rendered(NamedTuple):
    """A result as text."""

    text: str
    is_error: bool = False
    spilled: str = ""
    """The file that holds the whole of it, if this is only its head and tail."""
    files: tuple[str, ...] = ()
    """What was read or changed."""
    pictures: tuple[Blob, ...] = ()


def failure(text: str) -> Rendered:
    """A result that says what went wrong."""
    return Rendered(text, is_error=True)


def rendered(event: Closed) -> Rendered:
    """What a model is told of how its cell or question ended."""
    match event:
        case e.CellFinished():
            value = f"Out: {_text(event.value)}" if event.value else ""
            return Rendered(_joined(_outputs(event.outputs), value, _dropped(event.dropped)))
        case e.CellFailed():
            shown, why = _outputs(event.outputs), _failure(event.failure)
            undone = UNDONE if event.undone else ""
            return failure(_joined(shown, why, _dropped(event.dropped), undone))
        case e.CellCancelled():
            undone = UNDONE if event.undone else ""
            return failure(_joined(_outputs(event.outputs), "The cell was cancelled.", undone))
        case e.CellWithdrawn():
            return failure(f"Not run: {event.reason}.")
        case e.DiagnosticsChecked():
            return Rendered("\n".join(map(_finding, event.diagnostics)) or "No errors found.")
        case e.InspectionReturned():
            return Rendered(_inspected(event))
        case e.QuestionAbandoned():
            return failure(f"No answer: {event.reason}.")
        case e.TrialEnded():
            return _tried(event)
        case e.VariantsDropped():
            return _none_kept(event)
        case e.CellsUndone():
            return Rendered(f"Taken back: {', '.join(event.cells)}. {ONLY_NAMES}")
        case e.UndoFailed():
            return failure(f"Nothing was taken back: {event.why}.")
        case e.SessionReady():
            return Rendered("The variant is kept: its names are those of the session now.")
        case e.SessionFaulted():
            return failure(_failure(event.failure))
        case e.SessionWarmUpAbandoned():
            return failure(f"Not done: {event.reason}.")


def _none_kept(event: e.VariantsDropped) -> Rendered:
    as_it_was = "The interpreter is as it was before the trial."
    if event.reason == NONE_WANTED:
        return Rendered(f"No variant is kept. {as_it_was}")
    return failure(f"No variant is kept: {event.reason}. {as_it_was}")


def _tried(event: e.TrialEnded) -> Rendered:
    if event.problem:
        return failure(f"Nothing was tried: {event.problem}")
    shown = (_variant(number, one) for number, one in enumerate(event.results, 1))
    last = NONE_LEFT if all(one.is_gone for one in event.results) else TO_KEEP
    return Rendered("\n\n".join((*shown, last)))


def _variant(number: int, result: VariantResult) -> str:
    value = f"Out: {_text(result.value)}" if result.value else ""
    how = "ran" if result.is_ok else "was stopped" if result.stopped else "failed"
    head = f"Variant {number} {how}, in {result.duration:.3g} s"
    names = f"It bound: {', '.join(result.names)}" if result.names else ""
    why = _failure(result.failure) if result.failure is not None else ""
    shown = (_outputs(result.outputs), value, why, names, _dropped(result.dropped))
    return "\n".join((head, *(part for part in shown if part)))


def shortened(text: str, most: int, where: str) -> str:
    """Head and tail of a text that is too long, with the hint where the whole of it is."""
    if len(text) <= most:
        return text
    hint = f"\n… {len(text) - most} characters are left out here; the whole is {where} …\n"
    tail = most // 4
    return text[: most - tail] + hint + text[len(text) - tail :]


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part) or NOTHING


def _text(text: Text) -> str:
    return f"{text.head}…" if isinstance(text, Blob) else text


def _outputs(outputs: Outputs) -> str:
    if isinstance(outputs, Blob):
        return f"({outputs.size} bytes of output)"
    return "\n".join(shown for one in outputs if (shown := _output(one)))


def _output(output: StreamText | RichData) -> str:
    if isinstance(output, StreamText):
        text = _text(output.text).rstrip("\n")
        return f"[stderr]\n{text}" if output.stream == "stderr" and text else text
    kinds = [kind for kind in output.bundle if kind != "text/plain"]
    plain = "" if output.is_result else _text(output.bundle.get("text/plain", ""))
    shown = f"[shown to people: {', '.join(kinds)}]" if kinds else ""
    return "\n".join(part for part in (plain, shown) if part)


def _dropped(dropped: int) -> str:
    return f"({dropped} bytes of output were too many to be kept.)" if dropped else ""


def _failure(failure: Failure) -> str:
    match failure:
        case CodeRaised():
            return _text(failure.traceback) or f"{failure.name}: {_text(failure.message)}"
        case TimedOut():
            return f"Stopped: it ran longer than {failure.limit:g} seconds."
        case Interrupted():
            return f"Interrupted, effects unknown: {failure.message}"
        case WorkerCrashed() | WarmUpFailed():
            return (
                f"Interrupted, effects unknown: the interpreter was lost with all its names "
                f"({_text(failure.message)})."
            )
        case ProjectNotFound():
            return f"The project {failure.path} is not there."
        case CheckFailed():
            return "\n".join(map(_finding, failure.diagnostics))


def _finding(one: Diagnostic) -> str:
    rule = f" [{one.rule}]" if one.rule else ""
    return f"{one.start_line}:{one.start_column + 1}: {one.severity}: {one.message}{rule}"


def _inspected(event: e.InspectionReturned) -> str:
    found = event.inspection
    if not found.found:
        return "There is no such name."
    place = f"{found.file}:{found.line}" if found.file else ""
    head = " ".join(part for part in (found.name, found.kind, found.value_type) if part)
    return _joined(head, found.signature, found.value, found.doc, place)
