"""How an interpreter is started that is kept apart from the rest of the machine."""

import sysconfig
from collections.abc import Sequence

from hearth.performers.interpreter.launcher import LAUNCHER
from hearth.performers.interpreter.project.environments import Wrap
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.walls import Ground
from hearth.performers.interpreter.worker_folder import WorkerFolder
from hearth.performers.sandbox.bubblewrap import NoSandbox, Sandbox
from hearth.performers.sandbox.places import hearth_programs


def wrapping(sandbox: Sandbox) -> Wrap:
    """What has a program of a project's run contained; it may write to the folder it is about."""

    def wrap(command: Sequence[str], folder: str) -> Sequence[str]:
        try:
            return sandbox.wrapped(command, directory=folder, root=folder, shown=hearth_programs())
        except NoSandbox:
            # Nothing is run, and whoever starts the interpreter is told why.
            return ("/bin/false",)

    return wrap


def contained(folder: WorkerFolder, python: str, ground: Ground, sandbox: Sandbox) -> list[str]:
    """The command line of a kernel in this folder, contained. CannotStart. For a thread."""
    inside = str(folder.inside)
    try:
        command = sandbox.wrapped(
            (python, str(LAUNCHER), "kernel", inside, sysconfig.get_path("purelib")),
            directory=ground.directory,
            root=ground.root,
            writable=ground.walls.writable,
            readable=ground.walls.readable,
            network=ground.walls.network,
            # The journal by itself: so it can be neither moved nor replaced by something else.
            given=(inside, str(folder.journal)),
            shown=(*ground.shown, *hearth_programs()),
        )
    except NoSandbox as none:
        raise CannotStart(
            f"interpreters are to be contained here (sandbox.interpreter), and cannot be: {none}"
        ) from none
    return list(command)
