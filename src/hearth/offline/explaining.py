"""What an agent would be answered that wants a command, Python or a tool to be run."""

from dataclasses import dataclass

from hearth.core.rules.permission import strictest
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import READ, WRITE, Grant, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants
from hearth.performers.tools.explaining import Explained, explain_command, unproven
from hearth.performers.tools.files.allowed import wanted
from hearth.performers.tools.tool import Scene, Wanted
from hearth.settings.permissions import PermissionSettings

RUN_CODE = "run_code"


@dataclass(frozen=True)
class Question:
    """What somebody wants to know."""

    said: str
    """The command, the code or the path."""
    kind: str
    """`command`, `code`, or the name of a tool that is given a path."""
    writes: bool
    directory: str
    root: str
    home: str
    """Hearth's own, which is closed to agents."""
    agent: str = ""


def explained(
    question: Question, settings: PermissionSettings, grants: tuple[Grant, ...]
) -> Explained:
    """What would be answered. Nothing is run; waits for the disk."""
    place = Place(
        directory=question.directory,
        root=question.root,
        forbidden=(question.home,),
        auto_allow=settings.auto_allow,
    )
    if question.kind == "command":
        scene = Scene(SessionId(""), question.directory, question.root, agent=question.agent)
        return explain_command(question.said, scene, settings, grants, place)
    if question.kind == "code":
        return _judged(RUN_CODE, python_wants(question.said, place), settings, grants)
    permission = WRITE if question.writes else READ
    return _judged(question.kind, wanted(question.said, permission, place), settings, grants)


def _judged(
    tool: str, wants: Wanted, settings: PermissionSettings, grants: tuple[Grant, ...]
) -> Explained:
    judged = tuple(settings.judged(need, grants) for need in wants.needs)
    problem = wants.problem
    if tool in settings.disabled_tools:
        problem = f"{tool} is switched off by settings."
    verdict = Verdict.DENY if problem else strictest(one.verdict for one in judged)
    doubts = tuple(dict.fromkeys(unproven(wants.needs)))
    return Explained(verdict, judged, "", doubts, problem=problem)
