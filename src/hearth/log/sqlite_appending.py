"""What happens inside a commit of the SQLite log: appends, leases, snapshots, removal."""

from collections.abc import Callable, Sequence

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import (
    DuplicateEvent,
    Lease,
    NotOwner,
    Snapshot,
    VersionConflict,
)
from hearth.log.sqlite_search import forget
from hearth.log.sqlite_transaction import Standing, Transaction

NOBODY = "nobody"
"""Who owns a session that was given up, in words."""

_IDS_AT_ONCE = 500


def append(
    transaction: Transaction,
    session: SessionId,
    expected: int,
    drafts: Sequence[Draft],
    lease: Lease | None,
) -> Sequence[Stored]:
    """Everything is looked at before anything is written: a refusal leaves no trace."""
    ids = [draft.id for draft in drafts]
    if len(set(ids)) < len(ids):
        raise DuplicateEvent("an append has the same event id twice")
    standing = transaction.known.standing(session)
    if standing is None or not _fits(standing, session, expected, lease):
        # Unknown, or it will be refused; unless it is an append that was made before.
        stands, standing = _look(transaction, session, ids)
        if stands:
            return _same_append(_standing(transaction, ids), session, drafts)
        if lease is not None and lease != (session, standing.owner, standing.generation):
            raise NotOwner(session, standing.owner or NOBODY)
        if standing.version != expected:
            raise VersionConflict(session, expected, standing.version)
    # An id that stands elsewhere breaks the commit, and the writer comes back knowing nothing.
    rows = [
        Stored(transaction.next_seq(), session, place, draft.data)
        for place, draft in enumerate(drafts, expected + 1)
    ]
    for row, draft in zip(rows, drafts, strict=True):
        transaction.connection.execute(
            "INSERT INTO events (seq, session, version, id, type, data) VALUES (?, ?, ?, ?, ?, ?)",
            (row.seq, session, row.version, draft.id, draft.type, draft.data),
        )
    transaction.connection.execute(
        "INSERT INTO streams VALUES (?, ?, ?)"
        " ON CONFLICT (session) DO UPDATE SET version = excluded.version, seq = excluded.seq",
        (session, rows[-1].version, rows[-1].seq),
    )
    transaction.rows += rows
    transaction.known.learn(session, standing._replace(version=rows[-1].version))
    return rows


def _fits(standing: Standing, session: SessionId, expected: int, lease: Lease | None) -> bool:
    return standing.version == expected and (
        lease is None or lease == (session, standing.owner, standing.generation)
    )


def _look(
    transaction: Transaction, session: SessionId, ids: Sequence[EventId]
) -> tuple[bool, Standing]:
    """Whether any of the ids stands already, and how the session stands.

    In one question, because many appends ask it; only the first ids of a long one, the others
    in further ones.
    """
    first, rest = ids[:_IDS_AT_ONCE], ids[_IDS_AT_ONCE:]
    marks = ", ".join("?" * len(first))
    stands, version, owner, generation = transaction.connection.execute(
        f"SELECT EXISTS (SELECT 1 FROM events WHERE id IN ({marks})),"  # noqa: S608 - question marks only
        " ifnull((SELECT version FROM streams WHERE session = ?), 0),"
        " ifnull((SELECT owner FROM leases WHERE session = ?), ''),"
        " ifnull((SELECT generation FROM leases WHERE session = ?), 0)",
        (*first, session, session, session),
    ).fetchone()
    return bool(stands or (rest and _standing(transaction, rest))), Standing(
        version, owner, generation
    )


def _standing(transaction: Transaction, ids: Sequence[EventId]) -> dict[EventId, Stored]:
    """Which of the ids are in the log already."""
    found: dict[EventId, Stored] = {}
    for start in range(0, len(ids), _IDS_AT_ONCE):
        part = ids[start : start + _IDS_AT_ONCE]
        marks = ", ".join("?" * len(part))
        for id_, *row in transaction.connection.execute(
            f"SELECT id, seq, session, version, data FROM events WHERE id IN ({marks})",  # noqa: S608 - question marks only
            part,
        ):
            found[id_] = Stored(*row)
    return found


def _same_append(
    standing: dict[EventId, Stored], session: SessionId, drafts: Sequence[Draft]
) -> Sequence[Stored]:
    """The rows that stand, if they are this very append; DuplicateEvent otherwise."""
    rows = [standing.get(draft.id) for draft in drafts]
    first = rows[0].version if rows[0] is not None else 0
    for version, (row, draft) in enumerate(zip(rows, drafts, strict=True), first):
        if row is None or row.session != session or row.version != version:
            known = next(iter(standing))
            raise DuplicateEvent(
                f"{known} stands in {standing[known].session} at version"
                f" {standing[known].version} and cannot be appended with {draft.id}"
            )
    return [row for row in rows if row is not None]


def _owner(transaction: Transaction, session: SessionId) -> tuple[str, int]:
    row = transaction.connection.execute(
        "SELECT owner, generation FROM leases WHERE session = ?", (session,)
    ).fetchone()
    return row or ("", 0)


def claim(
    transaction: Transaction, session: SessionId, owner: str, lives: Callable[[str], bool]
) -> Lease:
    """The lease, new or as it is; NotOwner while the present owner lives."""
    transaction.known.forget()
    present, generation = _owner(transaction, session)
    if present == owner:
        return Lease(session, owner, generation)
    if present and lives(present):
        raise NotOwner(session, present)
    transaction.connection.execute(
        "INSERT INTO leases VALUES (?, ?, 1) ON CONFLICT (session)"
        " DO UPDATE SET owner = excluded.owner, generation = generation + 1",
        (session, owner),
    )
    return Lease(session, owner, generation + 1)


def release(transaction: Transaction, lease: Lease) -> None:
    """Leave the session without an owner; its generation stays, so the next one is higher."""
    transaction.known.forget()
    transaction.connection.execute(
        "UPDATE leases SET owner = '' WHERE session = ? AND owner = ? AND generation = ?", lease
    )


def release_all(transaction: Transaction, owner: str) -> None:
    """As `release`, for everything this owner has."""
    transaction.known.forget()
    transaction.connection.execute("UPDATE leases SET owner = '' WHERE owner = ?", (owner,))


def save_snapshot(transaction: Transaction, snapshot: Snapshot) -> None:
    """Unless a later one of the same fold is there."""
    transaction.connection.execute(
        "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?) ON CONFLICT (session) DO UPDATE SET"
        " version = excluded.version, seq = excluded.seq, fold = excluded.fold,"
        " data = excluded.data"
        " WHERE excluded.version >= version OR excluded.fold != fold",
        snapshot,
    )


def remove(transaction: Transaction, session: SessionId) -> int:
    """Delete a session's rows and what was derived from them; how many rows they were."""
    transaction.known.forget()
    connection = transaction.connection
    last = connection.execute("SELECT seq FROM streams WHERE session = ?", (session,)).fetchone()
    if last is None:
        return 0
    forget(connection, session)
    connection.execute("UPDATE meta SET value = max(value, ?) WHERE key = 'floor'", last)
    connection.execute("DELETE FROM streams WHERE session = ?", (session,))
    connection.execute("DELETE FROM snapshots WHERE session = ?", (session,))
    return connection.execute("DELETE FROM events WHERE session = ?", (session,)).rowcount
