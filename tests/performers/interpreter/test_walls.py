"""How far an interpreter is kept apart is remembered with it."""

import msgspec

from hearth.performers.interpreter.walls import NONE, OPEN, Walls
from hearth.performers.interpreter.worker_folder import WorkerRecord


def test_without_a_wish_nothing_is_contained_and_nothing_kept() -> None:
    assert Walls() == NONE
    assert not OPEN.walls.contained
    assert (OPEN.walls.keep, OPEN.walls.writable, OPEN.walls.network) == ((), (), False)


def test_the_next_daemon_knows_how_one_was_kept_apart() -> None:
    record = WorkerRecord(name="w", walls=Walls(contained=True, keep=("A_*",)))
    assert msgspec.json.decode(msgspec.json.encode(record), type=WorkerRecord) == record
    older = msgspec.json.decode(b'{"name": "w"}', type=WorkerRecord)
    assert older.walls == NONE
