"""What happened to a session beside its cells, in a line for whoever reads its transcript."""

from typing import Final

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

_PLAIN: Final[dict[type[e.Event], str]] = {
    e.SessionStarted: "session started",
    e.SessionReset: "variables dropped",
    e.SessionHardReset: "interpreter replaced",
    e.SessionStopped: "session stopped",
    e.SessionReady: "interpreter ready",
    e.SessionFaulted: "interpreter lost",
}
_WHOSE: Final = {
    UndoFor.NOBODY: "no cells can be taken back from now on",
    UndoFor.AGENTS: "cells of agents can be taken back from now on",
    UndoFor.EVERYONE: "all cells can be taken back from now on",
}
_FORKS: Final = {
    ForkHow.COPY: "with a copy of the interpreter",
    ForkHow.REPLAY: "with the cells run again",
    ForkHow.NEW: "with a new interpreter",
}


def notice_of(event: e.Event) -> str:
    """What is said about it; empty: nothing."""
    match event:
        case e.SourcesReloaded():
            return _reloaded(event)
        case e.SessionReplayed():
            return _replayed(event)
        case e.SessionRenamed():
            return f"renamed to {event.name}"
        case e.UndoChosen():
            return _WHOSE[event.who]
        case e.CellsUndone():
            return f"took back {', '.join(event.cells)}"
        case e.CellsRedone():
            return f"brought back {', '.join(event.cells)}"
        case e.UndoFailed():
            return f"nothing was taken back: {event.why}"
        case e.SessionForked():
            return f"forked to {event.whom}, {_FORKS[event.how]}" + _more(event.notice)
        case e.ForkFailed():
            return f"no fork: {event.why}" + _more("; ".join(event.remedy))
        case e.SessionReturned():
            went = f"returned to {event.to}" if event.to else "took the last return back"
            return went + _more("; ".join(event.problems))
        case e.ReturnFailed():
            return f"did not return: {event.why}"
        case _:
            return _PLAIN.get(type(event), "")


def _more(text: str) -> str:
    return f" ({text})" if text else ""


def _reloaded(event: e.SourcesReloaded) -> str:
    taken = ", ".join(one.module for one in event.reloaded)
    kept = ", ".join(f"{one.file}:{one.line}: {one.message}" for one in event.failed)
    parts = (f"reloaded {taken}" if taken else "", f"kept the old version: {kept}" if kept else "")
    return "; ".join(part for part in parts if part) or "nothing to reload"


def _replayed(event: e.SessionReplayed) -> str:
    counts = {
        "run again": len(event.ran),
        "left out": len(event.skipped),
        "failed": len(event.failed),
        "different": len(event.differing),
        "missing": len(event.missing),
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"replayed: {said or 'nothing to run'}" + _more(event.problem)
