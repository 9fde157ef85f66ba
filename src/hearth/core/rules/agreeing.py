"""What must hold between a session and an event that happens to it."""

from hearth.core.vocabulary.envelope import Fact


class IllegalEvent(Exception):
    """An event that the tables forbid: our defect when deciding, a corrupt log when replaying."""


def agree(holds: object, fact: Fact, problem: str) -> None:
    """Go on if it holds; IllegalEvent, which names the event and the problem, if not."""
    if not holds:
        raise IllegalEvent(f"{tag_of(fact)} does not fit: {problem}")


def tag_of(fact: Fact) -> str:
    """The name by which an event is stored."""
    return str(fact.event.__struct_config__.tag)
