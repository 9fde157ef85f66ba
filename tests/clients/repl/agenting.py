"""An agent whose answers are written down beforehand, for tests of what people see of it."""

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.ids import RequestId, SessionId
from hearth.core.vocabulary.lines import Dialect, ModelChoice, Prefix, TurnLimits
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import TextDelta, ThinkingDelta, ToolCallForming, ToolOutput

MODEL: Final = ModelChoice("scripted", "weaver", Dialect.SCRIPTED, 200_000, 8_000)
PIECE: Final = 7
"""Characters that come at once."""


class Part(NamedTuple):
    """One answer of the model."""

    thinks: str = ""
    says: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names of tools, and what they are called with."""
    fails: str = ""
    """Why the attempt fails, after what it says; it may be made again."""
    for_good: bool = False
    holds: bool = False
    """It waits for `PlayedAgent.go_on` before it ends."""
    usage: Usage = Usage(fresh=100, cache_read=900, output=31)


THINKING: Final = """The person wants a product.
I could guess it.
But the interpreter is there, and knows it.
Let me run it, then say what it is.
That will do."""
PLAYS: Final[dict[str, tuple[Part, ...]]] = {
    "everything": (
        Part(
            thinks=THINKING,
            says="Let me **compute** that.",
            calls=(("run_code", '{"code": "6 * 7"}'),),
            holds=True,
        ),
        Part(says="It is\nforty-", fails="overloaded", holds=True),
        Part(says="It is\n**42**:\n\n```python\nassert 6 * 7 == 42\n```\n"),
    ),
    "long": (Part(says="Weaving is old.\nIt goes", holds=True),),
    "hanging": (Part(calls=(("run_code", '{"code": "hang"}'),)),),
    "looking": (
        Part(calls=(("look", '{"path": "a.txt"}'), ("look", '{"path": "a.txt"}'))),
        Part(says="Seen."),
    ),
    "evil": (Part(says="\x1b]52;c;AAAA\x07\x1b[2Jred\n", thinks="\x1b]0;title\x07hm"),),
    "failing": (Part(fails="the key is not valid", for_good=True),),
    "shell": (
        Part(calls=(("run_shell", '{"command": "make all"}'),)),
        Part(says="Made."),
    ),
    "several": (
        Part(
            calls=(
                ("run_shell", '{"command": "make all"}'),
                ("run_shell", '{"command": "make all once"}'),
                ("run_shell", '{"command": "git push"}'),
            )
        ),
        Part(says="Done."),
    ),
    "twice": (Part(says="First."), Part(says="Second.")),
    "loop": (
        *(Part(calls=(("look", "{}"),)) for _ in range(3)),
        Part(says="Enough."),
    ),
}
"""What it does, by the names that tests know."""


class PlayedAgent:
    """Implements `Performer` for models, prefixes and tools."""

    effects: frozenset[type[fx.Effect]] = frozenset(
        {m.PreparePrefix, m.AskModel, m.StopAsking, m.RunTool, m.StopTool, m.SpillResult}
    )

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self.parts: deque[Part] = deque(parts)
        self.no_summary = ""
        """Why none is made, where none is."""
        self._held: asyncio.Event = asyncio.Event()
        self._asking: dict[RequestId, asyncio.Task[None]] = {}

    def go_on(self) -> None:
        """Let the answer that holds end."""
        self._held.set()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        del session
        match effect:
            case m.PreparePrefix():
                name = effect.model.rpartition(":")[2] or MODEL.model
                choice = ModelChoice(MODEL.provider, name, MODEL.dialect, MODEL.window, 8_000)
                prefix = Prefix(system="", tools="[]", read_only=("look",), digest="d")
                stage.report(m.PrefixPrepared(effect.turn, choice, prefix, TurnLimits()))
            case m.AskModel(purpose="summary") if self.no_summary:
                trouble = m.Trouble.REJECTED
                stage.report(m.ModelFailed(effect.request, trouble, self.no_summary, 401))
            case m.AskModel(purpose="summary"):
                stage.report(m.SummaryMade(effect.request, "what was said", effect.line.leaf))
            case m.AskModel():
                part = self.parts.popleft() if self.parts else Part(says="There is no more.")
                self._asking[effect.request] = asyncio.create_task(_play(self, effect, part, stage))
            case m.StopAsking():
                self._asking.pop(effect.request).cancel()
                stage.report(m.ModelStopped(effect.request, (m.Written(text="so far"),)))
            case m.RunTool():
                stage.show(ToolOutput(effect.call, "looking\n"))
                stage.report(m.ToolReturned(effect.call, "first\nsecond\nthird\nfourth\nfifth"))
            case _:
                pass

    async def held(self) -> None:
        """Wait until somebody lets it go on."""
        await self._held.wait()
        self._held.clear()

    async def close(self) -> None:
        for task in self._asking.values():
            task.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)


async def _play(agent: PlayedAgent, effect: m.AskModel, part: Part, stage: Stage) -> None:
    where = (effect.turn, effect.step)
    written: list[m.Written] = []
    for text, kind in ((part.thinks, ThinkingDelta), (part.says, TextDelta)):
        for offset in range(0, len(text), PIECE):
            stage.show(kind(*where, len(written), offset, text[offset : offset + PIECE]))
            await asyncio.sleep(0)
        if text:
            written.append(m.Written(text=text, thinking=kind is ThinkingDelta))
    for name, arguments in part.calls:
        stage.show(ToolCallForming(*where, len(written), name))
        written.append(
            m.Written(text=arguments, name=name, wire_id=f"call-{effect.request}-{name}")
        )
    if part.holds:
        await agent.held()
    if part.fails:
        trouble = m.Trouble.REJECTED if part.for_good else m.Trouble.OVERLOADED
        stage.report(m.ModelFailed(effect.request, trouble, part.fails, 529, retry_after=0.01))
    else:
        stop = StopReason.TOOLS if part.calls else StopReason.END
        stage.report(m.ModelAnswered(effect.request, tuple(written), stop, part.usage))
