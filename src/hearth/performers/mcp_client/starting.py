"""How servers come to be: a process of their own with a clean environment, or an address."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from hearth.performers.mcp_client.connecting import STARTING, Connection
from hearth.performers.mcp_client.processes import Launch
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.sandbox.environment import scrubbed
from hearth.settings.mcp import ServerSpec

SPEAKING = "hearth.performers.mcp_client.speaking"
REACHING = "hearth.performers.mcp_client.reaching"


@dataclass(frozen=True)
class Starter:
    """Starts servers, or reaches them."""

    home: Path
    environ: Mapping[str, str]
    recorded: Recorded
    keep: Callable[[], Sequence[str]] = tuple
    """Patterns of variables that are passed on although they look like secrets."""
    patience: float = STARTING

    async def connect(self, spec: ServerSpec) -> Connection:
        """A server with all its variables filled in. Unavailable."""
        speaking: Any = await asyncio.to_thread(import_module, SPEAKING)
        if spec.is_http:
            reaching: Any = await asyncio.to_thread(import_module, REACHING)
            transport = reaching.transport(spec, self.home)
            reached: Connection = await speaking.Speaking.reached(transport, self.patience)
            return reached
        keep = await asyncio.to_thread(self.keep)
        launch = Launch(
            argv=(spec.command, *spec.args),
            directory=spec.cwd,
            environment={**scrubbed(self.environ, keep), **spec.env},
        )
        name, recorded = spec.name, self.recorded
        begun: Connection = await speaking.Speaking.started(launch, name, recorded, self.patience)
        return begun
