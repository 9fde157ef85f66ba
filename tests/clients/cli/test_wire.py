"""Conversations with a daemon, byte by byte."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.cli.fake_daemon import TOKEN, FakeDaemon, answer, refusal

from hearth.clients.cli import wire as wires
from hearth.clients.cli.messages import Request
from hearth.clients.cli.troubles import REFUSED, UNREACHABLE, Trouble
from hearth.clients.cli.wire import Wire
from hearth.daemon.discovery import Found
from hearth.daemon.versions import VERSION

LIMIT = 30.0


@pytest.fixture
def wire(daemon: FakeDaemon) -> Iterator[Wire]:
    made = Wire(daemon.found, "ann")
    yield made
    made.close()


@contextmanager
def saying(path: Path, *conversations: Callable[[socket.socket], None]) -> Iterator[Wire]:
    """A listener that does exactly this with its first connections, then nothing."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        listening.settimeout(LIMIT)

        def converse() -> None:
            for conversation in conversations:
                line, _ = listening.accept()
                with line:
                    line.settimeout(LIMIT)
                    conversation(line)

        thread = threading.Thread(target=converse, daemon=True)
        thread.start()
        found = Found(pid=1, port=1, socket=str(path), token=TOKEN, started_at="", version=VERSION)
        made = Wire(found, "ann")
        try:
            yield made
        finally:
            made.close()
            thread.join(LIMIT)
            assert not thread.is_alive()


def after_request(*pieces: bytes) -> Callable[[socket.socket], None]:
    """Read one request, send these pieces one by one, hang up."""

    def conversation(line: socket.socket) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            received += line.recv(65536)
        for piece in pieces:
            line.sendall(piece)

    return conversation


def test_a_request_says_who_asks_and_with_which_token(wire: Wire, daemon: FakeDaemon) -> None:
    daemon.on("POST /x", {"fine": True})
    made = wire.ask(Request("POST", "/x", {"é": "ü"}, wait=2.5, key="k1")).good()
    assert made == {"fine": True}
    [seen] = daemon.seen
    assert seen.body == {"é": "ü"}
    assert seen.headers["authorization"] == f"Bearer {TOKEN}"
    assert seen.headers["host"] == "hearth"
    assert seen.headers["hearth-client"] == VERSION
    origin = {"actor": "person", "name": "ann", "door": "cli"}
    assert json.loads(seen.headers["hearth-origin"]) == origin
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["prefer"] == "wait=2.5"
    assert seen.headers["idempotency-key"] == "k1"
    assert TOKEN not in seen.path


def test_a_name_of_any_script_fits_into_a_header(daemon: FakeDaemon) -> None:
    daemon.on("GET /x", {})
    made = Wire(daemon.found, "Ünal\r\nX-Evil: 1")
    made.get("/x")
    made.close()
    [seen] = daemon.seen
    assert json.loads(seen.headers["hearth-origin"])["name"] == "Ünal\r\nX-Evil: 1"
    assert "x-evil" not in seen.headers


def test_several_requests_are_sent_at_once_and_answered_in_order(
    wire: Wire, daemon: FakeDaemon
) -> None:
    for name in "abc":
        daemon.on(f"GET /{name}", {"name": name})
    asked = [Request("GET", f"/{name}") for name in ("a", "b", "none", "c")]
    answers = wire.ask_all(asked)
    assert [one.status for one in answers] == [200, 200, 404, 200]
    assert answers[3].good() == {"name": "c"}


def test_one_connection_serves_many_questions(wire: Wire, daemon: FakeDaemon) -> None:
    daemon.on("GET /x", {})
    wire.get("/x")
    first = wire.fileno()
    wire.get("/x")
    assert wire.fileno() == first
    wire.close()
    assert wire.fileno() == -1


