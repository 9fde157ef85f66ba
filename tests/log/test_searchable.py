import pytest
from tests.contracts.facts import draft_of, renamed, started

from hearth.core.vocabulary.blocks import (
    Block,
    NoticeBlock,
    NoticeKind,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.events import CellFailed, CellFinished, Event, SessionStarted
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, MessageId, TurnId
from hearth.core.vocabulary.turns import BlockSealed, MessageQueued, PrefixStarted
from hearth.log.searchable import (
    MAX_QUERY_WORDS,
    excerpt,
    query_words,
    searchable_text,
    words_of,
)

CELL = CellId("c1")
K1 = CallId("k1")


def said(content: Block) -> BlockSealed:
    return BlockSealed(BlockId("b1"), TurnId("t1"), 0, Role.ASSISTANT, content)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (SessionStarted(SessionConfig(name="river study")), {"river", "study"}),
        (CellFinished(CELL, 1.5, value="42", names=("total",)), {"42", "total"}),
        (CellFinished(CELL, 1.5, outputs=(StreamText("stderr", "oh no"),)), {"oh", "no"}),
        (
            CellFinished(
                CELL, 1.5, outputs=(RichData({"text/plain": "plain", "text/html": "<b>"}),)
            ),
            {"plain"},
        ),
        (
            CellFinished(CELL, 1.5, outputs=(RichData({"text/html": "b", "image/png": "iV"}),)),
            {"b"},
        ),
        (CellFinished(CELL, 1.5, value=Blob("ab", 9, head="begins so")), {"begins", "so"}),
        (CellFailed(CELL, CodeRaised("KeyError", "'x'", "line 3")), {"keyerror", "x", "line", "3"}),
        (said(TextBlock("where is it?")), {"where", "is", "it"}),
        (said(ThinkingBlock("hm", '{"signature":"abc"}', "some:model")), {"hm"}),
        (said(ToolCallBlock(K1, "look", '{"path":"a.py"}', "w1")), {"look", "path", "a", "py"}),
        (said(ToolResultBlock(K1, "look", "seen", files=("b.py",))), {"look", "seen", "b", "py"}),
        (said(NoticeBlock(NoticeKind.CANCELLED, "stopped here")), {"stopped", "here"}),
        (MessageQueued(MessageId("m1"), "later"), set()),
        (PrefixStarted(1, "first", "some:model", "be good", "[]"), set()),
    ],
)
def test_only_what_somebody_wrote_can_be_found(event: Event, words: set[str]) -> None:
    assert set(words_of(searchable_text(draft_of(event).data))) == words


def test_code_keeps_its_text_and_loses_its_colours() -> None:
    assert searchable_text(started("a = 1\nb").data) == "a = 1\nb"
    assert searchable_text(renamed("\x1b[31mred\x1b[0m\0end").data) == "red end"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b'{"event": 7}', b"\xff", b"[" * 5000])
def test_what_cannot_be_read_has_no_text(data: bytes) -> None:
    assert searchable_text(data) == ""


def test_a_query_is_its_words() -> None:
    assert query_words('Load_Frame "load" (OR) Größe 3.14') == [
        *("load", "frame", "or", "größe", "3", "14")
    ]
    assert query_words(" \"'()*:-^\0 ") == []
    assert len(query_words(" ".join(map(str, range(500))))) == MAX_QUERY_WORDS


def test_an_excerpt_shows_the_words_and_says_what_is_left_out() -> None:
    text = "start " * 50 + "the Needle here" + " end" * 50
    shown = excerpt(text, ["needle"])
    assert "the Needle here" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 200
    assert excerpt("short\nneedle", ["needle"]) == "short needle"
