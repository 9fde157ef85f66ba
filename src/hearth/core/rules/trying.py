"""What follows from the wish to try variants of a cell, and to keep one of them."""

from hearth.core.rules.closing import abandon_questions, drop_trial
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.starting import start_next
from hearth.core.rules.state import SessionState
from hearth.core.rules.undo_state import NONE_WANTED
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import InputId, cell_id
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import Evaluating, WarmingUp


def try_variants(
    then: Consequences, command: c.TryVariants, cause: InputId, origin: Origin
) -> None:
    """Have them run, each in a copy; what was tried before and not kept is dropped."""
    drop_trial(then, "other variants are tried")
    cell = cell_id(then.state.cells + 1)
    started = e.TrialStarted(cell, command.variants, command.time_limit)
    then.happen_for(started, cause, origin)
    then.do(fx.TryInWorker(then.state.generation, cell, command.variants, command.time_limit))


def keep_variant(
    then: Consequences, command: c.KeepVariant, cause: InputId, origin: Origin
) -> None:
    """Let one become the session, or none."""
    trial = then.state.undo.trial
    if trial is None:
        return
    if command.variant == 0:
        then.happen_for(e.VariantsDropped(trial.cell, NONE_WANTED), cause, origin)
        then.do(fx.DropVariants(then.state.generation, trial.cell))
        return
    abandon_questions(then, "a variant takes the interpreter's place")
    generation = then.state.generation + 1
    then.happen_for(e.VariantKept(trial.cell, command.variant, generation), cause, origin)
    then.do(fx.AdoptVariant(generation, trial.cell, command.variant))


def why_not_kept(state: SessionState, command: c.KeepVariant) -> str:
    """Why a variant cannot be kept; empty if it can."""
    trial = state.undo.trial
    if trial is None:
        return "no variants are waiting to be kept"
    if not 0 <= command.variant <= trial.variants:
        return f"there are {trial.variants} variants, and no number {command.variant}"
    if command.variant in trial.gone:
        return f"the interpreter of variant {command.variant} did not live on"
    return ""


def to_keep(state: SessionState) -> tuple[str, ...]:
    """What helps whoever wants to keep one that cannot be kept."""
    trial = state.undo.trial
    if trial is None:
        return ("try_code",)
    left = [str(one) for one in range(1, trial.variants + 1) if one not in trial.gone]
    return (f"keep {' or '.join(left)}, or 0 for none",)


def why_not_tried(command: c.TryVariants) -> str:
    """Why nothing can be tried; empty if it can."""
    return "" if command.variants else "there are no variants"


def variant_gone(then: Consequences, report: r.VariantGone) -> None:
    """What was to be kept has ended meanwhile: the session goes on with the interpreter it has."""
    adopting, phase = then.state.undo.adopting, then.state.phase
    if report.generation != then.state.generation or not isinstance(phase, WarmingUp):
        return
    if adopting is not None and adopting.cell == report.cell:
        then.happen_for(e.VariantsDropped(report.cell, report.why), phase.cause, phase.origin)
        start_next(then)


def tried(then: Consequences, report: r.VariantsTried) -> None:
    """All variants have ended."""
    phase = then.state.phase
    if report.generation != then.state.generation or not isinstance(phase, Evaluating):
        return
    running = phase.current
    if running.cell == report.cell and running.variants:
        results = report.results[: len(running.variants)]
        ended = e.TrialEnded(report.cell, results, report.problem)
        then.happen(ended, of=running)
        start_next(then)