@pytest.mark.parametrize(
    "pieces",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
        [
            b"HTTP/1.1 200 OK\r\nTransfer-Enc",
            b"oding: chunked\r\n\r\n1\r",
            b"\n{\r\n1\r\n}\r\n0\r\n\r\n",
        ],
        [b"HTTP/1.1 200 OK\r\n\r\n{", b"}"],
        [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
        [bytes([one]) for one in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
    ],
)
def test_answers_are_understood_however_they_come(tmp_path: Path, pieces: list[bytes]) -> None:
    with saying(tmp_path / "s", after_request(*pieces)) as wire:
        assert wire.get("/x") == {}


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([], "connection_lost"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"], "connection_lost"),
        ([b"220 mail.example ESMTP\r\n\r\n"], "protocol"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"], "protocol"),
        ([b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno"], "protocol"),
        ([b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\n{}"], "protocol"),
        ([b"x" * 70_000], "protocol"),
    ],
)
def test_what_is_no_answer_is_told(tmp_path: Path, pieces: list[bytes], code: str) -> None:
    with (
        saying(tmp_path / "s", after_request(*pieces)) as wire,
        pytest.raises(Trouble) as caught,
    ):
        wire.get("/x")
    assert caught.value.code == code
    assert caught.value.ending == UNREACHABLE
    assert caught.value.hint


def test_an_answer_that_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wires, "LARGEST", 1000)
    endless = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000
    with (
        saying(tmp_path / "s", after_request(endless)) as wire,
        pytest.raises(Trouble, match="more than 1000 bytes"),
    ):
        wire.get("/x")


def test_a_slow_daemon_is_waited_for_and_a_silent_one_is_not(tmp_path: Path) -> None:
    def silent(line: socket.socket) -> None:
        while line.recv(65536):
            pass  # until the client has given up

    with saying(tmp_path / "s", silent) as wire, pytest.raises(Trouble) as caught:
        wire.ask(Request("GET", "/x"), patience=0.05)
    assert caught.value.code == "timeout"


def test_a_connection_that_was_closed_for_being_idle_is_made_again(tmp_path: Path) -> None:
    good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    with saying(tmp_path / "s", after_request(good), after_request(good)) as wire:
        assert wire.get("/x") == {}
        assert wire.get("/x") == {}


def test_what_may_have_been_done_is_not_asked_for_twice(tmp_path: Path) -> None:
    good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    served = threading.Event()

    def once(line: socket.socket) -> None:
        after_request(good)(line)
        after_request()(line)  # takes the second request and hangs up
        served.set()

    with saying(tmp_path / "s", once) as wire:
        assert wire.get("/x") == {}
        with pytest.raises(Trouble, match="lost"):
            wire.ask(Request("POST", "/x", {}))
        assert served.wait(LIMIT)


def test_a_command_with_a_key_is_asked_for_again(tmp_path: Path) -> None:
    good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    def once(line: socket.socket) -> None:
        after_request(good)(line)
        after_request()(line)

    with saying(tmp_path / "s", once, after_request(good)) as wire:
        assert wire.get("/x") == {}
        assert wire.ask(Request("POST", "/x", key="k")).good() == {}


def test_who_refuses_a_large_body_and_hangs_up_is_heard(tmp_path: Path) -> None:
    def refuses(line: socket.socket) -> None:
        line.recv(1000)
        line.sendall(refusal("too_large", 413))

    with saying(tmp_path / "s", refuses) as wire:
        answered = wire.ask(Request("POST", "/x", {"code": "x" * 10_000_000}))
    assert answered.trouble().code == "too_large"


def test_nobody_there_is_told_with_the_pid(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # bound, but nobody listens
        found = Found(
            pid=4711, port=port, socket=str(tmp_path / "s"), token=TOKEN, started_at="", version="1"
        )
        with pytest.raises(Trouble, match="pid 4711") as caught:
            Wire(found, "ann").get("/x")
    assert caught.value.ending == UNREACHABLE


def test_without_its_socket_a_daemon_is_reached_by_its_port(tmp_path: Path) -> None:
    received: list[bytes] = []
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.settimeout(LIMIT)
        port = listening.getsockname()[1]

        def converse() -> None:
            line, _ = listening.accept()
            with line:
                received.append(line.recv(65536))
                line.sendall(answer({}))

        thread = threading.Thread(target=converse, daemon=True)
        thread.start()
        found = Found(
            pid=1, port=port, socket=str(tmp_path / "s"), token=TOKEN, started_at="", version="1"
        )
        wire = Wire(found, "ann")
        assert wire.get("/x") == {}
        wire.close()
        thread.join(LIMIT)
    assert f"Host: 127.0.0.1:{port}\r\n".encode() in received[0]


def test_a_refusal_is_told_in_the_words_of_the_daemon(wire: Wire, daemon: FakeDaemon) -> None:
    daemon.does("GET /x", lambda _: refusal("not_now", state="warming_up", remedy=["wait"]))
    with pytest.raises(Trouble) as caught:
        wire.get("/x")
    trouble = caught.value
    assert (trouble.code, trouble.message, trouble.ending) == ("not_now", "no: not_now", REFUSED)
    assert trouble.more == {"state": "warming_up", "remedy": ["wait"]}
    assert trouble.hint == "try something else"


def test_a_stream_gives_its_events_one_by_one(wire: Wire, daemon: FakeDaemon) -> None:
    events = daemon.events("/events")
    events.row(8, {"type": "session_ready"})
    events.raw(b":\n\n")
    events.progress({"type": "warm_up_step", "message": "m"})
    stream = wire.stream("/events", after=7)
    assert events.after == "after=7"
    first, second = stream.next(), stream.next()
    assert first is not None
    assert second is not None
    assert (first.id, second.id, second.kind) == ("8", "", "progress")
    assert stream.next(0) is None
    stream.close()


def test_events_that_came_together_are_there_without_waiting(
    wire: Wire, daemon: FakeDaemon
) -> None:
    daemon.events("/events").raw(b"id: 1\ndata: {}\n\nid: 2\ndata: {}\n\n")
    stream = wire.stream("/events")
    first, second = stream.next(), stream.ready()
    assert first is not None
    assert second is not None
    assert (first.id, second.id) == ("1", "2")
    assert stream.ready() is None
    stream.close()


def test_a_stream_from_now_on_has_no_cursor(wire: Wire, daemon: FakeDaemon) -> None:
    events = daemon.events("/events")
    stream = wire.stream("/events")
    assert events.after == ""
    stream.close()


def test_the_end_of_a_stream_is_told(wire: Wire, daemon: FakeDaemon) -> None:
    events = daemon.events("/events")
    stream = wire.stream("/events")
    events.end()
    with pytest.raises(Trouble) as caught:
        stream.next()
    assert caught.value.ending == UNREACHABLE
    stream.close()


def test_a_stream_may_be_refused(wire: Wire) -> None:
    with pytest.raises(Trouble) as caught:
        wire.stream("/sessions/none/events")
    assert caught.value.code == "unknown_session"


def test_a_stream_that_falls_silent_is_dead(
    wire: Wire, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wires, "ALIVE", 0.05)
    daemon.events("/events")
    stream = wire.stream("/events")
    with pytest.raises(Trouble, match="silent"):
        stream.next()
    stream.close()


def test_an_answer_can_be_fetched_later(wire: Wire, daemon: FakeDaemon) -> None:
    go = threading.Event()

    def later(_: object) -> bytes:
        assert go.wait(LIMIT)
        return answer({"late": True})

    daemon.does("POST /x", later)
    assert wire.waits_for(0.01, Request("POST", "/x"), LIMIT) is None
    go.set()
    assert wire.answer(LIMIT).good() == {"late": True}
    daemon.on("POST /y", {"soon": True})
    found = wire.waits_for(LIMIT, Request("POST", "/y"), LIMIT)
    assert found is not None
    assert found.good() == {"soon": True}
