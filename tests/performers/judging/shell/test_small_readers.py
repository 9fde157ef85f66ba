import subprocess
from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven
from hearth.performers.judging.shell.small_readers import SMALL_READERS


def _reads(name: str, *texts: str | None) -> Reads:
    words = tuple(Argument(text or '"$x"', text) for text in texts)
    return SMALL_READERS[name](Call(name, words, Place("/p", "/p")))


def test_tests_name_the_paths_they_look_for() -> None:
    assert _reads("[", "-f", "a", "]").paths == ("a",)
    assert _reads("test", "!", "-e", "a", "-o", "b", "-nt", "c").paths == ("a", "b", "c")
    assert _reads("[", "-n", None, "]") == Reads()
    assert _reads("[", None, "=", "a", "]") == Reads()


@pytest.mark.parametrize(
    "words",
    [
        ("test", "-v", "a[1]"),
        ("[", "-f", "a"),
        ("[", "-f", None, "]"),
        ("[", None, "b", "]"),
        ("[", None, "=", "a", "-a", None, "=", "b", "]"),
        ("test", "-R", "x"),
    ],
)
def test_a_test_that_may_do_more_is_not_proven(words: tuple[str, ...]) -> None:
    with pytest.raises(Unproven):
        _reads(*words)


def test_what_tests_compare_is_never_run_by_bash(tmp_path: Path) -> None:
    """What `test` is trusted with rests on this."""
    canary = tmp_path / "canary"
    trick = f"a[$(touch {canary})]"
    for between in ("-eq", "-lt", "=", "-nt"):
        subprocess.run(  # noqa: S603 - a line of this test
            ["bash", "-c", '[ "$1" "$2" 1 ]', "x", trick, between],  # noqa: S607 - the bash there is
            capture_output=True,
            check=False,
        )

    assert not canary.exists()


def test_dates_are_shown_and_not_set() -> None:
    assert _reads("date", "+%s") == Reads()
    assert _reads("date", "-r", "a").paths == ("a",)
    for words in (["-s", "x"], ["01010000"], ["--set=x"], ["-f", "a"]):
        with pytest.raises(Unproven):
            _reads("date", *words)


def test_versions_are_asked_for_in_one_word() -> None:
    assert _reads("python3", "--version") == Reads()
    for words in (["--version", "x"], ["-c", "1"], ["-v"], []):
        with pytest.raises(Unproven):
            _reads("python3", *words)


@pytest.mark.parametrize(
    "words",
    [
        ("printf", "-v", "x"),
        ("read", "PATH"),
        ("exit", "x"),
        ("command", "ls"),
        ("pip", "install", "x"),
        ("pip", "list", "--outdated"),
    ],
)
def test_what_does_more_is_not_proven(words: tuple[str, ...]) -> None:
    with pytest.raises(Unproven):
        _reads(*words)


def test_a_program_that_is_told_to_load_more_may_load_the_projects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"):
        monkeypatch.delenv(variable, raising=False)
    _reads("pip", "list")
    _reads("mypy", "--version")
    monkeypatch.setenv("PYTHONPATH", ".")
    for words in (("pip", "list"), ("mypy", "--version")):
        with pytest.raises(Unproven, match="PYTHONPATH"):
            _reads(*words)
