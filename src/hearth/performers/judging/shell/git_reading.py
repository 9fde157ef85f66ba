"""`git` where it only looks: its subcommands, with the options that neither write nor run."""

import re
from dataclasses import replace
from typing import Final

from hearth.performers.judging.paths import resolved
from hearth.performers.judging.shell import options
from hearth.performers.judging.shell.git_config import check_config
from hearth.performers.judging.shell.options import Given, Options, given
from hearth.performers.judging.shell.proving import Call, Reads, Searched, Unproven, moved
from hearth.performers.judging.shell.repository import (
    has_repository,
    trouble_with,
    trouble_with_modules,
)


def table(short: str = "", long: str = "", *, numbers: bool = False) -> Options:
    """Of long options it is not sure that they take what follows: it may be a path all the same."""
    return options.table(short, long.replace(":", "+"), numbers=numbers, is_wary=True)


_SHOWING: Final = (
    " --stat? --shortstat --numstat --dirstat? --summary --name-only --name-status --raw --patch"
    " --no-patch --unified: --color? --no-color --color-words? --word-diff? --word-diff-regex:"
    " --minimal --patience --histogram --diff-algorithm: --ignore-all-space --ignore-space-change"
    " --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --function-context --text"
    " --full-index --binary --abbrev? --find-renames? --find-copies? --find-copies-harder"
    " --no-renames --diff-filter: --pickaxe-all --pickaxe-regex --relative? --no-relative"
    " --exit-code --quiet --check --no-ext-diff --no-textconv --ignore-submodules? --submodule?"
    " --src-prefix: --dst-prefix: --no-prefix --inter-hunk-context: --compact-summary"
    " --indent-heuristic"
    " --patch-with-stat --cumulative --no-indent-heuristic"
    " --rename-empty --no-rename-empty"
    " --color-moved? --no-color-moved"
)
_CHOOSING: Final = (
    " --oneline --graph --all --branches? --tags? --remotes? --decorate? --no-decorate --pretty?"
    " --format: --abbrev-commit --no-abbrev-commit --date: --relative-date --max-count: --skip:"
    " --since: --after: --until: --before: --author: --committer: --grep: --all-match"
    " --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges"
    " --no-merges --first-parent --not --reverse --date-order --topo-order --author-date-order"
    " --follow --left-right --cherry-pick --cherry-mark --cherry --left-only --right-only"
    " --boundary --simplify-by-decoration --full-history --ancestry-path? --no-walk? --walk-reflogs"
    " --source --reflog --parents --children --merge --cc --combined-all-paths --count"
    " --min-parents: --max-parents: --glob: --exclude: --no-notes --notes? --line-prefix:"
    " --decorate-refs: --decorate-refs-exclude: --use-mailmap --mailmap --no-mailmap --root"
    " --diff-merges: --no-diff-merges --remove-empty --dense --sparse --full-diff --log-size"
)
_SHORT: Final = "upsabwWRtzcmD M? C? B? U+ S: G: l:"
_LOG: Final = table(f"{_SHORT} giEFPq n: L:", _SHOWING + _CHOOSING, numbers=True)
_LISTED: Final = (
    " --contains: --no-contains: --merged: --no-merged: --points-at: --sort: --format: --color?"
    " --no-color --column? --no-column --ignore-case"
)

