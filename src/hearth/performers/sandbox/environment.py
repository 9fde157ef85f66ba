"""The environment of programs that hearth starts: without keys and without doors.

Light to import: a daemon uses it before it has imported anything else.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from hearth.core.rules.secrecy import DSN, LOGIN, is_secret

SHORTEST = 8
"""A shorter value is no secret that could be looked for: it would be found everywhere."""

_DOORS = frozenset(
    [
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "SSH_ASKPASS",
        "GIT_ASKPASS",
        "SUDO_ASKPASS",
        "GPG_AGENT_INFO",
        "XAUTHORITY",
        "ICEAUTHORITY",
        "SESSION_MANAGER",
        "GNOME_KEYRING_CONTROL",
        "GNOME_KEYRING_PID",
        "DOCKER_HOST",
        "LD_PRELOAD",
        "LD_AUDIT",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "PYTEST_CURRENT_TEST",
    ]
)
"""They lead to programs that act in the person's name, or have other code run too."""
_DOORS_BY_BEGINNING = ("DBUS_", "JPY_", "BASH_FUNC_")
_OWN = "HEARTH_"
_NO_SECRETS = frozenset(
    [
        "development",
        "production",
        "required",
        "disabled",
        "optional",
        "undefined",
        "password",
        "changeme",
    ]
)
"""Values that stand where a secret could, and would be found all over the place."""


def scrubbed(environ: Mapping[str, str], keep: Sequence[str] = ()) -> dict[str, str]:
    """What of these variables a program may have.

    `keep` are names, or patterns of names with `*`, that a person wants to be passed on although
    they look like secrets. hearth's own are never passed on.
    """
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith(_OWN)
        and (
            any(fnmatchcase(name, pattern) for pattern in keep)
            or not (_is_door(name) or is_secret(name, value))
        )
    }


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of these variables that must not be seen anywhere, and passwords within them."""
    # Imported here: what is started in the first instant has no need of it.
    from urllib.parse import unquote  # noqa: PLC0415 - as the comment says

    found: list[str] = []
    for name, value in environ.items():
        if not is_secret(name, value):
            continue
        passwords = [*LOGIN.findall(value), *(one.strip("'") for one in DSN.findall(value))]
        found += passwords
        found += [unquote(one) for one in passwords]
        if not _is_only_a_place(value):
            found.append(value.strip())
    return tuple(dict.fromkeys(one for one in found if _can_be_looked_for(one)))


def _is_door(name: str) -> bool:
    return name in _DOORS or name.startswith(_DOORS_BY_BEGINNING)


def _is_only_a_place(value: str) -> bool:
    """A path, or an address: only what is in it is secret."""
    return value.startswith(("/", "~", "./")) or bool(LOGIN.search(value) or DSN.search(value))


def _can_be_looked_for(value: str) -> bool:
    return len(value) >= SHORTEST and value.lower() not in _NO_SECRETS and not value.isspace()
