"""A conversation as text."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace
from tests.contracts.playing_talks import Talk as Played
from tests.contracts.playing_talks import call, thinking
from tests.servers.dashboard.composing.reading import failed, talked

from hearth.api import Viewed
from hearth.core.views.conversation import Conversation
from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.vocabulary.blocks import TextBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CallId, SessionId, TurnId
from hearth.core.vocabulary.refusals import Refusal, UnknownSession
from hearth.servers.dashboard.composing.copying import (
    LONGEST_DETAIL,
    LONGEST_TEXT,
    MOST,
    as_text,
    conversation_text,
)
from hearth.servers.http.around import Around


def copied(talk: Played) -> str:
    return as_text(talked(talk)[0], talk.loaded())


@pytest.mark.promise("DP-UI-17")
def test_it_begins_with_how_the_session_stands() -> None:
    text = copied(Played().says("hello").answers("hi"))
    top = text.split("## ")[0]
    for part in (
        "session: session-a1b2c3",
        "directory: /home/anna/loom",
        "state: ready",
        "model: anthropic:claude-sonnet-4-5",
        "of 200000 tokens",
        "2 messages",
        "0 approvals",
    ):
        assert part in top


@pytest.mark.promise("DP-UI-17")
def test_each_message_says_what_it_consists_of() -> None:
    talk = Played().says("look").answers(thinking("hm, well"), "I do", call("run_code", code="1"))
    text = copied(talk)
    assert "## anna" in text
    assert "text 4 characters]" in text
    assert "thinking 8 characters, " in text
    assert "call k" in text or "run_code" in text
    assert 'run_code {"code":"1"}' in text
    assert "hm, well" not in text


def test_an_error_is_part_of_it() -> None:
    assert "error: " in copied(failed())
    assert "the last turn failed" in copied(failed())


def test_what_is_being_written_is_part_of_it() -> None:
    status, _ = talked(Played())
    written = OpenBlock(TurnId("t1"), 0, 0, OpenKind.TEXT, "so f")
    said = replace(Conversation(), open=(written,))
    assert as_text(status, said).rstrip().endswith("so f")


def test_what_is_long_is_cut_and_says_how_long_it_is() -> None:
    talk = Played().says("x" * (LONGEST_TEXT + 9)).answers("short")
    text = copied(talk)
    assert f"({LONGEST_TEXT + 9} characters in all)" in text
    assert "x" * (LONGEST_TEXT + 1) not in text
    status, said = talked(talk)[0], talk.loaded()
    blob = Blob("0" * 64, 10**9, head="begins so")
    row = replace(said.rows[0], content=TextBlock(blob))
    assert "begins so … (1000000000 bytes in all)" in as_text(status, replace(said, rows=(row,)))


def test_the_whole_of_it_is_bounded_and_the_newest_is_kept() -> None:
    talk = Played().says("first").answers("short")
    status, said = talked(talk)[0], talk.loaded()
    long = replace(said.rows[0], content=TextBlock("y" * LONGEST_TEXT))
    rows = tuple(replace(long, step=number) for number in range(100))
    text = as_text(status, replace(said, rows=(*rows, said.rows[-1])))
    assert len(text) < MOST + LONGEST_TEXT
    assert text.rstrip().endswith("short")
    assert "earlier messages are not part of this text" in text
    assert "earlier messages" not in copied(talk)


def test_a_result_cannot_end_the_block_it_stands_in() -> None:
    talk = Played().says("a").answers("b")
    status, said = talked(talk)[0], talk.loaded()
    result = ToolResultBlock(CallId("k1"), "bash", "```\nout", is_error=True)
    text = as_text(status, replace(said, rows=(replace(said.rows[0], content=result),)))
    assert "````\n```\nout\n````" in text
    assert "error k1 bash" in text
    assert LONGEST_DETAIL < LONGEST_TEXT


class _Hearth:
    def __init__(self, known: Mapping[str, msgspec.Struct]) -> None:
        self.known = known

    async def view(self, name: str, session: SessionId) -> Viewed | Refusal:
        if name in self.known:
            return Viewed(self.known[name], 1)
        return UnknownSession(session=session, why="no session has this id")


async def test_it_is_made_of_the_views_of_the_session() -> None:
    talk = Played().says("hello").answers("hi")
    views = {"status": talked(talk)[0], "conversation": talk.loaded()}
    around = cast("Around", SimpleNamespace(hearth=_Hearth(views)))
    assert await conversation_text(around, SessionId("session-a1b2c3")) == copied(talk)


async def test_a_session_that_cannot_be_seen_says_why() -> None:
    around = cast("Around", SimpleNamespace(hearth=_Hearth({})))
    assert await conversation_text(around, SessionId("x")) == "no session has this id\n"
