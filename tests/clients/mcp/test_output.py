import os
import threading

from hearth.clients.mcp.output import MOST, Output

PATIENCE = 30.0


def test_lines_come_whole_and_in_order_however_much_is_written() -> None:
    reading, writing = os.pipe()
    output = Output(writing, lambda: None)
    lines = [b"x" * (number * 1000) for number in range(200)]
    for line in lines:
        output.put(line)
    with open(reading, "rb") as file:  # noqa: PTH123 - it has no path
        found = [file.readline() for _ in lines]
    assert found == [line + b"\n" for line in lines]
    output.close(PATIENCE)
    os.close(writing)


def test_whoever_does_not_read_is_noticed_and_holds_up_nobody() -> None:
    reading, writing = os.pipe()
    woken = threading.Event()
    output = Output(writing, woken.set)
    large = b"x" * (MOST + 1)
    output.put(large)
    assert output.is_full
    assert not woken.is_set()
    got = 0
    while got < len(large) + 1:
        got += len(os.read(reading, 1 << 20))
    assert woken.wait(PATIENCE)
    assert not output.is_full
    output.close(PATIENCE)
    os.close(writing)
    os.close(reading)


def test_a_reader_that_is_gone_is_told() -> None:
    reading, writing = os.pipe()
    woken = threading.Event()
    output = Output(writing, woken.set)
    os.close(reading)
    output.put(b"x")
    assert woken.wait(PATIENCE)
    assert output.is_gone
    output.put(b"y")
    output.close(PATIENCE)
    os.close(writing)
