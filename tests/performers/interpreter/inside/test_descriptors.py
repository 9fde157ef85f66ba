"""Which descriptors are a kernel's own, and that a copy of it holds none of them."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker

from hearth.performers.interpreter.inside import descriptors


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        yield made.ready()


def test_every_descriptor_is_listed_with_its_kind() -> None:
    read, write = os.pipe()
    with socket.socket() as made:
        found = dict(descriptors.listed())
        assert found[read].startswith(descriptors.PIPE)
        assert found[write] == found[read]
        assert found[made.fileno()].startswith(descriptors.SOCKET)
    os.close(read)
    os.close(write)
    assert read not in dict(descriptors.listed())


def test_those_that_threads_wake_each_other_with_are_known() -> None:
    before = descriptors.signals()
    fd = os.eventfd(0)
    assert descriptors.signals() - before == {fd}
    os.close(fd)


def test_a_socket_tells_where_it_is_and_whom_it_leads_to(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = server.getsockname()
        assert descriptors.address(server.fileno()) == (socket.AF_INET, here, None)
        with socket.create_connection(here) as client:
            assert descriptors.address(client.fileno())[2] == here
        assert server.getsockname() == here, "asking closed nothing"
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "s"))
        assert descriptors.address(bound.fileno())[:2] == (socket.AF_UNIX, str(tmp_path / "s"))
    read, write = os.pipe()
    with pytest.raises(OSError, match="socket"):
        descriptors.address(read)
    os.close(read)
    os.close(write)


def _kinds(pid: int) -> list[str]:
    found = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            found.append(str(path.readlink()))
    return found


def test_a_frozen_copy_holds_nothing_that_anybody_waits_at(one: Worker) -> None:
    one.run("kept = open('kept.txt', 'w')", copy="zero")
    one.run("1", copy="a")
    copy = copies(one)["a"]
    until(lambda: not any(kind.startswith("socket:") for kind in _kinds(copy)), "none is left")
    kinds = _kinds(copy)
    assert not [kind for kind in kinds if "journal" in kind]
    assert not [kind for kind in kinds if kind.startswith("pipe:")]
    assert any(kind.endswith("kept.txt") for kind in kinds), "the user's files stay open"
    assert len(kinds) < 15


def test_a_client_notices_that_a_kernel_has_ended_although_it_has_copies(one: Worker) -> None:
    one.run("1", copy="a")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"{one.folder}/s-1")
        assert client.recv(64), "it greets"
        undo(one, "a")
        client.settimeout(10)
        while client.recv(64):
            pass


def test_a_branch_holds_nothing_of_its_original(one: Worker) -> None:
    with branch(one, one.folder.parent) as other:
        mine = {kind for kind in _kinds(one.kernel) if kind.startswith(("socket:", "pipe:"))}
        theirs = {kind for kind in _kinds(other.kernel) if kind.startswith(("socket:", "pipe:"))}
        assert mine
        assert mine & theirs == set()
        assert not [kind for kind in _kinds(other.kernel) if str(one.folder) in kind]
        assert not [kind for kind in _kinds(other.guardian) if str(one.folder) in kind]
        assert not [kind for kind in _kinds(other.guardian) if kind.startswith("socket:")]


def test_descriptors_do_not_grow_with_each_generation(one: Worker) -> None:
    def again() -> int:
        one.run("1", copy="again")
        undo(one, "again")
        one.run("import os; os.system('echo from a program')")
        return len(_kinds(one.kernel))

    # Two sockets of the client, and what a thread publishes through, may not be back when that is
    # counted. What is left over of each would be more.
    few, generations = 3, 8
    enough = max(again(), again()) + few
    for _ in range(generations):
        again()
    assert until(lambda: len(_kinds(one.kernel)) <= enough, "there are no more than there were")
