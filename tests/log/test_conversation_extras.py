"""What hearth writes for itself comes back; what is missing or odd counts as not said."""

from typing import Any

import msgspec
import pytest
from tests.contracts.facts import ANNA, NOON

from hearth.core.views.conversation_rows import Row
from hearth.core.vocabulary.blocks import ErrorBlock, NoticeBlock, NoticeKind, Role, TextBlock
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import BlockId, TurnId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.prompting import Effort
from hearth.log.conversation_extras import (
    about,
    aside,
    aside_of,
    author_of,
    config_of,
    effort_of,
    extra_of,
)
from hearth.log.conversation_format import Header


@pytest.mark.parametrize(
    "block",
    [
        ErrorBlock("no key", 401),
        ErrorBlock("gone"),
        *[NoticeBlock(kind, "so it is") for kind in NoticeKind],
    ],
)
def test_what_is_for_people_comes_back(block: ErrorBlock | NoticeBlock) -> None:
    assert aside_of(extra_of(aside(block))) == block


def test_what_is_missing_or_odd_counts_as_nothing() -> None:
    assert extra_of({"hearth": 3}) == {}
    assert aside_of({"block": {"type": "odd"}}) is None
    assert aside_of({}) is None


def test_who_said_something_comes_back_and_is_guessed_where_it_is_not_told() -> None:
    row = Row(
        seq=1,
        version=1,
        at=NOON,
        block=BlockId("b1"),
        turn=TurnId("t1"),
        step=2,
        role=Role.USER,
        author=ANNA,
        content=TextBlock("hello"),
    )
    extra = extra_of(about(row))
    assert (extra["turn"], extra["step"]) == ("t1", 2)
    assert author_of(extra, Actor.AGENT, "a model") == ANNA
    assert author_of({}, Actor.PERSON, "") == Origin(Actor.PERSON, "", Door.CLI)
    assert author_of({"author": 3}, Actor.AGENT, "m") == Origin(Actor.AGENT, "m", Door.ENGINE)


@pytest.mark.parametrize("effort", Effort)
def test_an_effort_comes_back(effort: Effort) -> None:
    assert effort_of({"effort": effort.value}) is effort


@pytest.mark.parametrize("extra", [{}, {"effort": "utmost"}, {"effort": []}, {"effort": None}])
def test_an_effort_that_is_none_was_not_told(extra: dict[str, Any]) -> None:
    assert effort_of(extra) is None


def test_a_session_is_set_up_as_it_was_but_is_no_fork_and_has_its_name_elsewhere() -> None:
    config = SessionConfig(directory="/there", name="talk", projects=("/there/one",))
    said = {"config": msgspec.to_builtins(config)}
    header = Header(version=1, id="x", timestamp=NOON, cwd="/here", hearth=said)
    assert config_of(header) == SessionConfig(directory="/here", projects=("/there/one",))
    odd = msgspec.structs.replace(header, hearth={"config": {"directory": 3}})
    assert config_of(odd) == SessionConfig(directory="/here")
