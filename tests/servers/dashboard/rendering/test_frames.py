"""What cells showed, served as documents of their own."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from tests.servers.dashboard.rendering.samples import ADA, NOON, SESSION

from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText
from hearth.core.vocabulary.envelope import Fact, Stored
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, EventId, InputId, SessionId
from hearth.servers.dashboard.rendering.frames import MOST_BYTES, MOST_ROWS, framed, kept, pictured
from hearth.servers.http.around import Around

CELL: Final = CellId("c3")
PNG: Final = b"\x89PNG\r\n\x1a\n picture"
HTML: Final = RichData({"text/html": "<table><tr><td>1</td></tr></table>"})
PICTURE: Final = RichData({"image/png": base64.b64encode(PNG).decode()})


class Store:
    """A log and what is kept beside it, in memory; it counts what it is asked for."""

    def __init__(self, *events: e.Event) -> None:
        self.stored = [_stored(version, one) for version, one in enumerate(events, 1)]
        self.contents: dict[str, bytes] = {}
        self.read = 0
        self.is_down = False

    def keep(self, content: bytes, media_type: str = "text/plain") -> Blob:
        digest = hashlib.sha256(content).hexdigest()
        self.contents[digest] = content
        return Blob(digest, len(content), media_type)

    async def rows(self, session: SessionId, after: int, most: int) -> Sequence[Stored]:
        if self.is_down:
            raise OSError("the disk is gone")
        assert session == SESSION
        found = self.stored[after : after + most]
        self.read += len(found)
        return found

    async def fetch(self, digest: str) -> bytes:
        if self.is_down:
            raise OSError("the disk is gone")
        return self.contents[digest]

    @property
    def around(self) -> Around:
        return cast("Around", SimpleNamespace(rows=self.rows, fetch=self.fetch))


def _stored(version: int, event: e.Event) -> Stored:
    cause = InputId(f"i{version}")
    fact = Fact(id=EventId(f"i{version}.0"), at=NOON, origin=ADA, cause=cause, event=event)
    return Stored(version, SESSION, version, codec.draft(fact).data)


def _ran(outputs: Outputs, between: int = 0) -> Store:
    return Store(
        e.CellStarted(CELL, "x"),
        *(e.CellCancelRequested(CELL, 1) for _ in range(between)),
        e.CellFinished(CELL, 0.1, outputs=outputs),
    )


def _is_locked(headers: Any) -> None:
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script" not in policy
    assert "allow" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


async def test_html_is_a_document_that_nothing_gets_out_of() -> None:
    store = _ran((StreamText("stdout", "x"), HTML))
    answer = await framed(store.around, SESSION, 1, "c3", 1)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert b"<table><tr><td>1</td></tr></table>" in answer.body
    _is_locked(answer.headers)


@pytest.mark.parametrize("closer", [e.CellFailed, e.CellCancelled])
async def test_a_cell_that_did_not_finish_shows_what_it_showed(closer: Any) -> None:
    given = {"failure": Interrupted("cut")} if closer is e.CellFailed else {}
    store = Store(e.CellStarted(CELL, "x"), closer(cell=CELL, outputs=(HTML,), **given))
    assert (await framed(store.around, SESSION, 1, "c3", 0)).status_code == 200


async def test_it_cannot_ask_for_addresses() -> None:
    evil = (
        "<LINK rel=dns-prefetch href=//a.example><meta http-equiv=refresh content=0><base href=x>"
    )
    store = _ran((RichData({"text/html": evil}),))
    body = bytes((await framed(store.around, SESSION, 1, "c3", 0)).body).decode()
    shown = body.partition("<body>")[2]
    assert "<" not in shown
    assert "&lt;LINK" in shown


async def test_what_was_kept_apart_is_fetched() -> None:
    store = Store()
    inner = store.keep(b"<p>inside</p>", "text/html")
    outputs = store.keep(codec.encode((RichData({"text/html": inner}),)), "application/json")
    store.stored = _ran(outputs).stored
    answer = await framed(store.around, SESSION, 1, "c3", 0)
    assert b"<p>inside</p>" in answer.body


async def test_a_picture_has_its_type_and_its_bytes() -> None:
    answer = await pictured(_ran((PICTURE,)).around, SESSION, 1, "c3", 0)
    assert answer.body == PNG
    assert answer.headers["content-type"] == "image/png"
    _is_locked(answer.headers)


async def test_a_drawing_is_locked_like_everything_else() -> None:
    svg = RichData({"image/svg+xml": "<svg><script>1</script></svg>"})
    answer = await pictured(_ran((svg,)).around, SESSION, 1, "c3", 0)
    assert answer.headers["content-type"] == "image/svg+xml"
    _is_locked(answer.headers)


async def test_content_is_text_whatever_it_is_unless_a_picture_is_wanted() -> None:
    store = Store()
    html = store.keep(b"<script>alert(1)</script>")
    for wanted in ("text", "html", "svg+xml", "../x"):
        answer = await kept(store.around, html.sha256, wanted)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        _is_locked(answer.headers)
    assert (await kept(store.around, html.sha256, "png")).headers["content-type"] == "image/png"


Ask = Callable[[Store], Any]
MISSING: Final[dict[str, Ask]] = {
    "another cell": lambda store: framed(store.around, SESSION, 1, "c4", 0),
    "another output": lambda store: framed(store.around, SESSION, 1, "c3", 9),
    "a text": lambda store: framed(store.around, SESSION, 1, "c3", 0),
    "no html": lambda store: framed(store.around, SESSION, 1, "c3", 1),
    "no picture": lambda store: pictured(store.around, SESSION, 1, "c3", 2),
    "below zero": lambda store: framed(store.around, SESSION, 1, "c3", -1),
    "no version": lambda store: framed(store.around, SESSION, 0, "c3", 1),
    "no name": lambda store: framed(store.around, SESSION, 1, 'c3","x":"', 1),
    "no hash": lambda store: kept(store.around, "../../etc/passwd"),
    "unknown hash": lambda store: kept(store.around, "ab" * 32),
}


@pytest.mark.parametrize("what", MISSING)
async def test_what_is_not_there_is_said_in_plain_words(what: str) -> None:
    answer = await MISSING[what](_ran((StreamText("stdout", "x"), PICTURE, HTML)))
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(answer.body) > 5
    _is_locked(answer.headers)


async def test_a_store_that_does_not_answer_is_told_apart() -> None:
    store = _ran((HTML,))
    store.is_down = True
    assert (await framed(store.around, SESSION, 1, "c3", 0)).status_code == 503
    assert (await kept(store.around, "ab" * 32)).status_code == 503


async def test_the_end_of_a_cell_is_looked_for_within_bounds() -> None:
    near, far = _ran((HTML,), between=900), _ran((HTML,), between=5000)
    assert (await framed(near.around, SESSION, 1, "c3", 0)).status_code == 200
    assert (await framed(far.around, SESSION, 1, "c3", 0)).status_code == 404
    assert far.read == MOST_ROWS


async def test_what_is_too_large_is_not_served() -> None:
    store = Store()
    blob = store.keep(b"x" * (MOST_BYTES + 1))
    assert (await kept(store.around, blob.sha256)).status_code == 404


async def test_rows_and_pictures_that_cannot_be_read_are_nothing() -> None:
    store = _ran((RichData({"image/png": "no base64!"}),))
    store.stored.insert(1, Stored(2, SESSION, 2, b'{"event": "c3"}'.replace(b"c3", b'"c3"')))
    assert (await pictured(store.around, SESSION, 1, "c3", 0)).status_code == 404
    broken = Store()
    outputs = broken.keep(b"{")
    broken.stored = _ran(outputs).stored
    assert (await framed(broken.around, SESSION, 1, "c3", 0)).status_code == 404
