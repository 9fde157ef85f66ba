from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hearth.performers.tools.shell.kept_output import KeptOutput
from hearth.performers.tools.shell.program import Ended
from hearth.performers.tools.shell.running import Running
from hearth.performers.tools.shell.telling import finished, line_of, news, shortly


def ran(written: bytes = b"", **how: object) -> Running:
    running = Running("make all", KeptOutput(head=10, tail=10), lambda _: None)
    running.output.take(written)
    for name, value in {"ended": Ended(code=0), **how}.items():
        setattr(running, name, value)
    return running


@contextmanager
def telling(running: Running) -> Iterator[tuple[str, bool]]:
    outcome = finished(running, 3600)
    yield outcome.text, outcome.is_error


def test_output_comes_first_and_then_how_it_ended() -> None:
    assert finished(ran(b"hello\n"), 60).text == "hello\n\nExit code 0."
    assert finished(ran(), 60).text == "(no output)\n\nExit code 0."


def test_a_command_that_says_no_has_run_as_it_should() -> None:
    with telling(ran(b"x", ended=Ended(code=3))) as (text, is_error):
        assert text.endswith("Exit code 3.")
        assert not is_error


def test_a_signal_has_its_name() -> None:
    assert finished(ran(ended=Ended(signal=11)), 60).text.endswith("Ended by SIGSEGV (signal 11).")
    assert finished(ran(ended=Ended(signal=99)), 60).text.endswith("Ended by signal 99.")


def test_a_command_that_took_too_long_is_an_error_with_a_hint() -> None:
    with telling(ran(b"x", ended=Ended(signal=15), timed_out_after=120.0)) as (text, is_error):
        assert "x\n\nTimed out after 120 s and was ended (Ended by SIGTERM (signal 15))." in text
        assert "up to 3600 s" in text
        assert "background: true" in text
        assert is_error


def test_a_command_that_never_ran_is_an_error() -> None:
    with telling(ran(ended=Ended(problem="/x: No such file or directory"))) as (text, is_error):
        assert text == "It could not be run: /x: No such file or directory."
        assert is_error


def test_who_left_something_running_is_told_what_became_of_it() -> None:
    text = finished(ran(ended=Ended(code=0, left=2)), 60).text
    assert "2 processes that it left running were ended" in text
    assert "background: true" in text


def test_what_is_left_out_is_counted() -> None:
    text = finished(ran(b"0123456789" * 5), 60).text
    assert text.startswith("0123456789\n… 30 bytes are left out here; it is not kept …\n0123456789")
    assert text.endswith("Exit code 0. It wrote 50 bytes: it is not kept.")


def test_what_it_left_where_git_looks_is_told_last() -> None:
    assert finished(ran(afterword="A hook is new."), 60).text.endswith("0. A hook is new.")


def test_of_a_job_what_is_new_is_told_once() -> None:
    running = ran(b"one\n", ended=None)
    assert news("j1", running) == "one\n\nJob j1 runs."
    assert news("j1", running) == "(no new output)\n\nJob j1 runs."
    running.output.take(b"two\n")
    running.ended = Ended(code=1)
    assert news("j1", running) == "two\n\nJob j1 has ended. Exit code 1."


@pytest.mark.parametrize(
    ("ended", "line"),
    [(None, "j1: runs: make all"), (Ended(code=2), "j1: Exit code 2: make all")],
)
def test_a_job_is_one_line_of_a_list(ended: Ended | None, line: str) -> None:
    assert line_of("j1", ran(ended=ended)) == line


def test_a_long_command_is_shortened_to_a_line() -> None:
    assert shortly("a\n  b") == "a b"
    assert len(shortly("x" * 1000)) == 200


def test_a_job_that_was_stopped_says_so() -> None:
    said = news("j1", ran(ended=Ended(signal=15), was_stopped=True))
    assert "It was stopped (Ended by SIGTERM (signal 15))." in said
