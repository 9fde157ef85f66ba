"""Which settings of a git repository are known to have git run nothing and go nowhere else.

Only files that are written as git itself writes them are read: one header or setting a line.
"""

import re
from typing import Final

_HEADER: Final = re.compile(r'[ \t]*\[([A-Za-z0-9-]+)(?:[ \t]+"([^"\\\]\[]*)")?\][ \t]*\Z')
_SETTING: Final = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*([^\n]*))?\Z")
_NOTHING: Final = re.compile(r"[ \t]*(?:[#;][^\n]*)?\Z")
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SHOWN: Final = 60

_HARMLESS: Final = {
    section: frozenset(keys.split())
    for section, keys in {
        "core": "repositoryformatversion filemode bare logallrefupdates ignorecase symlinks eol"
        " precomposeunicode autocrlf safecrlf quotepath abbrev untrackedcache preloadindex"
        " longpaths fscache compression sparsecheckout sparsecheckoutcone bigfilethreshold"
        " protecthfs protectntfs whitespace hidedotfiles trustctime checkstat commentchar",
        "remote": "url pushurl fetch push tagopt prune prunetags mirror skipdefaultupdate"
        " skipfetchall gh-resolved followremotehead",
        "branch": "remote merge rebase pushremote description vscode-merge-base gh-merge-base"
        " github-pr-owner-number autosetuprebase autosetupmerge sort",
        "user": "name email signingkey useconfigonly",
        "author": "name email",
        "committer": "name email",
        "submodule": "active url branch",
        "extensions": "objectformat refstorage compatobjectformat preciousobjects noop",
        "init": "defaultbranch",
        "pull": "rebase ff",
        "push": "default autosetupremote followtags",
        "fetch": "prune prunetags",
        "merge": "conflictstyle ff renames renamelimit",
        "rebase": "autosquash autostash updaterefs",
        "rerere": "enabled autoupdate",
        "color": "ui status diff branch interactive",
        "diff": "colormoved colormovedws renames renamelimit algorithm mnemonicprefix noprefix",
        "status": "showuntrackedfiles short branch showstash",
        "log": "date decorate abbrevcommit follow",
        "commit": "gpgsign verbose",
        "tag": "gpgsign sort",
        "gc": "auto autodetach",
        "maintenance": "auto strategy",
        "lfs": "repositoryformatversion access",
        "gui": "wmstate geometry",
    }.items()
}
"""Also `fsmonitor`, if it names no program."""


def doubtful(content: bytes) -> str:
    """What is not known to be harmless in a file of settings, as it is written; "" if nothing is.

    Whatever is not one header or one setting a line counts: git would read more of it than this.
    """
    # All that means something is ASCII, so nothing has to be known of the rest.
    text = content.decode("latin-1").replace("\r\n", "\n")
    section: str | None = None
    for line in text.split("\n"):
        if _NOTHING.match(line) and not line.endswith("\\"):
            continue
        if _UNSEEN.search(line) or line.endswith("\\"):
            return line[:_SHOWN]
        if header := _HEADER.match(line):
            section = header[1].lower()
            continue
        setting = _SETTING.match(line)
        if setting is None or section is None or not _is_harmless(section, setting):
            return line.strip()[:_SHOWN]
    return ""


def is_known(name: str) -> bool:
    """Whether a setting, by its whole name, is one that says nothing secret, whoever has set it."""
    section, _, rest = name.lower().partition(".")
    return rest.rpartition(".")[2] in _HARMLESS.get(section, ())


def _is_harmless(section: str, setting: re.Match[str]) -> bool:
    key, value = setting[1].lower(), setting[2]
    if (section, key) == ("core", "fsmonitor"):
        return value is not None and value.strip() in {"true", "false"}
    return section == "advice" or key in _HARMLESS.get(section, ())
