"""Every setting there is: its type, what it means and what a right value looks like.

The one place that says so, but for the keys that people name themselves (`families`). Files are
checked against it, the JSON Schema is made from it, and `hearth config` explains by it. On disk the
names are camelCase. None is: nobody has set it.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hearth.settings.mcp_values import McpGroup, McpPool
from hearth.settings.providers import Providers
from hearth.settings.safety import EnvironmentGroup, Permissions, SandboxGroup
from hearth.settings.values import Count, Group, Seconds, Size, Text, Unlimited, says

DEFAULT_MODEL: Final = "claude-sonnet-4-20250514"
"""The only setting that has a value when nobody gives it one."""

Effort: TypeAlias = Literal["none", "low", "medium", "high", "max"]


class Session(Group, frozen=True):
    """How sessions begin in a project. Paths are relative to the file."""

    projects: Annotated[
        tuple[Text, ...] | None,
        says(
            "The folders whose packages belong to a session; without it they are discovered.",
            'a list of paths, like ["packages/api"]',
        ),
    ] = None
    auto_load: Annotated[
        bool | None,
        says("Whether those packages are imported when a session starts.", "true or false"),
    ] = None
    init_script: Annotated[
        Text | None,
        says(
            "A Python file that runs at the start of every session, after the start-up profile.",
            'the path of a Python file, like "scripts/start.py"',
        ),
    ] = None
    default_args: Annotated[
        tuple[str, ...] | None,
        says(
            "What sessions see behind the first place of sys.argv.",
            'a list of texts, like ["--verbose"]',
        ),
    ] = None
    is_root: Annotated[
        bool | None,
        says("The search for the root ends at the folder of this file.", "true or false"),
    ] = None
    session_name: Annotated[
        Text | None,
        says(
            "How sessions are called here; without it like the root folder.",
            'a text that is not empty, like "shop"',
        ),
    ] = None
    auto_resume: Annotated[
        bool | None,
        says(
            "Whether a conversation goes on where the latest one in the folder stopped.",
            "true or false",
        ),
    ] = None


class Knowledge(Group, frozen=True):
    """What agents remember of a project."""

    enabled: Annotated[
        bool | None, says("Whether agents remember what they learn.", "true or false")
    ] = None
    nudge_interval: Annotated[
        Count | None,
        says(
            "After how many turns an agent is reminded to note what it learned.",
            "a whole number above 0, like 10",
        ),
    ] = None
    injection_budget: Annotated[
        Count | None,
        says(
            "How many tokens of what is remembered a request may carry.",
            "a whole number above 0, like 8000",
        ),
    ] = None


class Compaction(Group, frozen=True):
    """How long conversations are made shorter."""

    enabled: Annotated[
        bool | None, says("Whether long conversations are made shorter.", "true or false")
    ] = None
    reserve_tokens: Annotated[
        Count | None,
        says("How many tokens stay free for the answer.", "a whole number above 0, like 16000"),
    ] = None
    keep_recent_tokens: Annotated[
        Count | None,
        says(
            "How many of the newest tokens are kept as they are.",
            "a whole number above 0, like 20000",
        ),
    ] = None


class DaemonSettings(Group, frozen=True):
    """How the daemon runs. A person's affair: a project cannot set it."""

    port: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=65535)] | None,
        says(
            "The port on 127.0.0.1, and no other; without it the first free one of 37749 to 37759.",
            "a whole number from 1 to 65535",
        ),
    ] = None
    idle_timeout: Annotated[
        Seconds | None,
        says(
            "The daemon ends after so many seconds without a client; without it never.",
            "a number of seconds above 0, like 3600",
        ),
    ] = None
    database: Annotated[
        Text | None,
        says(
            "The address of the store; without it a file in hearth's home.",
            'an address, like "postgresql://hearth@localhost/hearth"',
            secret=True,  # there may be a password in it
        ),
    ] = None
    watch: Annotated[
        bool | None,
        says("Whether saved sources are taken up by live sessions.", "true or false"),
    ] = None


_SIZE: Final = 'a number of bytes above 0 or a text like "512 MiB"'
_TIME: Final = "a number of seconds above 0, like 30"


