"""What follows from the wish to have the files of a project back as they were."""

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import Rewind
from hearth.core.rules.state import SessionState
from hearth.core.rules.turning import begin_with_queue
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import BlockId, block_place
from hearth.core.vocabulary.inputs import Asked
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.prompting import RewindFiles


def rewind(then: Consequences, asked: Asked, command: RewindFiles) -> None:
    """Have it done, or compared; the agent waits meanwhile."""
    then.happen(d.RewindRequested(command.to, command.preview))
    then.do(rewinding(then.state, Rewind(asked.id, asked.origin, command.to, command.preview)))


def rewinding(state: SessionState, wanted: Rewind) -> RewindProject:
    """The effect of a rewind that is open."""
    return RewindProject(
        question=wanted.cause,
        config=state.config or SessionConfig(),
        since=block_place(BlockId(wanted.to))[1] if wanted.to else 0,
        kept=None if wanted.to else state.talk.before_rewind,
        preview=wanted.preview,
    )


def rewound(then: Consequences, report: ProjectRewound) -> None:
    """The files are as they were, or it is known what that would change."""
    wanted = then.state.talk.rewind
    if wanted is None or wanted.cause != report.question:
        return
    # One that changed nothing is not what should be undone: the one before it is.
    before = report.before if report.changes or report.left_out else None
    event: d.DeedEvent
    if report.problem:
        event = d.RewindFailed(report.problem, report.changes, before)
    elif wanted.preview:
        event = d.FilesCompared(report.changes, report.kept, report.left_out)
    else:
        event = d.FilesRewound(report.changes, report.kept, before, report.left_out)
    then.happen_for(event, wanted.cause, wanted.origin)
    begin_with_queue(then)
