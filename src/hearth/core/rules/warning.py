"""What people are told of a turn that wastes what its model can read. Nothing is stopped by it."""

from collections import Counter

from hearth.core.rules.compaction import CHARS_PER_TOKEN
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import MOST_REPEATS
from hearth.core.rules.turning import notice, opened
from hearth.core.vocabulary.blocks import NoticeKind


def warn_of_sharing(then: Consequences) -> None:
    """Calls of a step that are equal and only read: all get the result, and it is run once."""
    calls = opened(then).calls
    names = {call.call: call.name for call in calls}
    for first, more in Counter(one.shares for one in calls if one.shares is not None).items():
        if more + 1 >= MOST_REPEATS:
            name = names[first]
            text = f"the agent called {name} {more + 1} times in one step with the same arguments"
            notice(then, NoticeKind.NOTICE, f"{text}; it is run once, and all get the result")


def warn_of_much(then: Consequences) -> None:
    """What tools told since the turn began is more than half of what fits; told once."""
    talk, before, now = then.state.talk, then.began.talk.open, opened(then).told
    if talk.choice is None or before is None:
        return
    most = talk.choice.window * CHARS_PER_TOKEN // 2
    if before.told < most <= now:
        text = f"what tools told in this turn has {now:,} characters by now"
        notice(then, NoticeKind.NOTICE, f"{text}: more than half of what the model can read")
