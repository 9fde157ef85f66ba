import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run

from hearth.clients.mcp import running
from hearth.clients.mcp.errand import How


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, home: Path) -> Callable[[], How]:
    """What the bridge was told when it began; it ends at once."""
    told: list[How] = []
    monkeypatch.delenv("HEARTH_TOKEN", raising=False)

    def main(how: How) -> int:
        told.append(how)
        return 0

    monkeypatch.setattr(running, "main", main)

    def last() -> How:
        assert told[-1].home == str(home)
        return told[-1]

    return last


def test_it_speaks_as_the_person_from_here(run: Run, here: str, begun: Callable[[], How]) -> None:
    assert run("mcp").code == 0
    how = begun()
    assert (how.directory, how.token, how.session, how.may_start) == (here, "", "", True)


def test_it_speaks_as_it_is_told(
    run: Run, here: str, begun: Callable[[], How], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(here, "other").mkdir()
    Path(here, "token").write_text("abc\n")
    monkeypatch.setenv("HEARTH_TOKEN", "not-this")
    words = ("mcp", "--proj", "other", "--token-file", "token", "-s", "shop", "--no-start")
    assert run(*words).code == 0
    how = begun()
    assert (how.directory, how.token) == (f"{here}/other", "abc")
    assert (how.session, how.may_start) == ("shop", False)
    assert run("mcp").code == 0
    assert begun().token == os.environ["HEARTH_TOKEN"]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--token-file", "none"), "none cannot be read: No such file"),
        (("--token-file", "empty"), "empty is empty"),
        (("--token-file", "odd"), "what odd holds is no token"),
        (("--proj", "none"), "there is no directory none"),
        (("--json",), "has no use for --json"),
        (("--proj", ".", "install"), "must stand right behind"),
        (("instal",), "knows no `instal`"),
    ],
)
def test_what_is_wrong_is_told_before_anything_begins(
    run: Run, here: str, begun: Callable[[], How], words: tuple[str, ...], wrong: str
) -> None:
    Path(here, "empty").write_text("\n")
    Path(here, "odd").write_text("two words\n")
    done = run("mcp", *words)
    assert done.code == (1 if "--token-file" in words else 2)
    assert wrong in done.out + done.err
    assert "hint" in done.out + done.err
    with pytest.raises(IndexError):
        begun()


def test_a_folder_that_is_gone_is_nowhere(run: Run, here: str, begun: Callable[[], How]) -> None:
    Path(here).rmdir()
    assert run("mcp").code == 0
    assert begun().directory == ""
