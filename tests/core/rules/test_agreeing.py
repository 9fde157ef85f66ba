"""What does not fit is said with the event's name."""

import pytest
from tests.contracts.given import BOT, after

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import EventId, InputId

READY = Fact(id=EventId("x.0"), at=after(0), origin=BOT, cause=InputId("x"), event=e.SessionReady())


def test_an_event_is_named_as_it_is_stored() -> None:
    assert tag_of(READY) == "session_ready"


def test_what_holds_goes_on_and_what_does_not_is_illegal() -> None:
    agree(1, READY, "nothing")
    with pytest.raises(IllegalEvent, match=r"^session_ready does not fit: it is no cell$"):
        agree("", READY, "it is no cell")
