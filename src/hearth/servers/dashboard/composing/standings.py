"""What a session is doing, in words: one for its interpreter, one for its agent."""

from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias, assert_never

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk, TalkStatus
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import PhaseName

Kind: TypeAlias = Literal["needs", "bad", "running", "ready", "off"]
"""The classes of `.dot`, the gravest first."""

GRAVEST: Final[tuple[Kind, ...]] = ("needs", "bad", "running", "ready", "off")
LONGEST: Final = 160
"""Characters of what others wrote that stand in one line."""


class Standing(NamedTuple):
    """What is going on."""

    kind: Kind
    words: str
    since: datetime | None = None
    """It takes a while: since then."""
    until: datetime | None = None
    """Then something happens by itself."""
    behind: str = ""
    """What stands behind the time."""

    @property
    def said(self) -> str:
        """All of it but the time, which only the browser knows."""
        return " ".join(part for part in (self.words, self.behind) if part)


def standings(status: Status, talk: Talk) -> tuple[Standing, ...]:
    """What is going on, the gravest first; never nothing."""
    interpreter, agent = _interpreter(status), _agent(talk)
    if agent is None:
        return (interpreter,)
    if interpreter.kind == "ready":
        return (agent,)
    return tuple(sorted((interpreter, agent), key=_gravity))


def failure_words(failure: f.Failure) -> str:  # noqa: PLR0911 - one return for each
    """Why an interpreter is gone, on one line."""
    match failure:
        case f.CodeRaised():
            return short(f"{failure.name}: {begin(failure.message)}")
        case f.TimedOut():
            return f"it took longer than {failure.limit:g} s"
        case f.Interrupted():
            return short(f"cut off: {failure.message}")
        case f.WorkerCrashed():
            return short(f"the interpreter died: {begin(failure.message)}")
        case f.WarmUpFailed():
            return short(f"it could not be started: {begin(failure.message)}")
        case f.ProjectNotFound():
            return short(f"there is no project at {failure.path}")
        case f.CheckFailed():
            found = "; ".join(one.message for one in failure.diagnostics[:3])
            return short(f"not run: {found}")
        case _:
            assert_never(failure)


def begin(text: Text) -> str:
    """How a text begins, as far as it is at hand."""
    return text if isinstance(text, str) else text.head


def short(words: str, most: int = LONGEST) -> str:
    """Words on one line that is not too long."""
    line = " ".join(words[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def name_of(author: Origin) -> str:
    """Who somebody is, for people."""
    return short(author.name, 40) or _ACTORS[author.actor]


def _gravity(standing: Standing) -> int:
    return GRAVEST.index(standing.kind)


def _interpreter(status: Status) -> Standing:  # noqa: PLR0911 - one return for each
    cell = status.current
    if cell is not None and cell.question is not None:
        asks = short(cell.question.prompt) or "something"
        return Standing("needs", f"waiting for you: {cell.cell} asks {asks}")
    if cell is not None:
        whose = "" if cell.origin.actor is Actor.PERSON else f"for {name_of(cell.origin)}"
        return Standing("running", f"running {cell.cell}", since=cell.started_at, behind=whose)
    if status.stopped:
        return Standing("off", "stopped")
    match status.state:
        case PhaseName.UNINITIALIZED:
            return Standing("off", "not started")
        case PhaseName.WARMING_UP:
            return Standing("running", "warming up")
        case PhaseName.READY:
            return Standing("ready", "ready")
        case PhaseName.EVALUATING:
            return Standing("running", "running")
        case PhaseName.FAULTED:
            why = failure_words(status.failure) if status.failure is not None else ""
            words = f"faulted: {why}" if why else "faulted"
            if status.restart_due is None:
                return Standing("bad", words)
            return Standing("bad", f"{words}; starting again in", until=status.restart_due)
        case _:
            assert_never(status.state)


def _agent(talk: Talk) -> Standing | None:
    if talk.approvals:
        asked = talk.approvals[0].name
        more = f", and {len(talk.approvals) - 1} more" if len(talk.approvals) > 1 else ""
        what = f"the agent wants to use {short(asked, 60)}" if asked else "may the agent go on?"
        return Standing("needs", f"waiting for you: {what}{more}")
    if talk.turn is None:
        if talk.status is not TalkStatus.ERROR:
            return None
        why = f": {short(talk.why)}" if talk.why else ""
        return Standing("bad", f"the last turn failed{why}")
    if talk.compacting:
        return Standing("running", "compacting the conversation")
    if talk.retry is not None:
        due = talk.retry.at + timedelta(seconds=talk.retry.delay)
        because = f"because {short(talk.retry.why)}" if talk.retry.why else ""
        return Standing("running", "retrying in", until=due, behind=because)
    return Standing("running", f"agent working, step {talk.step + 1}")


_ACTORS: Final = {
    Actor.PERSON: "you",
    Actor.AGENT: "the agent",
    Actor.MCP_CLIENT: "a client",
    Actor.FILE_WATCHER: "the file watcher",
    Actor.SYSTEM: "hearth",
}
