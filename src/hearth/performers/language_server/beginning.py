"""Starts servers."""

import asyncio
import os
from collections.abc import Mapping

from hearth.performers.interpreter.checking.language_server import launch
from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.known import Known
from hearth.performers.language_server.running import Running


async def begin(
    arguments: tuple[str, ...],
    spec: ServerSpec,
    root: str,
    variables: Mapping[str, str],
    known: Known,
) -> Running:
    """Start a server and agree with it how to talk. `Unavailable`; cancelled, it leaves nothing.

    `arguments`: its command as it is run.
    """
    process = await launch(list(arguments), root, variables, stderr=asyncio.subprocess.PIPE)
    running = Running(process, spec, root, known)
    # In a sandbox our number means somebody else, or nobody: the server would end itself.
    is_wrapped = arguments[1:] != spec.command[1:]
    try:
        await running.begin(None if is_wrapped else os.getpid())
    except BaseException as error:
        await running.close()
        if isinstance(error, Unavailable) and running.complaint:
            raise Unavailable(f"{error} ({running.complaint.splitlines()[-1][:200]})") from error
        raise
    return running
