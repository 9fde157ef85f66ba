"""What tests of branches share: sessions whose interpreters can be copied, and how they are asked.

async with copied(tmp_path, copying()) as daemon:
    await daemon.begin(A)
    await asked(daemon, A, {"type": "fork_session", "to": B})
"""

from collections.abc import Mapping
from typing import Any, Final

from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter
from tests.servers.http.serving import PATIENCE, Served

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.scene import Scene

A, B, C, D = (SessionId(f"session-{one * 6}") for one in "abcd")
PLAYED: Final = {**SCENES, "y = 2": Scene(names=("y",))}


def copying(*obstacles: str) -> CopyingInterpreter:
    """Interpreters that can be copied, unless something is in the way."""
    return CopyingInterpreter(PLAYED, obstacles=obstacles)


async def asked(daemon: Served, session: SessionId, command: Mapping[str, Any]) -> None:
    """A command, and what comes of it."""
    answer = await daemon.client.post(
        f"/sessions/{session}/commands", json=command, headers={"Prefer": f"wait={PATIENCE:g}"}
    )
    assert answer.status_code == 200, answer.text
