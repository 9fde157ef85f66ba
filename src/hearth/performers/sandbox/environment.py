"""The environment of programs that hearth starts: without keys and without doors.

Light to import: a daemon uses it before it has imported anything else.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

SHORTEST = 8
"""A shorter value is no secret that could be looked for: it would be found everywhere."""

_SECRET_WORDS = frozenset(
    [
        "apikey",
        "auth",
        "bearer",
        "certificate",
        "cookie",
        "cookies",
        "cred",
        "credential",
        "credentials",
        "creds",
        "dsn",
        "jwt",
        "key",
        "keys",
        "kubeconfig",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "pat",
        "private",
        "pwd",
        "secret",
        "secrets",
        "signature",
        "token",
        "tokens",
        "webhook",
    ]
)
_SECRET_ENDINGS = re.compile(
    r"(api|access|account|auth|client|deploy|encryption|license|master|private|secret|signing|ssh)"
    r"keys?$|(token|secret|password|passwd|passphrase|credential|cookie)s?$|^auth(entication|z)?$"
)
_SECRET_PAIRS = re.compile(r"(^|_)(session_?id|connection_?string|service_account)(_|$)")
_HARMLESS = frozenset(
    ["PWD", "OLDPWD", "KEYBOARD", "KEYMAP", "KEYTIMEOUT", "HISTCONTROL", "TOKENIZERS_PARALLELISM"]
)
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
_PROVIDERS = re.compile(
    r"^(ANTHROPIC|OPENAI|AZURE_OPENAI|DEEPSEEK|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|XAI|COHERE|"
    r"TOGETHER|FIREWORKS|PERPLEXITY|AWS|HF|HUGGINGFACE)_.*(KEY|TOKEN|SECRET|CREDENTIALS)"
)
_LOGIN = re.compile(r"\w://[^/\s:@]*:([^/\s@]+)@")
_DSN = re.compile(r"(?i)\bpassword\s*=\s*('[^']+'|[^\s;&]+)")
_LOOKS_LIKE_A_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(sk|rk|pk)[-_][A-Za-z0-9_-]{16,}|"
    r"\b(gh[oprsu]_|github_pat_|glpat-|gldt-|xox[abeprs]-|hf_|npm_|pypi-|dop_v1_|shpat_|ya29\.|"
    r"SG\.|dckr_pat_|lin_api_|tskey-|AGE-SECRET-KEY-)[A-Za-z0-9._-]{10,}|"
    r"\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|"
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\."
)
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
        passwords = [*_LOGIN.findall(value), *(one.strip("'") for one in _DSN.findall(value))]
        found += passwords
        found += [unquote(one) for one in passwords]
        if not _is_only_a_place(value):
            found.append(value.strip())
    return tuple(dict.fromkeys(one for one in found if _can_be_looked_for(one)))


def is_secret(name: str, value: str) -> bool:
    """Whether a variable is one by its name, or by what it says."""
    if name in _HARMLESS:
        return False
    return bool(
        _has_secret_name(name)
        or _LOGIN.search(value)
        or _DSN.search(value)
        or _LOOKS_LIKE_A_KEY.search(value)
    )


def _has_secret_name(name: str) -> bool:
    if _PROVIDERS.match(name.upper()):
        return True
    # `githubToken` is two words, and GITHUB_TOKEN too.
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    words = re.split(r"[^a-z]+", plain)
    return bool(
        _SECRET_WORDS.intersection(words)
        or any(_SECRET_ENDINGS.search(word) for word in words)
        or _SECRET_PAIRS.search(plain)
    )


def _is_door(name: str) -> bool:
    return name in _DOORS or name.startswith(_DOORS_BY_BEGINNING)


def _is_only_a_place(value: str) -> bool:
    """A path, or an address: only what is in it is secret."""
    return value.startswith(("/", "~", "./")) or bool(_LOGIN.search(value) or _DSN.search(value))


def _can_be_looked_for(value: str) -> bool:
    return len(value) >= SHORTEST and value.lower() not in _NO_SECRETS and not value.isspace()
