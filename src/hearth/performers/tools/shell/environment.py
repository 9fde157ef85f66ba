"""The surroundings of a command: no secrets, nobody to ask, and nothing that changes what runs."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Final

from hearth.performers.sandbox.environment import scrubbed

_SAID: Final[Mapping[str, str]] = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "AWS_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    # `git status` would otherwise write to the index, and run a hook for it.
    "GIT_OPTIONAL_LOCKS": "0",
    "PYTHONUNBUFFERED": "1",
    "PIP_NO_INPUT": "1",
}
"""Nobody sits at a terminal: no colours, no pager, no editor, no question.

For git these also hold against what the settings of a repository name instead.
"""
_GIT_IS_TOLD: Final = (
    ("core.fsmonitor", "false"),
    ("log.showSignature", "false"),
    ("protocol.ext.allow", "never"),
)
"""Settings that hold against a repository's own, which could have git run a program of its choice
while it only looks. Not hooks: who commits wants them run."""
_COUNT: Final = "GIT_CONFIG_COUNT"
_NUMBERED: Final = re.compile(r"GIT_CONFIG_(KEY|VALUE)_\d+")
_MOST_KEPT: Final = 100
_CHANGES_WHAT_RUNS: Final = frozenset(
    {
        "BASH_COMPAT",
        "BASH_ENV",
        "BASHOPTS",
        "CDPATH",
        "ENV",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
        "GIT_DIFF_OPTS",
        "GLOBIGNORE",
        "GREP_OPTIONS",
        "IFS",
        "LESSOPEN",
        "LS_OPTIONS",
        "MAGIC",
        "OLDPWD",
        "POSIXLY_CORRECT",
        "PS4",
        "RIPGREP_CONFIG_PATH",
        "SHELLOPTS",
        "TAR_OPTIONS",
        "UNZIP",
        "ZIPINFO",
    }
)
_FUNCTION: Final = "BASH_FUNC_"
_USUAL: Final = ("/bin/bash", "/usr/bin/bash")


def surroundings(
    environ: Mapping[str, str], directory: str, keep: Sequence[str] = ()
) -> dict[str, str]:
    """The variables of a command that is run in a directory.

    What was judged is what the command says. A variable that has the shell read a file first, or
    gives another meaning to a name, would make it something else.
    """
    found = {
        name: value
        for name, value in scrubbed(environ, keep).items()
        if name not in _CHANGES_WHAT_RUNS and not name.startswith(_FUNCTION)
    }
    return {**_told(found), **_SAID, "PWD": directory}


def _told(found: Mapping[str, str]) -> dict[str, str]:
    """The same, with settings for git after those that a person wants to be passed on, if any."""
    count = found.get(_COUNT, "")
    kept = int(count) if count.isascii() and count.isdigit() and len(count) < len("1000") else 0
    pairs = [
        (found.get(f"GIT_CONFIG_KEY_{n}"), found.get(f"GIT_CONFIG_VALUE_{n}"))
        for n in range(min(kept, _MOST_KEPT))
    ]
    # Their keys look like secrets, and values may be some: half of a pair has git give up.
    told = [(key, value) for key, value in pairs if key is not None and value is not None]
    told += _GIT_IS_TOLD
    plain = {name: value for name, value in found.items() if not _NUMBERED.fullmatch(name)}
    for number, (key, value) in enumerate(told):
        plain[f"GIT_CONFIG_KEY_{number}"] = key
        plain[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**plain, _COUNT: str(len(told))}


def shell(command: str) -> tuple[str, ...]:
    """The command line that has bash run a command. There must be one: see `has_shell`.

    `--` because a command may begin with a dash, and would be taken for an option.
    """
    return (_bash() or _USUAL[0], "--noprofile", "--norc", "-c", "--", command)


def has_shell() -> bool:
    """Whether there is a bash: commands are judged as it reads them, and others read otherwise."""
    return bool(_bash())


def _bash() -> str:
    candidates = (*_USUAL, which("bash") or "")
    return next((one for one in candidates if one and Path(one).exists()), "")
