"""What waits for the agent."""

from datetime import UTC, datetime

import msgspec
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import by_id, ids, read, retrying, talked

from hearth.core.views.talk import Queued, Talk
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import MessageId, SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.composing.queue import IN_SIGHT, MOST, queue

SESSION = SessionId("session-1")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def waiting(count: int, text: str = "say this") -> Talk:
    author = Origin(Actor.PERSON, "anna")
    return Talk(
        queue=tuple(
            Queued(MessageId(f"m{number}"), f"{text} {number}", NOON, author)
            for number in range(count)
        )
    )


def withdrawing(markup: str) -> list[str]:
    commands = [one.attributes.get("data-command") for one in read(markup)]
    read_back = [msgspec.json.decode(one) for one in commands if one]
    return [one["message"] for one in read_back if one["type"] == "withdraw_message"]


def test_it_is_hidden_while_nothing_waits() -> None:
    assert "hidden" in by_id(queue(SESSION, Talk()), "queue").attributes
    assert "hidden" not in by_id(queue(SESSION, waiting(1)), "queue").attributes


def test_each_message_says_whose_it_is_and_can_be_withdrawn() -> None:
    markup = queue(SESSION, waiting(2))
    assert withdrawing(markup) == ["m0", "m1"]
    assert "2 messages wait for the agent" in by_id(markup, "queue").text
    assert "annasay this 0Withdraw" in by_id(markup, "q-m0").text


def test_what_was_sent_to_a_busy_agent_waits_here() -> None:
    status, talk = talked(Played().says("first").says("second"))
    markup = queue(status.session, talk)
    assert "second" in by_id(markup, "queue").text
    assert "first" not in by_id(markup, "queue").text


def test_many_are_folded_and_very_many_are_counted() -> None:
    markup = queue(SESSION, waiting(IN_SIGHT + 2))
    assert "2 more" in by_id(markup, "queue-more").text
    much = queue(SESSION, waiting(200, "x" * 10_000))
    assert len(withdrawing(much)) == MOST
    assert f"and {200 - MOST} more that are not shown" in by_id(much, "queue").text
    assert len(much) < 100_000
    assert len(ids(much)) == len(set(ids(much)))


def test_a_pause_says_when_it_ends_and_why_it_is_made() -> None:
    status, talk = talked(retrying())
    markup = queue(status.session, talk)
    assert talk.retry is not None
    (due,) = [one.attributes for one in read(markup) if one.tag == "time"]
    passes = datetime.fromisoformat(due["data-until"]) - talk.retry.at
    assert passes.total_seconds() == talk.retry.delay
    assert "attempt 2 (529), because too busy" in by_id(markup, "queue").text


def test_what_others_wrote_is_text() -> None:
    author = Origin(Actor.MCP_CLIENT, "<b>x</b>")
    text = Blob("0" * 64, 99, head="<script>alert(1)</script>")
    markup = queue(SESSION, Talk(queue=(Queued(MessageId("m1"), text, NOON, author),)))
    assert not {"script", "b"} & {one.tag for one in read(markup)}
    assert "<script>alert(1)</script>" in by_id(markup, "queue").text
