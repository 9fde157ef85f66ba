"""Commands that show what is in all files below a folder: grep, rg and diff."""

import os
from typing import Final

from hearth.performers.judging.shell.options import Given, given, table
from hearth.performers.judging.shell.proving import Call, Prover, Reads, Searched, named
from hearth.performers.judging.shell.sieves import Sieve

_GREP: Final = table(
    "EFGPiywxvcLlqsoHhnTUzZbaIrR e: m: A: B: C: d: D: f<",
    "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case"
    " --no-ignore-case --word-regexp --line-regexp --invert-match --count --color? --colour?"
    " --files-without-match --files-with-matches --max-count: --only-matching --quiet --silent"
    " --no-messages --byte-offset --with-filename --no-filename --label: --line-number"
    " --initial-tab --null --null-data --after-context: --before-context: --context: --text"
    " --binary-files: --exclude: --exclude-dir: --exclude-from< --include: --recursive"
    " --dereference-recursive"
    " --line-buffered --regexp: --file< --directories: --devices:",
    numbers=True,
)
_RIPGREP: Final = table(
    "iswSvnNHIlcopqxuUFPa0.hV e: g: t: T: A: B: C: m: M: r: E: d: j: f<",
    "--hidden --no-ignore --no-ignore-vcs --no-ignore-parent --glob: --iglob: --type:"
    " --type-not: --type-add: --type-list --files --files-with-matches"
    " --files-without-match --line-number --no-line-number --ignore-case --smart-case"
    " --case-sensitive --word-regexp --line-regexp --fixed-strings --invert-match --count"
    " --count-matches --only-matching --max-count: --max-columns: --max-columns-preview"
    " --max-depth: --max-filesize: --context: --after-context: --before-context: --color:"
    " --colors: --no-heading --heading --with-filename --no-filename --json --multiline"
    " --multiline-dotall --pcre2 --replace: --sort: --sortr: --stats --trim --vimgrep"
    " --passthru --text --null --pretty --column --no-messages --no-config --threads:"
    " --regexp: --file< --ignore-file< --unrestricted --quiet --encoding:"
    " --one-file-system --no-follow --crlf --engine: --debug --trace",
)
_DIFF: Final = table(
    "qsuNaiwbBEZtyTdprc U: C: W: I: F: L: x: X<",
    "--brief --report-identical-files --unified? --context? --side-by-side --width: --color?"
    " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case"
    " --ignore-trailing-space --strip-trailing-cr --ignore-matching-lines: --text --new-file"
    " --minimal --recursive --no-dereference --label: --exclude: --suppress-common-lines"
    " --left-column --show-c-function --normal --expand-tabs --from-file< --to-file<",
    numbers=True,
)

_ENDINGS: Final = {
    "py": (".py", ".pyi"),
    "rust": (".rs",),
    "go": (".go",),
    "js": (".js", ".jsx", ".vue", ".cjs", ".mjs"),
    "ts": (".ts", ".tsx", ".cts", ".mts"),
    "md": (".md", ".markdown", ".mdown", ".mdwn", ".mkd", ".mkdn", ".mdx"),
    "markdown": (".md", ".markdown", ".mdown", ".mdwn", ".mkd", ".mkdn", ".mdx"),
}
"""What rg means by these types."""


def grep(call: Call) -> Reads:
    """A pattern, then what is searched."""
    found = given(call.texts(), _GREP)
    has_pattern = found.has("-e", "--regexp", "-f", "--file")
    paths = named(found.operands if has_pattern else found.operands[1:])
    follows = found.has("-R", "--dereference-recursive")
    if not follows and not found.has("-r", "--recursive", "-d", "--directories"):
        return Reads((*found.reads, *paths))
    choices = [one for one in found.options if one[0] in {"--include", "--exclude"}]
    first = next((name for name, _ in found.options if name in _CHOOSING), "")
    sieve = Sieve(
        only=tuple(value for name, value in choices if name == "--include"),
        but=tuple(value for name, value in choices if name == "--exclude"),
        begins_closed=first == "--include",
        folders=_values(found, "--exclude-dir"),
    )
    return Reads(found.reads, searched=_searched(paths or (".",), sieve, follows=follows))


_CHOOSING: Final = frozenset({"--include", "--exclude", "--exclude-from"})


def ripgrep(call: Call) -> Reads:
    """Like grep, but it leaves out what is hidden, unless it is told otherwise."""
    found = given(call.texts(), _RIPGREP)
    lists = found.has("--files", "--type-list")
    has_pattern = lists or found.has("-e", "--regexp", "-f", "--file")
    paths = named(found.operands if has_pattern else found.operands[1:]) or (".",)
    if lists:
        return Reads(found.reads, paths)
    globs = _values(found, "-g", "--glob", "--iglob")
    only = tuple(glob for glob in globs if not glob.startswith("!"))
    types = _values(found, "-t", "--type")
    is_known = all(one in _ENDINGS for one in types) and not found.has("--type-add")
    freely = sum(name in {"-u", "--unrestricted"} for name, _ in found.options)
    sieve = Sieve(
        only=only,
        but=tuple(glob[1:] for glob in globs if glob.startswith("!")),
        begins_closed=bool(only),
        folders=tuple(glob[1:] for glob in globs if glob.startswith("!")),
        endings=tuple(end for one in types for end in _ENDINGS[one])
        if is_known and not only
        else (),
        skips_hidden=is_known
        and freely < 2
        # What a file of its own is told to ignore it may be told not to, too.
        and not found.has("--hidden", "-.", "--ignore-file"),
    )
    return Reads(found.reads, searched=_searched(paths, sieve))


def diff(call: Call) -> Reads:
    """Compares files. In folders it follows links, unless it is told not to."""
    found = given(call.texts(), _DIFF)
    operands = tuple(operand for operand in found.operands if operand != "-")
    left_out = _values(found, "-x", "--exclude")
    sieve = Sieve(but=left_out, folders=left_out)
    paths = (*found.reads, *operands)
    folders = tuple(one for one in paths if os.path.isdir(os.path.join(call.place.here, one)))  # noqa: PTH112, PTH118 - text, not a Path
    return Reads(
        tuple(one for one in paths if one not in folders),
        searched=_searched(folders, sieve, follows=not found.has("--no-dereference")),
    )


def _searched(
    paths: tuple[str, ...], sieve: Sieve, *, follows: bool = False
) -> tuple[Searched, ...]:
    return tuple(Searched(path, sieve, follows) for path in paths)


def _values(found: Given, *names: str) -> tuple[str, ...]:
    return tuple(value for name, value in found.options if name in names)


SEARCHERS: Final[dict[str, Prover]] = {
    **dict.fromkeys(["grep", "egrep", "fgrep"], grep),
    "rg": ripgrep,
    "diff": diff,
}
