"""What the engine itself refuses: not by a session's state, but by the state of the world."""

from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.refusals import (
    DuplicateCommand,
    Malformed,
    OwnedElsewhere,
    Quarantined,
    ShuttingDown,
    StoreUnavailable,
    UnknownView,
)
from hearth.log.event_log import NotOwner, StoreDown


def duplicate(cause: InputId, seq: int) -> DuplicateCommand:
    """This id was accepted before."""
    return DuplicateCommand(
        id=cause,
        seq=seq,
        why=f"a command with the id {cause!r} was accepted before",
        remedy=("follow the session from there", "choose another id"),
    )


def unavailable(down: StoreDown) -> StoreUnavailable:
    """It could not be made durable."""
    return StoreUnavailable(
        why=f"it could not be saved: {down}",
        remedy=("nothing was run; when the store is back, try again with the same id",),
    )


def cannot_be_read(down: StoreDown) -> StoreUnavailable:
    """It is not in memory, and the store does not give it."""
    return StoreUnavailable(
        why=f"it cannot be read now: {down}",
        remedy=("look again when the store is back; the status of running sessions is there",),
    )


def owned_elsewhere(lost: NotOwner) -> OwnedElsewhere:
    """Another process runs the session."""
    return OwnedElsewhere(
        session=lost.session,
        owner=lost.owner,
        why=str(lost),
        remedy=(f"ask the daemon {lost.owner}", "stop it, then try again"),
    )


def quarantined(session: SessionId, defect: Exception) -> Quarantined:
    """Something in the session is broken."""
    return Quarantined(
        session=session,
        why=f"{type(defect).__name__}: {defect}",
        remedy=("export_session", "run `hearth log check`"),
    )


def shutting_down() -> ShuttingDown:
    """The daemon takes no more commands."""
    return ShuttingDown(why="the daemon is shutting down", remedy=("start it again",))


def unknown_view(name: str, known: tuple[str, ...]) -> UnknownView:
    """No view has this name, or it needs a session and got none."""
    return UnknownView(
        name=name,
        why=f"there is no view {name!r} for what was asked",
        remedy=(f"views are: {', '.join(known)}",),
    )


def bad_id(given: str) -> Malformed:
    """A caller's own id must be usable as part of an event's id."""
    return Malformed(
        path="$.id",
        why=f"{given[:80]!r} cannot be an id",
        remedy=("use 1 to 64 letters, digits, '-' or '_'",),
    )
