"""Where people write."""

from msgspec.structs import replace
from tests.contracts.given import LOST, RUNNING
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import by_id, ids, read, retrying, seen, talked

from hearth.core.views.status import Status
from hearth.core.views.talk import Approval, Talk
from hearth.core.vocabulary.commands import CreateSession
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.phases import InputQuestion
from hearth.servers.dashboard.composing.composer import composer, composer_state


def facts(stands: tuple[Status, Talk]) -> dict[str, str]:
    found = by_id(composer_state(*stands), "composer-state").attributes
    return {name.removeprefix("data-"): value for name, value in found.items()}


def words(stands: tuple[Status, Talk]) -> str:
    return by_id(composer_state(*stands), "composer-state").text


def test_no_patch_touches_what_is_typed() -> None:
    status, talk = seen()
    form = by_id(composer(status.session, status, talk), "composer").attributes
    assert "data-ignore-morph" in form
    other = composer(status.session, *seen(*RUNNING))
    assert by_id(other, "composer") == by_id(composer(status.session, status, talk), "composer")
    field = by_id(other, "composer-text")
    assert field.text == "\n"


def test_what_changes_stands_outside_of_the_form() -> None:
    status, talk = seen()
    markup = composer(status.session, status, talk)
    assert markup.startswith(composer_state(status, talk))
    assert len(ids(markup)) == len(set(ids(markup)))


def test_code_and_words_are_two_modes_of_one_group() -> None:
    status, talk = seen()
    radios = [
        one.attributes
        for one in read(composer(status.session, status, talk))
        if one.attributes.get("type") == "radio"
    ]
    assert [(one["name"], one["value"]) for one in radios] == [("mode", "code"), ("mode", "ask")]
    assert ["checked" in one for one in radios] == [True, False]


def test_a_session_that_waits_for_code_takes_it_and_knows_about_it() -> None:
    now = facts(seen())
    assert (now["can-run"], now["queues-run"], now["can-ask"]) == ("1", "0", "1")
    assert (now["can-complete"], now["can-inspect"]) == ("1", "1")
    assert not {"why-run", "turn", "cell"} & set(now)
    assert words(seen()) == ""


def test_what_is_sent_to_somebody_busy_waits_and_that_is_said_before() -> None:
    assert facts(seen(*RUNNING))["queues-run"] == "1"
    assert "c1 is running: what you run waits behind it" in words(seen(*RUNNING))
    status, talk = seen(*RUNNING)
    assert "c1 is running and 2 more" in words((replace(status, waiting=2), talk))
    assert "being started" in words(seen(CreateSession()))
    now = facts(talked(retrying()))
    assert (now["queues-ask"], now["turn"]) == ("1", "t1")
    assert "waits for its next step" in words(talked(retrying()))


def test_where_no_code_can_run_the_reason_is_there() -> None:
    now = facts(seen(*LOST))
    assert now["can-run"] == "0"
    assert "Reset brings it back" in now["why-run"]
    assert "Reset brings it back" in words(seen(*LOST))
    assert now["can-complete"] == now["can-inspect"] == "0"


def test_who_waits_for_a_person_is_named() -> None:
    status, talk = seen(*RUNNING)
    assert status.current is not None
    asks = replace(status, current=replace(status.current, question=InputQuestion("?")))
    assert "c1 waits for an answer" in words((asks, talk))
    asked = Approval(ApprovalId("a1"), (), "why", name="<b>")
    markup = composer_state(status, replace(talk, approvals=(asked,)))
    assert "The agent waits for your answer (<b>)" in by_id(markup, "composer-state").text


def test_what_was_said_last_can_be_named_to_say_it_otherwise() -> None:
    done = facts(talked(Played().says("hi").answers("yes")))
    assert done["prompt"].startswith("b")
    assert "why-edit" not in done
    assert "working" in facts(talked(Played().says("hi")))["why-edit"]
    assert "nothing has been said" in facts(seen())["why-edit"]
