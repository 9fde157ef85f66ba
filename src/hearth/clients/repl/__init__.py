"""The REPL: a terminal that is attached to a live session, with everybody else who is.

May import api, resolving, daemon and core's words and views; is imported by the command line alone.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hearth.daemon.discovery import Found


def main(  # noqa: PLR0913 - what the command line was told, by name
    found: "Found", *, session: str | None, directory: str, bare: bool, trust: bool, plain: bool
) -> int:
    """Talk to a session until the person leaves; the exit code. The session goes on."""
    # Whoever only asks for the package pays for nothing.
    from hearth.clients.repl.program import Wanted, run  # noqa: PLC0415 - as the comment says

    wanted = Wanted(session=session, directory=directory, bare=bare, trust=trust, plain=plain)
    return run(found, wanted)
