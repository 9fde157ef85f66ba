"""How the outcome of a cell or a question reads as the result of a tool."""

from typing import Final, NamedTuple, TypeAlias

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

NOTHING: Final = "(no output)"

Closed: TypeAlias = (
    e.CellFinished
    | e.CellFailed
    | e.CellCancelled
    | e.CellWithdrawn
    | e.DiagnosticsChecked
    | e.InspectionReturned
    | e.QuestionAbandoned
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
            shown = _outputs(event.outputs)
            return failure(_joined(shown, _failure(event.failure), _dropped(event.dropped)))
        case e.CellCancelled():
            return failure(_joined(_outputs(event.outputs), "The cell was cancelled."))
        case e.CellWithdrawn():
            return failure(f"Not run: {event.reason}.")
        case e.DiagnosticsChecked():
            return Rendered("\n".join(map(_finding, event.diagnostics)) or "No errors found.")
        case e.InspectionReturned():
            return Rendered(_inspected(event))
        case e.QuestionAbandoned():
            return failure(f"No answer: {event.reason}.")


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
