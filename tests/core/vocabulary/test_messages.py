"""Messages are values: equal when they say the same, and never changed."""

from dataclasses import FrozenInstanceError

import pytest

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Returned,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)

B = BlockId("b1")


def test_messages_that_say_the_same_are_equal() -> None:
    parts = (SaidText("a"), Thought("b", "{}", "m"), Called("w", "look", "{}"))
    assert AssistantMessage(B, parts) == AssistantMessage(B, tuple(parts))
    assert ToolMessage(B, (Returned("w", "look", "x"),)) != ToolMessage(
        B, (Returned("w", "look", "x", is_error=True),)
    )


def test_a_message_cannot_be_changed() -> None:
    message = UserMessage(B, "hello")
    with pytest.raises(FrozenInstanceError):
        message.text = "other"  # type: ignore[misc]  # that is what is tried
