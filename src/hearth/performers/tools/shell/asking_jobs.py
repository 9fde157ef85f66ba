"""`shell_output` and `shell_kill`: what became of a job, and its end. Only of one's own session."""

from collections.abc import Mapping
from typing import Any, Final

from hearth.performers.tools.shell.jobs import Gone, Jobs
from hearth.performers.tools.shell.running import Running
from hearth.performers.tools.shell.telling import line_of, news, shortly
from hearth.performers.tools.tool import Outcome, Scene, Wanted

SHELL_OUTPUT: Final = "shell_output"
SHELL_KILL: Final = "shell_kill"
LONGEST_WAIT: Final = 600
_JOB: Final[Mapping[str, Any]] = {
    "type": "string",
    "description": "The name that run_shell gave it, such as j1.",
    "minLength": 1,
    "maxLength": 20,
}


class ShellOutput:
    """Tells what a job wrote since it was asked the last time."""

    name = SHELL_OUTPUT
    description = (
        "What a job that run_shell started in the background wrote since you last asked, and "
        "whether it still runs. `wait`: so many seconds at most for something new, instead of "
        "asking again and again. Without `job`: the jobs of this session."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "job": _JOB,
            "wait": {
                "type": "number",
                "description": "Seconds.",
                "minimum": 0,
                "maximum": LONGEST_WAIT,
            },
        },
        "additionalProperties": False,
    }
    read_only = False  # what is told once is not told again: no two calls may share a result

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def is_offered(self, _scene: Scene) -> bool:
        """Wherever commands are."""
        return True

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        """Nothing: the job was allowed when it was started."""
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Wait a while, if that is asked for, and tell what is new."""
        job = arguments.get("job")
        if job is None:
            listed = "\n".join(line_of(*one) for one in self._jobs.listed(scene.session))
            return Outcome(listed or "This session has no jobs.")
        found = await _found(self._jobs, job, scene)
        if isinstance(found, Outcome):
            return found
        await found.more(arguments.get("wait", 0))
        return Outcome(news(job, found))


class ShellKill:
    """Ends a job."""

    name = SHELL_KILL
    description = (
        "End a job that run_shell started in the background, with all that it started. It is asked "
        "to end and has two seconds for it."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"job": _JOB},
        "required": ["job"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def is_offered(self, _scene: Scene) -> bool:
        """Wherever commands are."""
        return True

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        """Nothing: it can only end what this session started."""
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """End it, and tell what it still wrote."""
        job: str = arguments["job"]
        found = await _found(self._jobs, job, scene)
        if isinstance(found, Outcome):
            return found
        await found.end()
        return Outcome(news(job, found))


async def _found(jobs: Jobs, job: str, scene: Scene) -> Running | Outcome:
    found = await jobs.find(scene.session, job)
    match found:
        case Running():
            return found
        case Gone(command):
            return Outcome(
                f"Job {job} ({shortly(command)}) does not run any more: jobs end with the daemon "
                "and with their session, and of many that ended the oldest are forgotten. Start it "
                "again with run_shell if it is needed.",
                is_error=True,
            )
        case None:
            names = ", ".join(name for name, _ in jobs.listed(scene.session)) or "none"
            text = f"This session has no job {job[:20]}. There are: {names}."
            return Outcome(text, is_error=True)
