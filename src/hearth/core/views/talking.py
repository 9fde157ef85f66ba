"""How a conversation stands at this moment, without what was said: for which nothing is read."""

from hearth.core.views.open_blocks import OpenBlock
from hearth.core.views.talk import Talk, step_of
from hearth.core.vocabulary.wire import Part


class Talking(Part, frozen=True):
    """A conversation at a glance, and what is being written."""

    now: Talk = Talk()
    open: tuple[OpenBlock, ...] = ()


def talking(now: Talk, opened: tuple[OpenBlock, ...]) -> Talking:
    """Of what was sealed a moment ago, nothing is being written any more."""
    return Talking(now, tuple(one for one in opened if step_of(one.turn, one.step) > now.finished))
