"""What is shown of blocks, calls and summaries."""

from tests.contracts.playing_talks import Talk, call

from hearth.core.views.conversation import conversation
from hearth.core.views.conversation_rows import (
    calls_of,
    compaction_of,
    compactions_of,
    row_of,
    started_of,
)
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.ids import SessionId

ELSEWHERE = SessionId("session-f00")


def test_a_block_of_another_session_is_named_after_it() -> None:
    talk = Talk().says("go").answers("done")
    sealed = [one for one in talk.envelopes() if isinstance(one.event, t.BlockSealed)]
    first, second = (
        row_of(one, one.event, ELSEWHERE) for one in sealed if isinstance(one.event, t.BlockSealed)
    )
    assert first.block == f"b{sealed[0].version}@{ELSEWHERE}"
    assert (first.parent, second.parent) == ("", first.block)


def test_a_summary_of_another_session_too() -> None:
    talk = Talk().says("go").answers("done").goes(p.CompactConversation()).sums_up("short")
    (made,) = (one for one in talk.envelopes() if isinstance(one.event, t.ConversationCompacted))
    assert isinstance(made.event, t.ConversationCompacted)
    assert compaction_of(made, made.event).block == f"b{made.version}"
    assert compaction_of(made, made.event, ELSEWHERE).block == f"b{made.version}@{ELSEWHERE}"


def test_calls_and_summaries_are_kept_as_long_as_rows_tell_of_them() -> None:
    talk = Talk().says("go").answers(call("look")).returns().answers("seen")
    talk.goes(p.CompactConversation()).sums_up("short").says("more").answers("yes")
    view = conversation(talk.envelopes())
    begun = [
        started_of(one, one.event)
        for one in talk.envelopes()
        if isinstance(one.event, t.ToolStarted)
    ]
    assert calls_of(begun, view.rows) == tuple(begun) == view.calls
    assert calls_of(begun, view.rows[-2:]) == ()
    assert compactions_of(view.compactions, view.rows) == view.compactions
    assert compactions_of(view.compactions, view.rows[-1:]) == ()
    assert compactions_of(view.compactions, ()) == view.compactions
