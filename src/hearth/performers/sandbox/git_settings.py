"""What a file of git's settings says beyond what every repository says of itself."""

import re
from typing import Final

_HEADER: Final = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t]+"[^"\\]*")?\][ \t]*')
_SETTING: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=.*)?")
_ODD: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]")
"""What git and others take for ends of lines, or for nothing, each in its own way."""
_HOOKS_PATH: Final = re.compile("hookspath", re.IGNORECASE)
_MOST_PATHS: Final = 8
_INCLUDING: Final = frozenset({"include", "includeif"})
_HARMLESS: Final = frozenset(
    f"{section}.{key}"
    for section, keys in {
        "core": "repositoryformatversion filemode bare logallrefupdates ignorecase symlinks eol "
        "precomposeunicode autocrlf",
        "remote": "url pushurl fetch tagopt prune promisor partialclonefilter",
        "branch": "remote merge rebase",
        "user": "name email",
        "submodule": "active url",
        "extensions": "objectformat partialclone refstorage worktreeconfig",
        "init": "defaultbranch",
        "pull": "rebase ff",
        "push": "default autosetupremote",
    }.items()
    for key in keys.split()
)
"""What a new repository may say of itself: nothing of it has a program run."""


def doubtful_settings(config: str) -> list[str]:
    """What is not known to be harmless: names of settings, and lines that are not understood.

    A line is understood only if nobody can read it in two ways.
    """
    found: list[str] = []
    section = ""
    for written in config.split("\n"):
        line = written.removesuffix("\r").strip(" \t")
        if _ODD.search(line):
            found.append(_shown(line))
            continue
        if header := _HEADER.match(line):
            section, line = header[1].lower().partition(".")[0], line[header.end() :]
        if not line or line[0] in "#;":
            continue
        # A value that goes on in the next line could hide what begins there.
        setting = None if line.endswith("\\") else _SETTING.fullmatch(line)
        if setting is None:
            found.append(_shown(line))
        elif (named := f"{section}.{setting[1].lower()}") not in _HARMLESS:
            found.append(named)
    return found


def hooks_paths(config: str) -> list[str]:
    """Where hooks are looked for instead, as it is written; from settings of a person."""
    found = []
    # Of many, git takes the last one.
    for at in [one.start() for one in _HOOKS_PATH.finditer(config)][-_MOST_PATHS:]:
        ends = config.find("\n", at)
        begins = config.rfind("\n", 0, at) + 1
        before, _, value = config[begins : None if ends < 0 else ends].partition("=")
        words = before.replace("]", " ").split()
        if words and words[-1].lower() == "hookspath" and value.strip():
            found.append(value.strip().strip('"'))
    return found


def included_paths(config: str) -> list[str]:
    """Files whose settings hold as well, as they are written; from settings of a person."""
    found = []
    section = ""
    for written in config.split("\n"):
        line = written.strip()
        if header := _HEADER.match(line):
            section, line = header[1].lower(), line[header.end() :]
        key, equals, value = line.partition("=")
        if section in _INCLUDING and equals and key.strip().lower() == "path" and value.strip():
            found.append(value.strip().strip('"'))
    return found[-_MOST_PATHS:]


def _shown(line: str) -> str:
    return _ODD.sub("?", line)[:60]
