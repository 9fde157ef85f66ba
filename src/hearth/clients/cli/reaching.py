"""From a command to the daemon that answers it."""

from __future__ import annotations

from hearth.clients.cli.showing import tell
from hearth.clients.cli.troubles import no_daemon, unreachable
from hearth.clients.cli.wire import Wire
from hearth.daemon import discovery, versions
from hearth.daemon.home import hearth_home
from hearth.daemon.persons import author

TYPE_CHECKING = False
if TYPE_CHECKING:  # only for the checker: it takes time
    from hearth.clients.cli.parsing import Asked
    from hearth.daemon.discovery import Found


def find() -> Found | None:
    """The daemon of this person's home, if one runs. Trouble if it is one we cannot talk to."""
    found = discovery.find(hearth_home())
    if found is not None:
        compare(found)
    return found


def reach() -> Wire:
    """A connection to the daemon, to be closed. Trouble if there is none."""
    found = find()
    if found is None:
        raise no_daemon(hearth_home())
    return Wire(found, author())


def reach_or_start(asked: Asked) -> Wire:
    """As `reach`, but where there is no daemon one is started, unless `--no-start` forbids it."""
    found = find()
    if found is None:
        if asked.has("no-start"):
            raise no_daemon(hearth_home())
        # Only who has to start a daemon pays for that.
        from hearth.clients.cli.beginning import started  # noqa: PLC0415 - as the comment says

        found = started(asked)
    return Wire(found, author())


def compare(found: Found) -> None:
    """Warn of a daemon of another version. Trouble if it is too different to talk to."""
    sentence = versions.sentence(found.version)
    match versions.compare(versions.VERSION, found.version):
        case "same":
            pass
        case "differs":
            tell(f"warning: {sentence}")
        case "incompatible":
            what, _, hint = sentence.partition("; hint: ")
            raise unreachable(what, hint, code="wrong_version")
