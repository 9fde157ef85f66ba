"""Every message of a kernel has a number, and is in its journal under it."""

from pathlib import Path

import pytest
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker

from hearth.performers.interpreter.inside import journal

DELIMITER = b"<IDS|MSG>"


def _numbers(frames: list[bytes]) -> list[int]:
    before = frames[: frames.index(DELIMITER)]
    return [int(frame[1:]) for frame in before if frame.startswith(b"#")]


def _raw(one: Worker, code: str) -> list[tuple[int, list[bytes]]]:
    """Run a cell and hear every message as it comes off the wire."""
    sent = one.start(code)
    heard: list[tuple[int, list[bytes]]] = []
    sockets = (one.client.iopub_channel.socket, one.client.shell_channel.socket)
    ends = 0
    while ends < 2:
        for socket in sockets:
            if socket.poll(20):
                frames = socket.recv_multipart()
                (number,) = _numbers(frames)
                heard.append((number, frames))
                about_it = sent.encode() in frames[frames.index(DELIMITER) + 3]
                ends += about_it and (
                    b"execute_reply" in b"".join(frames) or b'"idle"' in frames[-1]
                )
    return sorted(heard, key=lambda one: one[0])


@pytest.mark.promise("SF-PERF-04")
def test_what_is_heard_live_and_what_is_journaled_are_the_same() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready()
        first = one.ask("journal_position", channel="control")["number"]
        heard = _raw(one, "for n in range(20): print(n, flush=True)\n'value'")
        numbers = [number for number, _ in heard if number > first]
        folder = Path(one.folder / "journal")
        kept = {n: frames for n, _, frames in journal.read_after(folder, first)}
        assert numbers == sorted(set(numbers))
        for number, frames in heard:
            if number in kept:
                marked = [frame for frame in frames if frame != b"#%d" % number]
                assert (
                    marked[marked.index(DELIMITER) :]
                    == (kept[number][kept[number].index(DELIMITER) :])
                )
        assert sorted(kept) == list(range(first + 1, max(kept) + 1)), "no number is missing"


def test_the_reply_comes_after_everything_that_the_cell_said() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready()
        for _ in range(10):
            heard = _raw(one, "print('text')\ndisplay(1)\n'value'")
            kinds = [
                kind
                for _, frames in heard
                for kind in (b"stream", b"display_data", b"execute_result", b"execute_reply")
                if b'"msg_type": "%s"' % kind in frames[frames.index(DELIMITER) + 2]
            ]
            assert kinds == [b"stream", b"display_data", b"execute_result", b"execute_reply"]


def test_what_nobody_hears_is_in_the_journal() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready()
        position = one.ask("journal_position", channel="control")["number"]
        one.start("print('nobody', 'hears', 'this')")
        one.client.stop_channels()
        folder = one.folder / "journal"

        def kinds() -> bool:
            text = b"".join(f for _, _, fs in journal.read_after(folder, position) for f in fs)
            return b"nobody hears this" in text and b"execute_reply" in text and b"idle" in text

        until(kinds, "the whole cell is in the journal")
