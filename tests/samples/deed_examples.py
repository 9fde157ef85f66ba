"""The examples of the words of permissions and deeds; see `examples`."""

from typing import Final

from tests.samples.agent_examples import APPROVAL, CALL, FORKED, LONG, QUESTION, TURN

from hearth.core.vocabulary import deeds, judging, permitting, prompting
from hearth.core.vocabulary.wire import Word

NEED = permitting.Need(
    permission="execute",
    target="git push origin main",
    resolved="/home/ada/engine",
    usual=permitting.Verdict.DENY,
    least=permitting.Verdict.ASK,
    why="it talks to the network",
    pattern="git push *",
)
JUDGED = permitting.Judged(NEED, permitting.Verdict.ASK, "execute git push * asks (hearth.jsonc:7)")
GRANT = permitting.Grant(permission="execute", pattern="git push *")
KEPT = permitting.Kept(root="/home/ada/engine", tree="4b825dc642cb6eb9a060e54bf8d69288fbee4904")
BEFORE = permitting.Kept(root="/home/ada/engine", tree="9daeafb9864cf43055ae93beb0afd6c7d144bfa4")
WHEELS = deeds.PathChange(
    path="engine/wheels.py", kind=deeds.ChangeKind.CHANGED, added=3, removed=1
)

DEED_WORDS: Final[tuple[Word, ...]] = (
    # commands
    prompting.RewindFiles(to="b41", preview=True),
    # events
    deeds.ToolRefused(call=CALL, turn=TURN, name="run_shell", judged=(JUDGED,)),
    deeds.FilesKept(turn=TURN, call=CALL, kept=KEPT),
    deeds.FilesChanged(
        turn=TURN,
        call=CALL,
        changes=(
            deeds.FileChange(
                path="/home/ada/engine/wheels.py",
                kind=deeds.ChangeKind.CHANGED,
                before=LONG,
                after="9b74c9897bac770ffc029102a200c5de8d7a1b0d6a3e3f6f8f7b7e3c6d2a1f00",
                diff="@@ -1 +1 @@\n-round\n+rounder\n",
                added=1,
                removed=1,
            ),
        ),
    ),
    deeds.TaskChanged(
        turn=TURN,
        task=deeds.Task(
            task="2",
            title="Plot the wheels",
            description="All four of them.",
            state=deeds.TaskState.IN_PROGRESS,
        ),
    ),
    deeds.GrantRecorded(approval=APPROVAL, problem="the disk is full"),
    deeds.RewindRequested(to="b41", preview=True),
    deeds.FilesCompared(changes=(WHEELS,), kept=KEPT, left_out=2),
    deeds.FilesRewound(changes=(WHEELS,), kept=KEPT, before=BEFORE, left_out=2),
    deeds.RewindFailed(why="git is not installed", changes=(WHEELS,), before=BEFORE),
    # effects
    judging.JudgeCall(
        call=CALL,
        name="run_shell",
        arguments=LONG,
        config=FORKED,
        agent="anthropic:claude-sonnet-5",
        keep=False,
    ),
    judging.StoreGrant(
        approval=APPROVAL,
        grants=(GRANT,),
        config=FORKED,
        why="execute git push origin main",
        by="ada",
    ),
    judging.EndJobs(),
    judging.RewindProject(question=QUESTION, config=FORKED, since=41, kept=KEPT, preview=True),
    # reports
    judging.CallJudged(
        call=CALL,
        judged=(JUDGED,),
        kept=KEPT,
        problem="Not run: there is no such tool.",
        notice="the files are not kept: git is not installed",
        keep=False,
        arguments="{}",
    ),
    judging.GrantStored(approval=APPROVAL, problem="the disk is full"),
    judging.ProjectRewound(
        question=QUESTION,
        changes=(WHEELS,),
        kept=KEPT,
        before=BEFORE,
        left_out=2,
        problem="git is not installed",
    ),
)