_SUBCOMMANDS: Final[dict[str, Options]] = {
    "status": table(
        "sbvz u? M?",
        "--short --branch --show-stash --porcelain? --long --verbose --untracked-files?"
        " --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind"
        " --renames --no-renames --find-renames? --null",
    ),
    "log": _LOG,
    "show": _LOG,
    "whatchanged": _LOG,
    "reflog": _LOG,
    "diff": table(
        f"{_SHORT} 0123", f"--cached --staged --merge-base --ours --theirs --base{_SHOWING}"
    ),
    "diff-tree": table(f"{_SHORT} rtvmcsu", "--stdin --root --no-commit-id" + _SHOWING),
    "diff-index": table("mRupsz", "--cached --merge-base" + _SHOWING),
    "diff-files": table("mRupsz", _SHOWING),
    "range-diff": table("s", "--creation-factor: --no-dual-color" + _SHOWING),
    "shortlog": table("nsec w?", "--numbered --summary --email --committer --group:" + _CHOOSING),
    "blame": table(
        "bcefhklnpstw M? C? L:",
        "--root --show-stats --porcelain --line-porcelain --incremental --reverse --first-parent"
        " --date: --show-name --show-number --show-email --abbrev: --ignore-rev: --color-lines"
        " --color-by-age --since:",
    ),
    "annotate": table("lp L:"),
    "branch": table(
        "arvilq", f"--all --remotes --verbose --list --show-current --abbrev:{_LISTED}"
    ),
    "tag": table("l n?", f"--list{_LISTED}"),
    "ls-files": table(
        "cdmoikustvfz x: X<",
        "--cached --deleted --modified --others --ignored --stage --unmerged --killed --directory"
        " --no-empty-directory --exclude: --exclude-from< --exclude-standard --error-unmatch"
        " --full-name --abbrev? --debug --eol --deduplicate --format: --recurse-submodules",
    ),
    "ls-tree": table(
        "drtlz",
        "--long --name-only --name-status --object-only --full-name --full-tree --abbrev?"
        " --format:",
    ),
    "rev-parse": table(
        "q",
        "--abbrev-ref? --short? --verify --show-toplevel --git-dir --git-common-dir --show-prefix"
        " --show-cdup --is-inside-work-tree --is-bare-repository --is-inside-git-dir --symbolic"
        " --symbolic-full-name --all --branches? --tags? --remotes? --absolute-git-dir --quiet"
        " --revs-only --no-revs --not --sq --is-shallow-repository",
    ),
    "rev-list": table("n: q", _CHOOSING + " --objects --disk-usage? --quiet", numbers=True),
    "describe": table(
        "",
        "--all --tags --contains --abbrev: --candidates: --exact-match --long --match: --exclude:"
        " --always --first-parent --dirty? --broken?",
    ),
    "merge-base": table("a", "--all --octopus --is-ancestor --independent --fork-point"),
    "name-rev": table("", "--name-only --tags --all --always --refs: --no-undefined"),
    "for-each-ref": table("", f"--count: --shell --perl --python --tcl{_LISTED} --exclude:"),
    "show-ref": table("hds q", "--head --heads --tags --dereference --hash? --verify --quiet"),
    "show-branch": table("ar", "--all --remotes --current --list --no-name --sha1-name"),
    "cat-file": table("tespz", "--batch? --batch-check? --buffer --batch-all-objects --unordered"),
    "grep": table(
        "aiIwvhHEGPFnlLzocpWqr e: A: B: C: f< m:",
        "--text --ignore-case --word-regexp --invert-match --full-name --extended-regexp"
        " --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches"
        " --name-only --files-without-match --null --only-matching --count --color? --no-color"
        " --break --heading --show-function --context: --after-context: --before-context:"
        " --function-context --and --or --not --all-match --quiet --cached --untracked"
        " --max-depth: --recursive --no-recursive --threads: --max-count:",
        numbers=True,
    ),
    "symbolic-ref": table("q", "--quiet --short"),
    "fsck": table(
        "v",
        "--full --no-full --strict --verbose --unreachable --dangling --no-dangling --root --tags"
        " --cache --connectivity-only --progress --no-progress",
    ),
    "count-objects": table("vH", "--verbose --human-readable"),
    "check-ignore": table("qvn", "--quiet --verbose --non-matching --no-index"),
    "check-attr": table("a", "--all --cached"),
    "cherry": table("v", "--abbrev?"),
    "version": table("", "--build-options"),
    "--version": table(),
    "var": table(),
}
_UNDER: Final[dict[tuple[str, str], Options]] = {
    ("stash", "list"): _LOG,
    ("stash", "show"): table(f"{_SHORT} u", "--include-untracked --only-untracked" + _SHOWING),
    ("remote", "get-url"): table("", "--push --all"),
    ("worktree", "list"): table("vz", "--porcelain --verbose"),
    ("notes", "list"): table(),
    ("notes", "show"): table(),
    ("bisect", "log"): table(),
}


_LISTING: Final = (
    "--list",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
)
"""With one of these `branch` and `tag` list, whatever else they are given."""


def _listed(found: Given) -> None:
    if found.operands and not found.has(*_LISTING):
        raise Unproven("git may make a branch or tag; with --list it does not")


def _listed_tags(found: Given) -> None:
    if not found.has("-l"):  # of `branch` this has meant something else
        _listed(found)


def _reflog(found: Given) -> None:
    if not {"expire", "delete", "drop", "write"}.isdisjoint(found.operands):
        raise Unproven("git reflog may delete")


def _one_name(found: Given) -> None:
    if len(found.operands) > 1:
        raise Unproven("git symbolic-ref sets the first to the second")


_CHECKS_SIGNATURES: Final = re.compile(r"%[-+ ]?G|signature")
_SEARCHED_FOR: Final = frozenset({"-S", "-G", "-e", "-L", "--grep", "--author", "--committer"})
"""What follows these is no format."""

