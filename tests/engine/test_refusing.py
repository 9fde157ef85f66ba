"""What the engine refuses by itself says what is wrong and what would help."""

from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.engine import refusing
from hearth.log.event_log import NotOwner, StoreDown

S = SessionId("session-aaaaaa")


def test_every_refusal_gives_a_reason_and_a_way_on() -> None:
    refusals: list[Refused] = [
        refusing.duplicate(InputId("i"), 7),
        refusing.unavailable(StoreDown("the disk is full")),
        refusing.owned_elsewhere(NotOwner(S, "another daemon")),
        refusing.quarantined(S, ValueError("row 3")),
        refusing.shutting_down(),
        refusing.unknown_view("nonsense", ("status",)),
        refusing.bad_id("a b"),
    ]
    for refusal in refusals:
        assert refusal.why
        assert refusal.remedy
    said = " ".join(refusal.why + " ".join(refusal.remedy) for refusal in refusals)
    for fact in (
        "'i'",
        "the disk is full",
        "another daemon",
        "row 3",
        "nonsense",
        "status",
        "'a b'",
    ):
        assert fact in said
