"""What a piece of code does when it is run, written down beforehand."""

from typing import Final, Literal, NamedTuple

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion, Diagnostic, Output, StreamText
from hearth.core.vocabulary.failures import CodeRaised, Failure


class Scene(NamedTuple):
    """What one piece of code does when it is run."""

    prints: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """What it writes to stderr."""
    value: str = ""
    value_type: str = ""
    raises: Failure | None = None
    names: tuple[str, ...] = ()
    statements: int = 1
    ends: Literal["at once", "when interrupted", "with the worker"] = "at once"
    exit: r.Exit = r.Exit.CRASH
    """How the worker goes, for a scene that ends with it."""
    diagnostics: tuple[Diagnostic, ...] = ()
    completions: tuple[Completion, ...] = ()
    inspection: Inspection = Inspection()
    asks: str | None = None
    """What it asks with `input()`; the answer is its value."""
    uses: tuple[tuple[str, str], ...] = ()
    """The parts it depends on, with their hashes."""


UNWRITTEN: Final = Scene(raises=CodeRaised("NotInTheScript", "no scene was written for this code"))
NOBODY_THERE: Final = CodeRaised("StdinNotImplementedError", "nobody is there to answer input()")


def ending_of(scene: Scene) -> r.Ending:
    """How a scene ends if nobody interferes."""
    failure = NOBODY_THERE if scene.asks is not None else scene.raises
    return r.Raised(failure) if failure else r.Succeeded(scene.value, scene.value_type)


def outputs_of(scene: Scene) -> tuple[Output, ...]:
    """What it shows."""
    outputs: list[Output] = []
    if scene.prints:
        outputs.append(StreamText("stdout", "".join(scene.prints)))
    if scene.errors:
        outputs.append(StreamText("stderr", "".join(scene.errors)))
    return tuple(outputs)


def ended(
    effect: fx.ExecuteInWorker | fx.LoadInWorker, scene: Scene, ending: r.Ending, duration: float
) -> r.CellEnded:
    """The report of a cell that played this scene to this end."""
    return r.CellEnded(
        generation=effect.generation,
        cell=effect.cell,
        ending=ending,
        duration=duration,
        outputs=outputs_of(scene),
        names=scene.names,
        statements=scene.statements,
        uses=dict(scene.uses),
    )
