"""A stage that remembers, and tools that do as they are told."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import CallId, SessionId
from hearth.core.vocabulary.modelling import RunTool, ToolReturned
from hearth.core.vocabulary.progress import Progress, ToolOutput
from hearth.core.vocabulary.reports import Report
from hearth.performers.tools.tool import Outcome, Scene, Wanted

SESSION = SessionId("session-1")
NOTHING: Mapping[str, Any] = {"type": "object", "additionalProperties": False}


@dataclass
class Heard:
    """What a performer said."""

    reports: list[Report] = field(default_factory=list)
    progress: list[Progress] = field(default_factory=list)

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def show(self, progress: Progress) -> None:
        self.progress.append(progress)

    @property
    def returned(self) -> ToolReturned:
        """The one result."""
        [report] = self.reports
        assert isinstance(report, ToolReturned)
        return report

    @property
    def shown(self) -> list[str]:
        return [one.text for one in self.progress if isinstance(one, ToolOutput)]


async def _nothing(_arguments: dict[str, Any], _scene: Scene) -> Outcome:
    return Outcome("done")


@dataclass
class Pretended:
    """A tool that is made of a function."""

    name: str = "pretend"
    act: Callable[[dict[str, Any], Scene], Awaitable[Outcome]] = _nothing
    input_schema: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    read_only: bool = False
    description: str = "Pretends."
    offers: Callable[[Scene], bool] = lambda _: True
    needs: Wanted = field(default_factory=Wanted)

    def is_offered(self, scene: Scene) -> bool:
        return self.offers(scene)

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        return self.needs

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        return await self.act(arguments, scene)


def call(
    name: str = "pretend",
    arguments: Text = "{}",
    *,
    number: str = "k1",
    most: int = 1000,
    folder: str = "",
    directory: str = "",
) -> RunTool:
    return RunTool(
        CallId(number), name, arguments, SessionConfig(directory=directory), most, folder
    )
