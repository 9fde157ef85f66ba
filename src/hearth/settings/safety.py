"""The settings of what agents may do: who is asked, what is walled off, which tools there are."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from hearth.settings.values import Group, Text, says

Mode: TypeAlias = Literal["ask", "auto"]
Action: TypeAlias = Literal["allow", "ask", "deny"]


class Permissions(Group, frozen=True):
    """Whom agents ask, and for what. All other keys in here are rules, by name of permission."""

    mode: Annotated[
        Mode | None,
        says(
            "Whether a person is asked, or whatever would be asked is allowed once, unseen. "
            "What is denied stays so. A person's affair: a project cannot set it.",
            '"ask" or "auto"',
        ),
    ] = None
    auto_allow: Annotated[
        tuple[Text, ...] | None,
        says(
            "Folders outside of the project that nobody is asked about. A person's affair: a "
            "project cannot set it.",
            'a list of paths, like ["/srv/data"]',
        ),
    ] = None


class SandboxGroup(Group, frozen=True):
    """What walls agents' commands off. A project can make it stricter, never looser."""

    commands: Annotated[
        bool | None,
        says("Whether agents' commands run in a sandbox, where the machine can.", "true or false"),
    ] = None
    interpreter: Annotated[
        bool | None,
        says("Whether the interpreters of sessions run in one, too.", "true or false"),
    ] = None
    network: Annotated[
        bool | None,
        says("Whether commands in the sandbox reach the network without asking.", "true or false"),
    ] = None
    writable: Annotated[
        tuple[Text, ...] | None,
        says(
            "Folders besides the project that commands in the sandbox may write to. A person's "
            "affair: a project cannot set it.",
            'a list of paths, like ["~/.cache/uv"]',
        ),
    ] = None
    readable: Annotated[
        tuple[Text, ...] | None,
        says(
            "What would be hidden in the sandbox, and is not: such as the folder of a key. A "
            "person's affair: a project cannot set it.",
            'a list of paths, like ["~/.config/gh"]',
        ),
    ] = None


class EnvironmentGroup(Group, frozen=True):
    """What commands and interpreters inherit. A person's affair: a project cannot set it."""

    keep: Annotated[
        tuple[Text, ...] | None,
        says(
            "Variables that are passed on although their names or values look like secrets.",
            'a list of names, * for any run of characters, like ["AWS_*"]',
        ),
    ] = None


class ExemplifiedRule(Group, frozen=True):
    """A rule with examples, which are checked whenever the file is read."""

    action: Action
    matches: tuple[Text, ...] = ()
    not_: tuple[Text, ...] = msgspec.field(default=(), name="not")


Rules: TypeAlias = Action | dict[Text, Action | ExemplifiedRule]
"""What may be said about one permission: of everything, or pattern by pattern."""


class Server(Group, frozen=True):
    """How a language server is started, and for which files."""

    command: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] = ()
    files: tuple[Text, ...] = ()
    options: dict[str, Any] = msgspec.field(default_factory=dict)