_WITHIN_ONE: Final = frozenset(
    {
        "log", "show", "whatchanged", "reflog", "shortlog", "blame", "annotate", "branch", "tag",
        "ls-files", "ls-tree", "rev-parse", "rev-list", "merge-base", "name-rev", "for-each-ref",
        "show-ref", "show-branch", "cat-file", "grep", "count-objects", "check-ignore",
        "check-attr", "cherry", "version", "--version", "var", "remote", "worktree", "notes",
        "config", "bisect", "diff-tree", "range-diff", "symbolic-ref", "fsck",
    }
)  # fmt: skip
"""These look at no other repository than the one they are in."""

_CHECKED: Final = {
    "branch": _listed,
    "tag": _listed_tags,
    "reflog": _reflog,
    "symbolic-ref": _one_name,
}


def git(call: Call) -> Reads:
    """`git` with a subcommand that only looks, in a repository that has it run nothing."""
    texts = list(call.texts())
    call, texts = _in_folder(call, texts)
    if not texts:
        return Reads()
    subcommand = texts[0]
    found = _given(texts)
    for name, value in found.options:
        if name == "--help" or (name not in _SEARCHED_FOR and _CHECKS_SIGNATURES.search(value)):
            raise Unproven(f"{name} has git run another program")
    if subcommand not in {"version", "--version"} and (trouble := trouble_with(call.place)):
        raise Unproven(trouble)
    if subcommand == "diff" and found.operands and not has_repository(call.place):
        raise Unproven("where there is no repository git compares files, and all in folders")
    if _looks_at_modules(subcommand, found) and (trouble := trouble_with_modules(call.place)):
        raise Unproven(trouble)
    return _read(call, subcommand, found)


def _given(texts: list[str]) -> Given:
    """The subcommand's arguments, if it is known to only look with these."""
    subcommand = texts[0]
    if subcommand == "config":
        check_config(tuple(texts[1:]))
        return given((), table())
    if texts in (["remote"], ["remote", "-v"]):
        return given((), table())
    under = _UNDER.get((subcommand, texts[1] if len(texts) > 1 else ""))
    if under is not None:
        return given(tuple(texts[2:]), under)
    known = _SUBCOMMANDS.get(subcommand)
    if known is None:
        raise Unproven(f"git {subcommand} is not known to only look")
    found = given(tuple(texts[1:]), known)
    if (check := _CHECKED.get(subcommand)) is not None:
        check(found)
    return found


def _looks_at_modules(subcommand: str, found: Given) -> bool:
    """Whether git goes into the repositories within one, where other settings hold."""
    if found.has("--submodule", "--recurse-submodules"):
        return True
    if subcommand in _WITHIN_ONE:
        return False
    if subcommand == "describe":
        return found.has("--dirty", "--broken")
    ignored = [value for name, value in found.options if name == "--ignore-submodules"]
    return not ignored or ignored[-1] not in {"", "all"}


def _in_folder(call: Call, texts: list[str]) -> tuple[Call, list[str]]:
    """What stands before the subcommand: only where to go and not to ask a pager."""
    while texts and texts[0].startswith("-") and texts[0] != "--version":
        option = texts.pop(0)
        if option == "-C" and texts:
            folder = resolved(texts.pop(0), call.place)
            if folder is None or call.place.is_outside(folder):
                raise Unproven("git works in another folder, outside of the project")
            call = replace(call, place=moved(call.place, folder))
        elif option not in {"--no-pager", "--no-optional-locks", "--literal-pathspecs", "-P"}:
            raise Unproven(f"{option} of git is not known to be harmless")
    return call, texts


def _read(call: Call, subcommand: str, found: Given) -> Reads:
    here = call.place.here
    perhaps = [f"{here}/{one}" if not one.startswith("/") else one for one in _paths_in(found)]
    if subcommand == "check-ignore":
        perhaps = []
    untracked = found.has("--untracked", "--include-untracked", "--only-untracked")
    return Reads(
        tuple(one if one.startswith("/") else f"{here}/{one}" for one in found.reads),
        (here,),
        tuple(perhaps),
        # What git keeps is known to everybody who has the repository; what it does not, is not.
        (Searched(here),) if untracked else (),
    )


def _paths_in(found: Given) -> list[str]:
    """What may be a path: operands, also those behind the name of a commit."""
    paths: list[str] = []
    for operand in found.operands:
        paths.append(operand)
        _, colon, path = operand.partition(":")
        if colon and path:
            paths.append(path)
    return paths
