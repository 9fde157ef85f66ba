"""Branches of a conversation in an engine: what models are sent when people go to and fro."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contracts.hearth_api import accepted, ran, until
from tests.journeys.agents import Life, S, living
from tests.journeys.outliving import Outliving
from tests.providers.script import Json, Reply, Say
from tests.providers.server import Fake, provider

from hearth.api import Viewed
from hearth.core.views.branches import Branch, Branches
from hearth.core.views.conversation import Conversation, carry_on, conversation
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.commands import ForkPoint, SessionConfig
from hearth.core.vocabulary.ids import BlockId, SessionId

FORK = SessionId("session-fork")


def answer(_: Json, number: int) -> Reply:
    return Reply((Say(f"A{number + 1}"),))


@asynccontextmanager
async def three_turns(home: Path) -> AsyncIterator[tuple[Life, Fake]]:
    """A conversation of three messages and their answers."""
    async with provider("anthropic", answer) as fake, living(home, Outliving(), fake.url) as life:
        for said in ("Q1", "Q2", "Q3"):
            await ran(life.engine, p.SendMessage(said), S)
        yield life, fake


def sent(fake: Fake) -> list[str]:
    """The texts of the newest request."""
    return [_text(one["content"]) for one in json.loads(fake.requests[-1].body)["messages"]]


def _text(content: str | list[Json]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


async def block(life: Life, said: str) -> BlockId:
    """The newest block that says this."""
    events = [one.event for one in reversed(await life.envelopes())]
    return next(
        one.block for one in events if isinstance(one, t.BlockSealed) and said in repr(one.content)
    )


async def listed(life: Life) -> tuple[Branch, ...]:
    viewed = await life.engine.view("branches", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Branches)
    return viewed.value.rows


@pytest.mark.promise("DP-SESS-04", "DP-SESS-05")
async def test_a_message_that_was_edited_and_the_one_it_was_can_both_be_gone_back_to(
    tmp_path: Path,
) -> None:
    async with three_turns(tmp_path / "home") as (life, fake):
        engine, old = life.engine, await block(life, "A3")
        await ran(engine, p.EditMessage(await block(life, "Q1"), "Q1-EDITED", "keep"), S)
        edited, other = await listed(life)
        assert (edited.current, edited.preview, edited.blocks) == (True, "Q3", 7)
        assert (other.leaf, other.preview, other.blocks, other.parts_at) == (old, "Q3", 6, "")
        await ran(engine, p.SendMessage("Q4"), S)
        kept = ["Q1-EDITED", "A1", "Q2", "A2", "Q3", "A3"]
        assert sent(fake) == [*kept, "Q4"]
        # The old one, though the other went on; then the edited one as it was.
        await ran(engine, p.SwitchBranch(old), S)
        assert [row.leaf for row in await listed(life) if row.current] == [old]
        await ran(engine, p.SendMessage("Q5"), S)
        assert sent(fake) == ["Q1", "A1", "Q2", "A2", "Q3", "A3", "Q5"]
        await ran(engine, p.SwitchBranch(edited.leaf), S)
        await ran(engine, p.ContinueTurn(), S)
        assert sent(fake)[:-1] == kept
        # An edit of the edit, answered anew.
        await ran(engine, p.SwitchBranch(edited.leaf), S)
        await ran(engine, p.EditMessage(await block(life, "Q1-EDITED"), "Q1-AGAIN", "keep"), S)
        assert {row.leaf for row in await listed(life)} >= {await block(life, "was edited")}
        await ran(engine, p.RegenerateTurn(), S)
        assert sent(fake) == ["Q1-AGAIN", "A1", "Q2", "A2", "Q3"]
        await ran(engine, p.SwitchBranch(edited.leaf), S)
        await ran(engine, p.SendMessage("Q6"), S)
        assert sent(fake) == [*kept, "Q6"]
        envelopes = await life.envelopes()
        viewed = await engine.view("conversation", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Conversation)
        live = conversation(envelopes)
        assert live.cut
        assert live.now == viewed.value.now
        assert carry_on(viewed.value, envelopes[-1]) == viewed.value
        assert fake.refusals == []


@pytest.mark.promise("DP-SESS-01", "DP-SESS-05")
async def test_a_fork_at_the_end_of_an_edit_has_what_the_edit_kept(tmp_path: Path) -> None:
    async with three_turns(tmp_path / "home") as (life, fake):
        engine = life.engine
        await ran(engine, p.EditMessage(await block(life, "Q2"), "Q2-EDITED", "keep"), S)
        point = ForkPoint(S, await block(life, "was edited"))
        following = engine.follow(FORK)
        await accepted(engine, c.CreateSession(SessionConfig(forked_from=point)), FORK)
        await until(following, t.ConversationForked)
        following.close()
        await ran(engine, p.SendMessage("Q4"), FORK)
        assert sent(fake) == ["Q1", "A1", "Q2-EDITED", "A2", "Q3", "A3", "Q4"]
