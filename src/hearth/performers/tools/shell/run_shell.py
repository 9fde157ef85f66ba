"""`run_shell`: an agent has a command run, as it was judged, in the sandbox where there is one."""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hearth.core.vocabulary.permitting import NETWORK, READ, Need, Verdict
from hearth.performers.judging.paths import Place, at_home, path_needs
from hearth.performers.judging.when_needed import analyse
from hearth.performers.sandbox.aftermath import aftermath, state
from hearth.performers.sandbox.bubblewrap import NoSandbox, Sandbox
from hearth.performers.sandbox.footing import Made, forget
from hearth.performers.tools.shell.containing import around_needs, opened, opening, readable
from hearth.performers.tools.shell.environment import has_shell, shell, surroundings
from hearth.performers.tools.shell.jobs import Jobs, Order, TooMany
from hearth.performers.tools.shell.program import CouldNotStart, Launch
from hearth.performers.tools.shell.telling import finished, line_of, news
from hearth.performers.tools.tool import Outcome, Scene, Wanted
from hearth.settings.permissions import PermissionSettings

RUN_SHELL: Final = "run_shell"
USUAL_TIMEOUT: Final = 120.0
LONGEST_TIMEOUT: Final = 3600.0
LONGEST: Final = 100_000
_LONGEST_WORD: Final = 128 * 1024 - 1
"""Bytes that Linux takes as one argument of a program."""
_FIRST: Final = 1.0
"""Seconds in which a job may show that it cannot do what it should."""
_ANYWHERE: Final = "*"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A command that can be started."""

    launch: Launch
    directory: str
    watched: tuple[str, ...]
    """Folders it may write to: what it leaves there is looked at afterwards."""
    made: tuple[Made, ...] = ()
    """Files that were made for it, and go again if it does not use them."""
    note: str = ""
    """What is to be known of what it wrote."""


class RunShell:
    """Runs commands of agents.

    `place_of` says where paths of a scene begin and which are nobody's business; `settings` what an
    agent may do in a directory ("" for sessions of no project).
    """

    name = RUN_SHELL
    description = (
        "Run a command with bash and get what it wrote (stdout and stderr together, in order) and "
        "its exit code. Each call is a shell of its own: `cd` and variables are not remembered, "
        "use `cwd`. There is no terminal and no input. It ends after `timeout` seconds. What it "
        "leaves running is ended when it returns: start servers and watchers with `background: "
        "true`, which comes back at once with the name of a job for shell_output and shell_kill. "
        "Without `network: true` the network may be out of reach. Prefer read_file, grep, "
        "list_files and edit_file for files: they need no permission of their own."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "description": "What bash runs.",
                "minLength": 1,
                "maxLength": LONGEST,
            },
            "cwd": {
                "type": "string",
                "description": "Where, if not in the working directory of the session.",
                "minLength": 1,
                "maxLength": 4096,
            },
            "timeout": {
                "type": "number",
                "description": (
                    f"Seconds, {USUAL_TIMEOUT:g} if not said; a job has none if not said."
                ),
                "exclusiveMinimum": 0,
                "maximum": LONGEST_TIMEOUT,
            },
            "background": {"type": "boolean", "description": "Come back at once, as a job."},
            "network": {"type": "boolean", "description": "Whether it needs the network."},
            "description": {
                "type": "string",
                "description": "What it is for, in a few words, for the person who is asked.",
                "maxLength": 200,
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(
        self,
        place_of: Callable[[Scene], Place],
        sandbox: Sandbox,
        settings: Callable[[str, str], PermissionSettings],
        jobs: Jobs,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._place_of = place_of
        self._sandbox = sandbox
        self._settings = settings
        self._jobs = jobs
        self._environ = os.environ if environ is None else environ

    def is_offered(self, _scene: Scene) -> bool:
        """Everywhere: what may be run is judged call by call."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """What the command does, as far as can be told; and the place, and the network."""
        command: str = arguments["command"]
        if problem := _problem_of(command):
            return Wanted(problem=problem)
        place, needs = self._where(arguments, scene)
        if not os.path.isdir(place.here):  # noqa: PTH112 - text, not a Path
            return Wanted(problem=f"There is no directory {place.here} to run it in.")
        found = analyse(command, place)
        if found.broken:
            # The shell would run what stands before the place where it gives up.
            return Wanted(problem=f"The shell could not read the command: {found.broken}.")
        if arguments.get("network"):
            why = "the command is to reach the network"
            needs += (Need(NETWORK, _ANYWHERE, usual=Verdict.ASK, why=why),)
        needs = tuple(dict.fromkeys((*needs, *found.needs)))
        if not found.reads_only:
            needs = tuple(dict.fromkeys((*needs, *self._around(needs, place, scene))))
        return Wanted(needs, not found.reads_only)

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Run what was allowed, and nothing else."""
        prepared = await asyncio.to_thread(self._prepared, arguments, scene)
        if isinstance(prepared, Outcome):
            return prepared
        before = await asyncio.to_thread(state, prepared.watched, prepared.directory)

        def afterwards() -> str:
            for one in prepared.made:
                forget(one)
            left = aftermath(before)
            return " ".join((*(f"{one.what}." for one in left), prepared.note)).strip()

        command: str = arguments["command"]
        in_background = bool(arguments.get("background"))
        limit = arguments.get("timeout", None if in_background else USUAL_TIMEOUT)
        order = Order(command, prepared.launch, limit, scene.show, afterwards)
        try:
            if in_background:
                return await self._started(order, scene)
            running = await self._jobs.run(scene.session, scene.call, order)
        except CouldNotStart as refused:
            await asyncio.to_thread(afterwards)
            return Outcome(f"It could not be run: {refused}.", is_error=True)
        return finished(running, LONGEST_TIMEOUT)

    async def _started(self, order: Order, scene: Scene) -> Outcome:
        try:
            job, running = await self._jobs.start(scene.session, order)
        except TooMany as refused:
            if order.afterwards:
                await asyncio.to_thread(order.afterwards)
            listed = "\n".join(line_of(*one) for one in self._jobs.listed(scene.session))
            text = f"Nothing was run: {refused}. End one with shell_kill first.\n{listed}"
            return Outcome(text, is_error=True)
        await running.more(_FIRST)
        ended = running.ended
        hint = "" if ended else " Ask for what it writes with shell_output, end it with shell_kill."
        return Outcome(f"{news(job, running)}{hint}", is_error=bool(ended and ended.problem))

    def _around(self, needs: tuple[Need, ...], place: Place, scene: Scene) -> tuple[Need, ...]:
        """What the sandbox has to open beyond what the command itself names."""
        sandbox = self._settings(scene.directory if scene.root else "", scene.agent).sandbox
        # The cheap question first: mostly there is nothing to be opened.
        found = around_needs(needs, place, sandbox.writable)
        return found if found and sandbox.commands and self._sandbox.probed().is_on else ()

    def _where(self, arguments: dict[str, Any], scene: Scene) -> tuple[Place, tuple[Need, ...]]:
        """The place of the command, and what being there takes."""
        place = self._place_of(scene)
        cwd = arguments.get("cwd")
        if cwd is None:
            return place, ()
        needs = path_needs(at_home(cwd), READ, place, "the command is run there")
        # What it is without links; if nobody can say, there is no such directory.
        return replace(place, directory=needs[0].resolved or f"{place.here}/{cwd}"), needs

    def _prepared(self, arguments: dict[str, Any], scene: Scene) -> _Prepared | Outcome:
        """What is run now, if it is still what was allowed. For a thread."""
        wanted = self.wants(arguments, scene)
        if wanted.problem:
            return Outcome(f"{wanted.problem} Nothing was run.", is_error=True)
        allowed = {_key(need) for need in scene.needs}
        for need in wanted.needs:
            if _key(need) not in allowed:
                text = (
                    f"Something changed since it was allowed: it now needs {need.permission} of "
                    f"{need.target}. Nothing was run. Call it again to have that judged."
                )
                return Outcome(text, is_error=True)
        place, _ = self._where(arguments, scene)
        settings = self._settings(scene.directory if scene.root else "", scene.agent)
        return self._contained(
            arguments["command"], place, replace(scene, needs=wanted.needs), settings
        )

    def _contained(
        self, command: str, place: Place, scene: Scene, settings: PermissionSettings
    ) -> _Prepared | Outcome:
        directory = place.here
        environment = surroundings(self._environ, directory, settings.environment_keep)
        argv = shell(command)
        what = opening(scene.needs, place, settings.sandbox.writable)
        if not (settings.sandbox.commands and self._sandbox.probed().is_on):
            watched = (place.root, *settings.sandbox.writable, *what.there)
            return _Prepared(Launch(argv, directory, environment), directory, watched)
        beyond = opened(what)
        written = (*settings.sandbox.writable, *beyond.paths)
        asked_network = any(need.permission == NETWORK for need in scene.needs)
        try:
            wrapped = self._sandbox.wrapped(
                argv,
                directory=directory,
                root=place.root,
                writable=written,
                readable=(*settings.sandbox.readable, *readable(scene.needs, place)),
                network=settings.sandbox.network or asked_network,
                temporary=self._jobs.temporary(scene.session),
            )
        except NoSandbox as refused:
            for one in beyond.made:
                forget(one)
            return Outcome(f"It could not be contained, and was not run: {refused}.", is_error=True)
        # The sandbox goes there by itself: outside of it there may be no such directory.
        launch = Launch(wrapped, "/", environment, is_sandboxed=True)
        watched = (place.root, *written)
        return _Prepared(launch, directory, watched, beyond.made, _said_of(what.own))


def _problem_of(command: str) -> str:
    if "\0" in command:
        return "A command cannot contain a NUL character."
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        return "A command cannot contain half a character (a lone surrogate)."
    if size > _LONGEST_WORD:
        return f"The command has {size} bytes, at most {_LONGEST_WORD} can be run: use a script."
    if not command.strip():
        return "The command is empty."
    return "" if has_shell() else "There is no bash here, and commands are judged as it reads them."


def _said_of(own: tuple[str, ...]) -> str:
    if not own:
        return ""
    named = ", ".join(own[:3])
    return (
        f"{named}: commands of this session have a /tmp of their own, which other tools do not see."
    )


def _key(need: Need) -> tuple[str, str, str]:
    """What tells needs apart; the rest of them is how they are judged."""
    return need.permission, need.target, need.resolved
