"""Who judges the calls of the played agent, and takes files back: by rules that tests know."""

from typing import Final

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import (
    CallJudged,
    EndJobs,
    JudgeCall,
    ProjectRewound,
    RewindProject,
    StoreGrant,
)
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import EXECUTE, WRITE, Judged, Kept, Need, Verdict

RULE: Final = 'execute "git push *": deny (/etc/hearth.jsonc:7)'
KEPT: Final = Kept("/loom", "tree-1")
BACK: Final = PathChange("a.py", ChangeKind.CHANGED, 2, 1)


class Judge:
    """`run_shell` is asked for, and `git push` denied; all else is allowed."""

    effects: frozenset[type[Effect]] = frozenset({JudgeCall, StoreGrant, RewindProject, EndJobs})

    def __init__(self) -> None:
        self.stored: list[StoreGrant] = []
        self.rewinds: list[RewindProject] = []
        self.changes: tuple[PathChange, ...] = (BACK,)
        self.kept: Kept | None = KEPT
        self.fails = ""

    async def perform(self, _: SessionId, effect: Effect, stage: Stage) -> None:
        match effect:
            case JudgeCall():
                stage.report(CallJudged(effect.call, _judged(effect)))
            case StoreGrant():
                self.stored.append(effect)
            case RewindProject():
                self.rewinds.append(effect)
                before = None if effect.preview else KEPT
                stage.report(
                    ProjectRewound(effect.question, self.changes, self.kept, before, 0, self.fails)
                )
            case _:
                pass

    async def close(self) -> None:
        """Nothing is held."""


def _judged(effect: JudgeCall) -> tuple[Judged, ...]:
    if effect.name != "run_shell" or isinstance(effect.arguments, Blob):
        return ()
    if "git push" in effect.arguments:
        return (Judged(Need(EXECUTE, "git push"), Verdict.DENY, RULE),)
    only_once = Verdict.ASK if "once" in effect.arguments else Verdict.ALLOW
    return (
        Judged(
            Need(EXECUTE, "make all", least=only_once, pattern="make all"), Verdict.ASK, "usual"
        ),
        Judged(Need(WRITE, "out", why="written by make", pattern="out"), Verdict.ASK, "usual"),
    )
