"""Who may do what, in whose name, and how often. Nothing here looks at a clock or a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hearth.core.vocabulary.commands import ChooseUndo, Command, NoteSettings, ReturnTo
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.prompting import AnswerApproval, RewindFiles, SetServers
from hearth.core.vocabulary.refusals import NotAllowed

LONGEST_NAME: Final = 200


class Standing(StrEnum):
    """The classes of credentials."""

    PERSON = "person"
    AGENT = "agent"
    READER = "read-only"


class Act(StrEnum):
    """What a request does, as far as it matters for who may ask for it."""

    LOOK = "look"
    """It changes nothing."""
    WORK = "work"
    """It changes sessions."""
    GOVERN = "govern"
    """It changes who may do what, or ends the daemon. Never for a credential an agent can hold."""


MAY: Final[Mapping[Standing, frozenset[Act]]] = {
    Standing.PERSON: frozenset(Act),
    Standing.AGENT: frozenset({Act.LOOK, Act.WORK}),
    Standing.READER: frozenset({Act.LOOK}),
}


@dataclass(frozen=True, slots=True)
class Credential:
    """Someone who showed a token or a cookie that we gave out."""

    standing: Standing
    name: str
    """The token's name; whoever came with the person's own token is known by the login name."""
    door: Door = Door.HTTP
    """Where they come from when they do not say so."""


def may(standing: Standing, act: Act) -> bool:
    """Whether a credential of this standing is enough for this."""
    return act in MAY[standing]


def act_of(command: Command) -> Act:
    """What it takes to send this command."""
    # What was read from the settings is the daemon's to tell; an agent must not tell it. Nor may it
    # allow itself, or another agent, what a person was asked for, or undo a person's work, or say
    # that its own cannot be undone, or have more tools than a person gave it.
    governs = isinstance(
        command, NoteSettings | AnswerApproval | RewindFiles | SetServers | ReturnTo | ChooseUndo
    )
    return Act.GOVERN if governs else Act.WORK


def not_for(origin: Origin, command: Command) -> NotAllowed | None:
    """Why nobody has this done in that name, by whichever door they came; None if they may."""
    if origin.actor is Actor.PERSON or act_of(command) is not Act.GOVERN:
        return None
    if origin.actor is Actor.SYSTEM and isinstance(command, NoteSettings):
        return None
    name = str(command.__struct_config__.tag)
    who = f"the {origin.actor.replace('_', ' ')} {origin.name!r}"
    return NotAllowed(
        command=name,
        why=f"{name} is for a person alone, and this is asked in the name of {who}",
        remedy=("let the person do it: agents cannot answer for themselves, nor for each other",),
    )


_CLAIMED: Final = frozenset({Actor.PERSON, Actor.AGENT, Actor.MCP_CLIENT})


def attributed(credential: Credential, claimed: Origin | None) -> Origin | str:
    """In whose name this is done, or the sentence that says why not in the claimed one.

    A person's own programs speak for a person, an agent or a client by name. Whoever holds an
    agent's token is that agent, whatever else they say; of their claim only the door counts. And
    whoever may only look is shown by the name of the token.
    """
    door = credential.door if claimed is None else claimed.door
    if credential.standing is Standing.AGENT:
        return Origin(Actor.AGENT, credential.name, door)
    if claimed is None:
        return Origin(Actor.PERSON, credential.name, door)
    if claimed.actor not in _CLAIMED:
        return f"nobody outside the daemon acts as {claimed.actor}; say person, agent or mcp_client"
    if not _is_fit(claimed.name):
        return f"a name has at most {LONGEST_NAME} characters, all of them printable"
    named = "" if credential.standing is Standing.READER else claimed.name
    return Origin(claimed.actor, named or credential.name, door)


def _is_fit(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.isprintable()


@dataclass(frozen=True, slots=True)
class Rate:
    """How much is taken: `burst` at once, `each_second` for long."""

    each_second: float
    burst: float


KNOWN: Final = Rate(2000, 4000)
"""For each good credential. All programs of a person share one: this stops what runs wild."""
UNKNOWN: Final = Rate(20, 20)
"""For all the bad credentials of one peer together."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is left of a rate at a time; the time is any clock that only goes forward."""

    left: float
    at: float


def spend(bucket: Bucket | None, rate: Rate, now: float) -> tuple[Bucket, float]:
    """The bucket after one more request, and how many seconds too early that one came (0: not).

    A request that came too early costs nothing. None is a bucket nobody has taken from.
    """
    if bucket is None:
        bucket = Bucket(rate.burst, now)
    passed = max(0.0, now - bucket.at)
    left = min(rate.burst, bucket.left + passed * rate.each_second)
    if left < 1:
        return Bucket(left, now), (1 - left) / rate.each_second
    return Bucket(left - 1, now), 0.0
