"""What happens to the session itself, in one line each."""

from hearth.clients.repl.failing import failed
from hearth.clients.repl.painting import Paint, author, seconds
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.undo_noticing import undo_noticed
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.phases import Rung
from hearth.core.vocabulary.undoing import UndoEvent

_RUNGS: dict[Rung, str] = {
    Rung.INTERRUPT: "it was interrupted",
    Rung.CANCEL_AGAIN: "its tasks are cancelled",
    Rung.DOUBLE_TAP: "it was interrupted once more",
    Rung.ABANDON: "it is left behind in a thread",
    Rung.KILL: "its interpreter is killed; all names are lost",
}


def noticed(  # noqa: C901, PLR0911, PLR0912 - one case for each kind of event
    envelope: Envelope, paint: Paint, *, is_mine: bool
) -> str:
    """The line for an event that is not about a cell's output; empty if it needs none."""
    event, who = envelope.event, author(envelope.origin)
    match event:
        case e.SessionFaulted():
            return f"{failed(event.failure, paint)}\n  .hard-reset starts another interpreter"
        case e.RestartScheduled():
            return paint.dim(f"another interpreter is started in {seconds(event.delay)}")
        case e.SessionReset():
            return _done("the variables are gone", who, paint, is_mine=is_mine)
        case e.SessionHardReset():
            return _done("the interpreter is replaced", who, paint, is_mine=is_mine)
        case e.SessionStopped():
            return _done("the session is stopped; .hard-reset brings it back", who, paint)
        case e.SessionRenamed():
            name = clean(event.name, colour=False)
            return _done(f"the session is called {name} now", who, paint, is_mine=is_mine)
        case e.SourcesReloaded() if event.reloaded or event.failed:
            return _reloaded(event, paint)
        case e.EnvironmentChanged() if event.stale:
            return paint.dim(f"{event.stale} earlier results no longer hold")
        case e.CellStopTried():
            return paint.warning(f"stopping {event.cell}: {_RUNGS[event.rung]}")
        case e.CellWithdrawn():
            return paint.dim(f"{event.cell} was not run: {clean(event.reason, colour=False)}")
        case e.CellCancelRequested() if not is_mine:
            return paint.dim(f"{who} asks {event.cell} to stop")
        case e.ReplayStarted() if not is_mine:
            return paint.dim(f"{who} replays the cells of {clean(event.source, colour=False)}")
        case e.SessionReplayed():
            return _replayed(event, paint)
        case e.SessionWarmUpCompleted():
            return _warmed_up(event, paint)
        case _ if isinstance(event, UndoEvent):
            return undo_noticed(event, envelope, paint, is_mine=is_mine)
        case _:
            return ""


def noticed_live(progress: p.StoreWarning | p.SessionResumed, paint: Paint) -> str:
    """The line for something that is shown and never stored."""
    match progress:
        case p.StoreWarning():
            said = clean(progress.message, colour=False)
            return paint.warning(said)
        case p.SessionResumed(adopted=True):
            return paint.dim("the daemon was started again; the interpreter lived on")
        case p.SessionResumed():
            return paint.warning(
                "the daemon was started again, with a new interpreter: .replay brings names back"
            )


def _done(what: str, who: str, paint: Paint, *, is_mine: bool = False) -> str:
    return paint.dim(what if is_mine else f"{what} ({who})")


def _warmed_up(event: e.SessionWarmUpCompleted, paint: Paint) -> str:
    found = event.surroundings
    troubles = [*event.errors, *(found.notices if found is not None else ())]
    lines = [paint.warning(clean(one, colour=False)) for one in troubles]
    if found is not None and found.version:
        said = clean(f"{found.language.capitalize() or 'Python'} {found.version}", colour=False)
        lines.append(paint.dim(f"{said} is ready"))
    return "\n".join(lines)


def _reloaded(event: e.SourcesReloaded, paint: Paint) -> str:
    taken = ", ".join(clean(one.module, colour=False) for one in event.reloaded)
    lines = [paint.dim(f"reloaded {taken}")] if taken else []
    lines += [
        paint.warning(
            clean(f"kept the old version of {one.file}:{one.line}: {one.message}", colour=False)
        )
        for one in event.failed
    ]
    return "\n".join(lines)


def _replayed(event: e.SessionReplayed, paint: Paint) -> str:
    counts = {
        "run again": len(event.ran),
        "left out": len(event.skipped),
        "failed": len(event.failed),
        "different": len(event.differing),
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    lines = [paint.dim(f"replayed: {said or 'nothing to run'}")]
    if event.missing:
        lines.append(paint.warning(clean(f"missing: {', '.join(event.missing)}", colour=False)))
    if event.problem:
        lines.append(paint.warning(clean(event.problem, colour=False)))
    return "\n".join(lines)
