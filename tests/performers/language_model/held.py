"""Conversations that tests write into a log by hand, and models that are asked about them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, TypeVar

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.blocks import (
    Block,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Fact, Stored
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import (
    CallId,
    EventId,
    InputId,
    RequestId,
    SessionId,
    TurnId,
    block_id,
)
from hearth.core.vocabulary.lines import Dialect, Line, ModelChoice
from hearth.core.vocabulary.modelling import AskModel, Written
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import Report
from hearth.core.vocabulary.turns import BlockSealed, ModelAsked, PrefixStarted
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.performer import Models
from hearth.performers.language_model.requesting import Requesting
from hearth.settings.agents import ProviderSettings

PATIENCE: Final = 30.0
S: Final = SessionId("session-one")
T1: Final = TurnId("t1")
SYSTEM: Final = "You live in hearth. " * 300
TOOLS: Final = (
    '[{"name":"run_code","description":"Runs code.","input_schema":{"type":"object",'
    '"properties":{"code":{"type":"string"}},"required":["code"]}}]'
)
KEY: Final = "sk-secret-0123456789"
CLAUDE: Final = ModelChoice("anthropic", "claude-opus-4-5", Dialect.ANTHROPIC, 200_000, 32_000)
GPT: Final = ModelChoice("openai", "gpt-5.1", Dialect.RESPONSES, 400_000, 32_000)
LOCAL: Final = ModelChoice("custom", "some-model", Dialect.CHAT, 32_000, 4_000)
SCRIPTED: Final = ModelChoice("scripted", "scripted", Dialect.SCRIPTED, 200_000, 32_000)

_Report = TypeVar("_Report", bound=Report)


class Held:
    """A log that is written by hand."""

    def __init__(self) -> None:
        self.rows: dict[SessionId, list[Stored]] = {}
        self.blobs: dict[str, bytes] = {}
        self.reads: list[tuple[SessionId, int, int]] = []
        self.down: Exception | None = None
        self.prefix = 0
        self.choice = CLAUDE
        self._calls = 0
        self._requests = 0

    def add(self, event: Event, session: SessionId = S) -> int:
        """An event at the end of a session; its version."""
        rows = self.rows.setdefault(session, [])
        version = len(rows) + 1
        fact = Fact(
            id=EventId(f"i{version}.1"),
            at=datetime(2026, 1, 1, tzinfo=UTC),
            origin=Origin(Actor.PERSON, "someone"),
            cause=InputId("i1"),
            event=event,
        )
        rows.append(Stored(version, session, version, codec.draft(fact).data))
        return version

    def begin(self, system: str = SYSTEM, tools: str = TOOLS, reason: str = "first") -> int:
        """A prefix from here on."""
        self.prefix = self.add(PrefixStarted(1, reason, self.choice.name, system, tools))
        return self.prefix

    def seal(
        self,
        role: Role,
        content: Block,
        *,
        step: int = 1,
        session: SessionId = S,
        turn: TurnId = T1,
    ) -> int:
        """A block."""
        version = len(self.rows.get(session, ())) + 1
        return self.add(BlockSealed(block_id(version), turn, step, role, content), session)

    def user(self, text: str, session: SessionId = S) -> int:
        """A message of a person."""
        return self.seal(Role.USER, TextBlock(text), session=session)

    def says(self, text: str, *, step: int = 1, session: SessionId = S) -> int:
        """A text of the model."""
        return self.seal(Role.ASSISTANT, TextBlock(text), step=step, session=session)

    def runs(self, code: str, result: str, *, step: int) -> None:
        """A step in which the model runs code."""
        self._calls += 1
        call = CallId(f"k{self._calls}")
        arguments = codec.encode({"code": code}).decode()
        wire_id = f"toolu_{self._calls}"
        self.seal(Role.ASSISTANT, ToolCallBlock(call, "run_code", arguments, wire_id), step=step)
        self.seal(Role.TOOL, ToolResultBlock(call, "run_code", result), step=step)

    def wrote(self, written: Sequence[Written], *, step: int, result: str = "fine") -> None:
        """What a model answered, as the rules seal it, with results of its calls."""
        calls = []
        for one in written:
            if one.name:
                self._calls += 1
                call = CallId(f"k{self._calls}")
                calls.append(call)
                block: Block = ToolCallBlock(call, one.name, one.text, one.wire_id)
            elif one.thinking:
                block = ThinkingBlock(one.text, one.native, self.choice.name)
            else:
                block = TextBlock(one.text)
            self.seal(Role.ASSISTANT, block, step=step)
        for call in calls:
            self.seal(Role.TOOL, ToolResultBlock(call, "run_code", result), step=step)

    def keep(self, content: str) -> Blob:
        """A text that is kept as a blob."""
        raw = content.encode()
        digest = sha256(raw).hexdigest()
        self.blobs[digest] = raw
        return Blob(digest, len(raw), head=content[:20])

    def ask(self, line: Line | None = None, **other: Any) -> AskModel:
        """Ask for the next step, as the rules do: after it stands in the log."""
        self._requests += 1
        request = RequestId(f"r{self._requests}")
        step = other.pop("step", self._requests)
        purpose = other.get("purpose", "answer")
        through = self.add(ModelAsked(request, T1, step, purpose=purpose))
        return AskModel(
            request, T1, step, self.choice, self.prefix, line or Line(), through, **other
        )

    async def read(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        """Rows of a session."""
        if self.down is not None:
            raise self.down
        self.reads.append((session, after, limit))
        return self.rows.get(session, [])[after : after + limit]

    async def fetch(self, digest: str) -> bytes:
        """A blob."""
        if self.down is not None:
            raise self.down
        return self.blobs[digest]


class Audience:
    """A stage that keeps what is said on it."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.shown: list[Progress] = []
        self._news = asyncio.Event()

    def report(self, report: Report) -> None:
        self.reports.append(report)
        self._news.set()

    def show(self, progress: Progress) -> None:
        self.shown.append(progress)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until this is so."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def told(self, kind: type[_Report]) -> _Report:
        """Wait for the one report, which must be of this kind."""
        await self.until(lambda: bool(self.reports))
        (report,) = self.reports
        assert isinstance(report, kind), report
        return report


def keys_for(
    base_url: str | None = None, key: str | None = KEY, environ: Mapping[str, str] | None = None
) -> Keys:
    """Keys of settings in which every provider has this address and this key."""
    names = ("anthropic", "openai", "deepseek", "custom")
    said = {name: ProviderSettings(name, base_url, key) for name in names}
    return Keys(lambda _: said, environ or {})


@asynccontextmanager
async def asked_by(
    held: Held, keys: Keys | None = None, *, idle: float = PATIENCE, **other: Any
) -> AsyncIterator[Models]:
    """Models that read this log."""
    requesting = Requesting(idle=idle)
    models = Models(held.read, held.fetch, keys or keys_for(), requesting=requesting, **other)
    try:
        yield models
    finally:
        await models.close()


async def answered(models: Models, ask: AskModel, kind: type[_Report]) -> _Report:
    """Ask, and wait for the report, which must be of this kind."""
    audience = Audience()
    await models.perform(S, ask, audience)
    return await audience.told(kind)
