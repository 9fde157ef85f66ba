"""What became of a turn: what was said in it, beside another run of it, and whether it is whole."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.journeys.agents import ALSO_SAID

from hearth.core.rules.conversation import UNKNOWN_EFFECTS
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.envelope import Envelope


class Told(NamedTuple):
    """A block without its place in the log."""

    role: Role
    kind: str
    text: str


def transcript(envelopes: Sequence[Envelope]) -> list[Told]:
    """What people and model said and got, in order; notices are left out.

    Results that stand together are in the order of their calls: whichever came first, it is so that
    a model is told of them.
    """
    told: list[Told] = []
    for one in envelopes:
        if isinstance(one.event, t.BlockSealed) and one.event.role is not Role.SYSTEM:
            told.append(_told(one.event))
            place = len(told) - 1
            while place and _is_before(told[place], told[place - 1]):
                told[place - 1 : place + 1] = told[place], told[place - 1]
                place -= 1
    return told


def _is_before(one: Told, other: Told) -> bool:
    both = one.role is other.role is Role.TOOL
    return both and int(one.kind.partition(" k")[2]) < int(other.kind.partition(" k")[2])


def _told(block: t.BlockSealed) -> Told:
    match block.content:
        case TextBlock(text=text):
            return Told(block.role, "text", str(text))
        case ThinkingBlock(text=text, native=native):
            return Told(block.role, "thinking", f"{text} {native}")
        case ToolCallBlock(call=call, name=name, arguments=arguments, wire_id=wire_id):
            return Told(block.role, f"call {call} {wire_id}", f"{name} {arguments}")
        case ToolResultBlock(call=call, result=result):
            return Told(block.role, f"result {call}", str(result))
        case other:
            raise AssertionError(other)


def is_interrupted(told: Told) -> bool:
    """A result that says that nobody knows what was done, or that no answer comes."""
    lost = (UNKNOWN_EFFECTS.capitalize(), "No answer: the daemon was restarted")
    return told.kind.startswith("result") and told.text.startswith(lost)


def assert_same_but_interrupted(clean: Sequence[Told], told: Sequence[Told]) -> list[Told]:
    """The same in the same order, but for results of calls that were cut off: these.

    The message that was queued may be delivered a step later, where its own step was cut off.
    """
    late = Told(Role.USER, "text", ALSO_SAID)
    assert clean.count(late) == told.count(late) == 1
    cut_off = []
    hers = [one for one in clean if one != late]
    its = [one for one in told if one != late]
    for one, other in zip(hers, its, strict=True):
        if one != other:
            assert (one.role, one.kind) == (other.role, other.kind)
            assert is_interrupted(other), (one, other)
            cut_off.append(other)
    if not cut_off:
        assert list(clean) == list(told)
    return cut_off


def assert_whole(envelopes: Sequence[Envelope]) -> None:
    """Each call has one result, behind it; each message was delivered once; nothing is open."""
    events = [one.event for one in envelopes]
    blocks = [one for one in events if isinstance(one, t.BlockSealed)]
    calls = [one.content.call for one in blocks if isinstance(one.content, ToolCallBlock)]
    results = [one.content.call for one in blocks if isinstance(one.content, ToolResultBlock)]
    assert Counter(calls) == Counter(results)
    assert max(Counter(calls).values(), default=1) == 1
    started = [one.call for one in events if isinstance(one, t.ToolStarted)]
    assert max(Counter(started).values(), default=1) == 1
    queued = [one.message for one in events if isinstance(one, t.MessageQueued)]
    gone = [
        one.message for one in events if isinstance(one, t.MessageDelivered | t.MessageWithdrawn)
    ]
    assert Counter(queued) == Counter(gone)
    begun = [one.turn for one in events if isinstance(one, t.TurnStarted)]
    over = [one.turn for one in events if isinstance(one, t.TurnFinished)]
    assert begun == over
    cells = [one.cell for one in events if isinstance(one, e.CellStarted)]
    assert max(Counter(cells).values(), default=1) == 1
