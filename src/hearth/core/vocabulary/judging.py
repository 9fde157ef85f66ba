"""What must be found out and done so that agents may do things, and what comes back of it.

Each effect is also found in `effects`, each report in `reports`, with all the others.
"""

from typing import TypeAlias

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.ids import ApprovalId, CallId, InputId
from hearth.core.vocabulary.permitting import Grant, Judged, Kept
from hearth.core.vocabulary.wire import Word


class JudgeCall(Word, frozen=True):
    """Find out what a call needs and what the rules say. Nothing is run. Answer: CallJudged.

    If it may change files, those of the project are kept first, if it is wanted.
    """

    call: CallId
    name: str
    arguments: Text
    config: SessionConfig
    agent: str = ""
    """Who calls: rules may be for some agents only."""
    keep: bool = True
    """Whether it is run as soon as it may be; otherwise files need not be kept yet."""
    none_granted: bool = False
    """Whether no person has allowed anything here: then what asks is asked, and keeps no files."""


class StoreGrant(Word, frozen=True):
    """Remember what a person allowed for always, outside of the project. Answer: GrantStored.

    What is judged after it is judged with it. Done twice, it is remembered once.
    """

    approval: ApprovalId
    grants: tuple[Grant, ...]
    config: SessionConfig
    why: str = ""
    """What it was asked for."""
    by: str = ""
    """Who allowed it."""


class RewindProject(Word, frozen=True):
    """Make the files of a project what they were, or say what that would change.

    Answer: ProjectRewound. What they were is the first state that was kept after version `since`
    of the session; or `kept`, if it is given.
    """

    question: InputId
    config: SessionConfig
    since: int
    kept: Kept | None = None
    preview: bool = False


class EndJobs(Word, frozen=True):
    """End what the tools of a session left running. No answer."""


JudgingEffect: TypeAlias = JudgeCall | StoreGrant | RewindProject | EndJobs


class CallJudged(Word, frozen=True):
    """What a call needs, and what the rules and the grants for always say to it."""

    call: CallId
    judged: tuple[Judged, ...] = ()
    kept: Kept | None = None
    """The files as they are now; None: it changes none, or they cannot be kept."""
    problem: str = ""
    """Why it cannot be run at all, whoever allows it."""
    notice: str = ""
    """What people should know, such as why the files are not kept."""
    keep: bool = True
    """As in the effect that it answers: without it, this is not enough to run the call."""
    arguments: Text = ""
    """Of code: what was judged, so that just that is run. The log may have it as a blob."""


class ProjectRewound(Word, frozen=True):
    """The files are what they were, or could be."""

    question: InputId
    changes: tuple[PathChange, ...] = ()
    kept: Kept | None = None
    before: Kept | None = None
    left_out: int = 0
    """So many more differ than are listed."""
    problem: str = ""
    """Why not; then `changes` is what was changed all the same."""


class GrantStored(Word, frozen=True):
    """What a person allowed for always is remembered."""

    approval: ApprovalId
    problem: str = ""
    """Why it is not."""


JudgingReport: TypeAlias = CallJudged | ProjectRewound | GrantStored