class InterpreterSettings(Group, frozen=True):
    """Limits and patience of interpreters. A project can make them stricter, never looser."""

    memory: Annotated[
        Size | Unlimited | None,
        says(
            "What one session may use with everything it started; over it, it is ended.",
            f'{_SIZE}, or "unlimited"',
        ),
    ] = None
    processes: Annotated[
        Count | Unlimited | None,
        says(
            "How many processes one session may have.",
            'a whole number above 0, or "unlimited"',
        ),
    ] = None
    output: Annotated[Size | None, says("How much printed text is kept of one cell.", _SIZE)] = None
    displays: Annotated[
        Size | None, says("How much of pictures, tables and the like is kept of one cell.", _SIZE)
    ] = None
    orphan_after: Annotated[
        Seconds | None,
        says("An interpreter that no daemon comes back to ends itself after this time.", _TIME),
    ] = None
    spares: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        says(
            "How many started interpreters wait for a session, per environment.",
            "a whole number, 0 or more",
        ),
    ] = None
    idle_template: Annotated[
        Seconds | None,
        says("What is kept ready and not used for so long goes away.", _TIME),
    ] = None
    warm_up: Annotated[Seconds | None, says("So long the start of a session may take.", _TIME)] = (
        None
    )
    kill_after: Annotated[
        Seconds | None,
        says("A cell that nothing stops costs its session the interpreter after this time.", _TIME),
    ] = None
    copies: Annotated[
        Count | None,
        says(
            "How many copies of one interpreter are kept to take cells back.",
            "a whole number above 0, like 10",
        ),
    ] = None
    copy_bytes: Annotated[
        Size | None, says("How much memory the copies of one interpreter may cost.", _SIZE)
    ] = None
    answer: Annotated[
        Seconds | None,
        says("So long a question about code waits for the interpreter.", _TIME),
    ] = None


class SessionsSettings(Group, frozen=True):
    """All sessions together. A person's affair: a project cannot set it."""

    most: Annotated[
        Count | None,
        says("How many sessions may live at once.", "a whole number above 0, like 20"),
    ] = None


class Settings(Group, frozen=True):
    """The settings of hearth: the person's own hearth.jsonc, or a project's."""

    schema: Annotated[
        str | None,
        says(
            "Where the description of this file is, for editors. Has no effect.",
            'a text, like "./hearth.schema.json"',
        ),
    ] = msgspec.field(default=None, name="$schema")
    model: Annotated[
        Text,
        says(
            "The model that agents speak with.",
            f'the name of a model, like "{DEFAULT_MODEL}"',
        ),
    ] = DEFAULT_MODEL
    effort: Annotated[
        Effort | None,
        says(
            "How much a model should think, where it can be told.",
            'one of "none", "low", "medium", "high" and "max"',
        ),
    ] = None
    provider: Providers = Providers()
    max_turns: Annotated[
        Count | None,
        says(
            "How often a model is asked within one turn before the turn ends.",
            "a whole number above 0, like 50",
        ),
    ] = None
    max_retries: Annotated[
        Count | None,
        says("How often a request that failed is made again.", "a whole number above 0, like 5"),
    ] = None
    system_prompt: Annotated[
        Text | None,
        says("What an agent is told first, instead of hearth's own.", "a text that is not empty"),
    ] = None
    instructions: Annotated[
        tuple[Text, ...] | None,
        says(
            "What an agent is told besides; of all files together, the person's first.",
            'a list of texts, like ["Answer in French."]',
        ),
    ] = None
    session: Session = Session()
    knowledge: Knowledge = Knowledge()
    compaction: Compaction = Compaction()
    daemon: DaemonSettings = DaemonSettings()
    interpreter: InterpreterSettings = InterpreterSettings()
    sessions: SessionsSettings = SessionsSettings()
    permissions: Permissions = Permissions()
    sandbox: SandboxGroup = SandboxGroup()
    environment: EnvironmentGroup = EnvironmentGroup()
    mcp: McpGroup = McpGroup()
    mcp_pool: McpPool = McpPool()
