"""Which hearth this is, and whether it may talk to another one."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs more than all of this
    from typing import Literal

VERSION = "0.1.0"


def compare(mine: str, theirs: str) -> 'Literal["same", "differs", "incompatible"]':
    """Whether two versions speak the same: they do if their first numbers agree.

    What is no version is incompatible: nothing is known of whoever says it.
    """
    if mine == theirs:
        return "same"
    first = mine.partition(".")[0]
    if not first.isdecimal() or first != theirs.partition(".")[0]:
        return "incompatible"
    return "differs"


def sentence(daemon: str, client: str = VERSION) -> str:
    """What to tell a person whose client meets this daemon, ending in a hint; empty if nothing."""
    match compare(client, daemon):
        case "same":
            return ""
        case "differs":
            return (
                f"the daemon is hearth {daemon}, this is {client}; hint: `hearth stop`, and the"
                " next command starts the new one"
            )
        case "incompatible":
            return (
                f"the daemon is hearth {daemon or 'of an unknown version'}, which this hearth"
                f" {client} cannot talk to; hint: stop it with the hearth that started it, or use"
                " another HEARTH_HOME"
            )
