import subprocess
import sys
import time

from hearth.performers.tools.files.talking import Talk


class Ear:
    """Listens, and has some things to do meanwhile."""

    def __init__(self, tasks: int) -> None:
        self.heard = b""
        self.tasks = tasks
        self.done = 0

    def hear(self, part: bytes) -> None:
        self.heard += part

    def work(self) -> bool:
        self.done += self.done < self.tasks
        return self.done < self.tasks


def talk(code: str, ear: Ear | None = None, most: int = 10_000, seconds: float = 30) -> Talk:
    process = subprocess.Popen(  # noqa: S603 - the Python of the tests
        [sys.executable, "-I", "-S", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    heard = Talk(process, most, time.monotonic() + seconds, ear)
    try:
        heard.listen()
    finally:
        process.kill()
        process.wait()
        heard.finish()
        heard.close()
        if process.stdin is not None:
            process.stdin.close()
    return heard


def test_both_that_a_program_says_is_heard_however_much_of_it_is_for_stderr() -> None:
    heard = talk("import sys; sys.stderr.write('e' * 1_000_000); print('out')")
    assert heard.output == b"out\n"
    assert heard.words == "e" * 10_000
    assert not heard.is_cut
    assert not heard.is_late


def test_somebody_who_listens_works_while_nothing_is_said_and_hears_it_all() -> None:
    ear = Ear(3)
    heard = talk("import sys; print('a' * 5000); sys.stdout.flush(); print('b')", ear)
    assert ear.heard == b"a" * 5000 + b"\nb\n"
    assert heard.output == b""
    assert ear.done <= 3


def test_one_who_falls_silent_is_late_also_if_somebody_has_work_to_do() -> None:
    ear = Ear(5)
    heard = talk("import sys; print(1, flush=True); sys.stdin.read()", ear, seconds=2)
    assert heard.is_late
    assert ear.done == 5
    assert talk("import sys; sys.stdin.read()", seconds=0.05).is_late


def test_no_more_is_taken_than_may_be() -> None:
    ear = Ear(0)
    code = "while True: print('x' * 1000)"
    assert talk(code, ear, most=4500).is_cut
    assert len(ear.heard) == 4500
    assert len(talk(code, most=4500).output) == 4500
