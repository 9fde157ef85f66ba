"""`add_knowledge`: an agent notes what later sessions in the project should know."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hearth.core.rules.tooling import ADD_KNOWLEDGE
from hearth.performers.prefix.knowledge import (
    LONGEST,
    LONGEST_TAG,
    MOST_TAGS,
    Knowledge,
    KnowledgeUnusable,
    Note,
)
from hearth.performers.tools.tool import Outcome, Scene, Wanted
from hearth.settings.agents import AgentSettings


def _now() -> datetime:
    return datetime.now(UTC)


class AddKnowledge:
    """Offered in projects that the person trusts, unless they do not want it."""

    name = ADD_KNOWLEDGE
    description = (
        "Note something about this project that later sessions should know: how it is built and "
        "tested, a decision and its reason, a trap, what a person prefers. One fact per note, "
        "complete in itself. Not for what the files say anyway, and never for secrets."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "description": "The fact, in a sentence or two.",
                "minLength": 1,
                "maxLength": LONGEST,
            },
            "tags": {
                "type": "array",
                "description": "Words to find it by.",
                "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_TAG},
                "maxItems": MOST_TAGS,
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(
        self,
        settings: Callable[[str], AgentSettings],
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._settings = settings
        self._now = now

    def is_offered(self, scene: Scene) -> bool:
        """Whether there is a project that agents may write to."""
        return bool(scene.root) and self._settings(scene.directory).remembers

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        """Nothing: it is not offered unless the person wants it."""
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Write the note down."""
        text = arguments["text"].strip()
        if not text:
            return Outcome("The text is empty. Nothing was noted.", is_error=True)
        tags = tuple(dict.fromkeys(arguments.get("tags", ())))
        knowledge = Knowledge(Path(scene.root))
        at = self._now().isoformat(timespec="seconds")
        try:
            noted: Note | None = await asyncio.to_thread(
                knowledge.add, text, at, scene.session, tags
            )
        except KnowledgeUnusable as error:
            return Outcome(f"Nothing was noted: {error}", is_error=True)
        if noted is None:
            return Outcome("That is noted already.")
        return Outcome(f"Noted as {noted.id}, for sessions that begin from now on.")
