"""`hearth open`."""

from pathlib import Path

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon

URL = "http://127.0.0.1:37749/login?code=once"


@pytest.fixture
def coded(daemon: FakeDaemon) -> FakeDaemon:
    made = {"code": "once", "url": URL, "expiresAt": "2026-01-02T03:05:05Z"}
    daemon.on("POST /codes", made)
    return daemon


@pytest.mark.usefixtures("coded")
def test_the_link_is_printed_alone_on_stdout(run: Run) -> None:
    done = run("open")
    assert (done.code, done.out) == (0, f"{URL}\n")
    assert "works once" in done.err
    assert run("open", "--json").json == {
        "url": URL,
        "expiresAt": "2026-01-02T03:05:05Z",
        "opened": False,
    }


@pytest.mark.usefixtures("coded")
def test_a_browser_is_given_the_link_where_there_is_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def browse(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", browse)
    assert "opened in the browser" in run("open").err
    assert opened == [URL]
    assert run("open", "--no-browser").out == f"{URL}\n"
    assert opened == [URL]


@pytest.mark.usefixtures("coded")
def test_a_browser_that_fails_does_no_harm(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:

    def broken(url: str) -> bool:
        raise OSError(url)

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", broken)
    done = run("open")
    assert (done.code, done.out) == (0, f"{URL}\n")
    assert tmp_path.exists()
