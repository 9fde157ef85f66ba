"""The log of the daemon is lines of JSON that never grow without end."""

import json
import logging
import sys
from collections.abc import Iterator
from contextvars import copy_context
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.http import telling
from hearth.serving import logs
from hearth.serving.logs import Kept, keep_log, let_go

_said = logging.getLogger("hearth.some.part")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    before = logging.getLogger().level
    kept = keep_log(tmp_path / "daemon.log")
    yield kept
    let_go(kept)
    logging.getLogger().setLevel(before)


def lines(kept: Kept) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(kept.baseFilename).read_text().splitlines()]


def test_a_line_tells_when_who_and_what(kept: Kept) -> None:
    _said.warning("%s of %s", "one", "two")
    (line,) = lines(kept)
    assert line["message"] == "one of two"
    assert line["level"] == "warning"
    assert line["logger"] == "hearth.some.part"
    assert line["time"].endswith("+00:00")
    assert set(line) == {"time", "level", "logger", "message"}


def test_what_is_logged_for_a_request_carries_its_ids(kept: Kept) -> None:
    def answer() -> None:
        telling.begin("r-1")
        telling.on("session-a")
        telling.by(Origin(Actor.PERSON, "ann", Door.CLI))
        _said.info("done")
        telling.answered("POST", "/sessions", 202, 0.0123)
        _said.info("done later")

    copy_context().run(answer)
    during, its_own, later = lines(kept)
    assert (during["request"], during["session"]) == ("r-1", "session-a")
    assert during["origin"] == "person:ann@cli"
    assert its_own["request"] == "r-1"
    assert (its_own["method"], its_own["path"], its_own["status"]) == ("POST", "/sessions", 202)
    assert its_own["ms"] == 12.3
    assert "request" not in later


def test_a_defect_has_its_traceback_in_one_line(kept: Kept) -> None:
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        _said.exception("it broke")
    (line,) = lines(kept)
    assert line["message"] == "it broke"
    assert "ZeroDivisionError: division by zero" in line["traceback"]


def test_nothing_that_is_logged_can_forge_a_line_or_break_one(kept: Kept) -> None:
    _said.info('one\n{"level":"error"}\x1b[31m')
    # Past pytest, which keeps what is logged and cannot hand such a text on.
    odd = _said.makeRecord(_said.name, logging.INFO, "", 1, "half a pair: \ud800", (), None)
    kept.handle(odd)
    _said.info("odd", extra={"status": object()})
    assert len(lines(kept)) == 3
    assert "\x1b" not in Path(kept.baseFilename).read_text()


def test_only_its_owner_can_read_it(kept: Kept) -> None:
    _said.info("x")
    kept.doRollover()
    _said.info("y")
    modes = {
        path.name: path.stat().st_mode & 0o777
        for path in Path(kept.baseFilename).parent.glob("daemon.log*")
    }
    assert modes == {"daemon.log": 0o600, "daemon.log.1": 0o600}


def test_old_lines_go_in_the_end(tmp_path: Path, kept: Kept) -> None:
    kept.maxBytes = 2000
    for number in range(200):
        _said.info("line %d of many, long enough to fill a file soon", number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["daemon.log", *(f"daemon.log.{one}" for one in range(1, logs.KEPT + 1))]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2000 * (logs.KEPT + 1)


def test_a_full_disk_costs_the_line_alone(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: str) -> int:
        raise OSError(28, "No space left on device")

    assert kept.stream is not None
    with monkeypatch.context() as patch:
        patch.setattr(kept, "stream", type("Full", (), {"write": staticmethod(full)})())
        patch.setattr(kept, "shouldRollover", lambda _: False)
        _said.info("lost")
    _said.info("kept")
    assert [line["message"] for line in lines(kept)] == ["kept"]
    assert capsys.readouterr().err == ""


def test_a_person_who_watches_reads_the_sentences_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = StringIO()
    monkeypatch.setattr(watched, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", watched)
    kept = keep_log(tmp_path / "daemon.log")
    _said.warning("one")
    let_go(kept)
    _said.warning("two")
    assert watched.getvalue() == "one\n"


def test_nothing_is_written_any_more_once_it_is_let_go(tmp_path: Path) -> None:
    kept = keep_log(tmp_path / "daemon.log")
    let_go(kept)
    _said.error("too late")
    assert (tmp_path / "daemon.log").read_text() == ""
