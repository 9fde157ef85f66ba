"""The everyday commands that only read, and the options with which they do nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from hearth.performers.judging.shell.options import Given, Options, given, table
from hearth.performers.judging.shell.proving import Call, Prover, Reads, Unproven, named

Operands: TypeAlias = Callable[[Given], Reads]


def _paths(found: Given) -> Reads:
    return Reads((*found.reads, *named(found.operands)))


def _here_or_paths(found: Given) -> Reads:
    return Reads((*found.reads, *(named(found.operands) or (".",))))


def _plainly_named(found: Given) -> Reads:
    """Of programs that take the arguments in a file for their own, if it is named with an @."""
    words = (*found.operands, *(value for _, value in found.options))
    if any(word.startswith("@") for word in words):
        raise Unproven("what begins with @ is a file with more arguments in it")
    return _paths(found)


def _packed(found: Given) -> Reads:
    """Gzip looks for other names where there is no file of the one that is given."""
    operands = named(found.operands)
    others = tuple(f"{one}{ending}" for one in operands for ending in (".gz", ".z", "-z", ".Z"))
    return Reads((*found.reads, *operands), perhaps=others)


def _trees(found: Given) -> Reads:
    return Reads(found.reads, named(found.operands) or (".",))


def _listed(found: Given) -> Reads:
    return _trees(found) if found.has("-R", "--recursive") else _here_or_paths(found)


def _text(found: Given) -> Reads:
    return Reads(found.reads)


def _found(found: Given) -> Reads:
    """A pattern for names, then where they are looked for."""
    return Reads((), found.operands[1:] or (".",))


def _nothing(found: Given) -> Reads:
    if found.operands:
        raise Unproven("it is not known what it does to what is named")
    return Reads(found.reads)


def _one_path(found: Given) -> Reads:
    if len(found.operands) > 1:
        raise Unproven("the second file that is named is written to")
    return _paths(found)


@dataclass(frozen=True, slots=True)
class _Known:
    options: Options
    operands: Operands

    def __call__(self, call: Call) -> Reads:
        return self.operands(given(call.texts(), self.options))


_SUMS: Final = _Known(table("btz", "--binary --text --tag --zero"), _paths)
_LISTING: Final = _Known(
    table(
        "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1 I: T: w:",
        "--all --almost-all --author --escape --block-size: --ignore-backups --color? --directory"
        " --classify? --file-type --format: --full-time --group-directories-first --no-group"
        " --human-readable --si --hide: --hyperlink? --indicator-style: --inode --ignore:"
        " --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars"
        " --quote-name"
        " --quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tabsize:"
        " --width: --context --zero",
    ),
    _listed,
)

_FD: Final = _Known(
    table(
        "HIuasigFp0 t: e: d: E: S: c:",
        "--hidden --no-ignore --no-ignore-vcs --unrestricted --absolute-path --case-sensitive"
        " --ignore-case --glob --fixed-strings --full-path --print0 --type: --extension:"
        " --max-depth: --min-depth: --exact-depth: --exclude: --size: --color: --changed-within:"
        " --changed-before: --max-results:",
    ),
    _found,
)

READERS: Final[dict[str, Prover]] = {
    "ls": _LISTING,
    "dir": _LISTING,
    "vdir": _LISTING,
    "cat": _Known(
        table(
            "AbeEnstTuv",
            "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs"
            " --show-nonprinting",
        ),
        _paths,
    ),
    "head": _Known(
        table(
            "qvz n: c:",
            "--lines: --bytes: --quiet --silent --verbose --zero-terminated",
            numbers=True,
        ),
        _paths,
    ),
    "tail": _Known(
        table(
            "fFqvz n: c: s:",
            "--lines: --bytes: --follow? --quiet --silent --verbose --retry --sleep-interval:"
            " --pid: --zero-terminated",
            numbers=True,
        ),
        _paths,
    ),
    "wc": _Known(
        table("clmwL", "--bytes --chars --lines --words --max-line-length --total:"), _paths
    ),
    "nl": _Known(table("p b: d: f: h: i: l: n: s: v: w:", "--body-numbering:"), _paths),
    "tac": _Known(table("br s:", "--before --regex --separator:"), _paths),
    "rev": _Known(table(), _paths),
    "od": _Known(table("abcdfilosxv A: j: N: S: t: w?", "--format: --read-bytes:"), _paths),
    "hexdump": _Known(table("bcCdovx e: n: s:", "--canonical"), _paths),
    "hd": _Known(table("bcCdovx e: n: s:"), _paths),
    "strings": _Known(table("a n: t: e:", "--all --bytes: --radix:", numbers=True), _plainly_named),
    "base64": _Known(table("di w:", "--decode --ignore-garbage --wrap:"), _paths),
    "base32": _Known(table("di w:", "--decode --ignore-garbage --wrap:"), _paths),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "b2sum": _SUMS,
    "cksum": _Known(table("a:", "--algorithm: --untagged --tag"), _paths),
    "sum": _Known(table("rs", "--sysv"), _paths),
    "stat": _Known(
        table("Lft c:", "--dereference --file-system --format: --printf: --terse --cached:"),
        _paths,
    ),
    "file": _Known(
        table(
            "bhikLNnrv0 F: e:",
            "--brief --mime --mime-type --mime-encoding --dereference --no-dereference --extension"
            " --keep-going --no-pad --raw --separator:",
        ),
        _paths,
    ),
    "readlink": _Known(
        table(
            "femnqsvz",
            "--canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet"
            " --silent --verbose --zero",
        ),
        _paths,
    ),
    "realpath": _Known(
        table(
            "emLPqsz",
            "--canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip"
            " --no-symlinks --zero --relative-to< --relative-base<",
        ),
        _paths,
    ),
    **dict.fromkeys(["fd", "fdfind"], _FD),
    "du": _Known(
        table(
            "0abchkmsxlDHS d: t: B: X<",
            "--null --all --apparent-size --block-size: --bytes --total --dereference-args"
            " --max-depth: --human-readable --inodes --count-links --separate-dirs --si --summarize"
            " --threshold: --time? --time-style: --exclude-from< --exclude: --one-file-system",
        ),
        _trees,
    ),
    "df": _Known(
        table(
            "ahHiklPTv B: t: x:",
            "--all --block-size: --human-readable --si --inodes --local --output? --portability"
            " --print-type --total --type: --exclude-type:",
        ),
        _paths,
    ),
    "sort": _Known(
        table(
            "bdfghiMnRrVcCmsuz k: t: S:",
            "--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort"
            " --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort"
            " --reverse --sort: --version-sort --batch-size: --check? --debug --key: --merge"
            " --stable --buffer-size: --field-separator: --parallel: --unique --zero-terminated",
        ),
        _paths,
    ),
    "shuf": _Known(
        table("erz n: i:", "--echo --repeat --zero-terminated --head-count: --input-range:"),
        _paths,
    ),
    "uniq": _Known(
        table(
            "cdDiuz f: s: w:",
            "--count --repeated --all-repeated? --skip-fields: --group? --ignore-case --skip-chars:"
            " --unique --zero-terminated --check-chars:",
        ),
        _one_path,
    ),
    "cut": _Known(
        table(
            "nsz b: c: d: f:",
            "--bytes: --characters: --delimiter: --fields: --complement --only-delimited"
            " --output-delimiter: --zero-terminated",
        ),
        _paths,
    ),
    "paste": _Known(table("sz d:", "--delimiters: --serial --zero-terminated"), _paths),
    "join": _Known(table("iz a: e: j: o: t: v: 1: 2:", "--ignore-case --header"), _paths),
    "comm": _Known(
        table("123z", "--check-order --nocheck-order --output-delimiter: --total"), _paths
    ),
    "column": _Known(
        table("txeJ s: o: c: N: R: T: H: E: W: l:", "--table --separator: --json"), _paths
    ),
    "fold": _Known(table("bs w:", "--bytes --spaces --width:"), _paths),
    "fmt": _Known(table("cstu w: p:", "--width: --uniform-spacing", numbers=True), _paths),
    "expand": _Known(table("i t:", "--initial --tabs:"), _paths),
    "unexpand": _Known(table("a t:", "--all --first-only --tabs:"), _paths),
    "tsort": _Known(table(), _paths),
    "cmp": _Known(table("bls i: n:", "--print-bytes --verbose --silent --quiet"), _paths),
    "zcat": _Known(table("f"), _packed),
    "tr": _Known(table("cCdst", "--complement --delete --squeeze-repeats --truncate-set1"), _text),
    "basename": _Known(table("az s:", "--multiple --suffix: --zero"), _text),
    "dirname": _Known(table("z", "--zero"), _text),
    "seq": _Known(table("w f: s:", "--equal-width --format: --separator:", numbers=True), _text),
    "numfmt": _Known(table("d:", "--to: --from: --field: --suffix: --padding:"), _text),
    "factor": _Known(table(), _text),
    "pwd": _Known(table("LP"), _nothing),
    "whoami": _Known(table(), _nothing),
    "id": _Known(table("gGnruz", "--user --group --groups --name --real"), _text),
    "groups": _Known(table(), _text),
    "uname": _Known(
        table("asnrvmpio", "--all --kernel-name --kernel-release --machine --operating-system"),
        _nothing,
    ),
    # Its other options ask the network for the name.
    "hostname": _Known(table("sI", "--short --all-ip-addresses"), _nothing),
    "arch": _Known(table(), _nothing),
    "nproc": _Known(table("", "--all --ignore:"), _nothing),
    "uptime": _Known(table("ps", "--pretty --since"), _nothing),
    "free": _Known(table("bkmghtlw c: s:", "--human --total --mega --giga"), _nothing),
    "lscpu": _Known(table("aJ", "--json --all"), _nothing),
    "tty": _Known(table("s"), _nothing),
    "who": _Known(table("abdHlmpqrstTu", "--all --boot --heading --count --users"), _nothing),
    "w": _Known(table("hsfio", "--no-header --short"), _nothing),
    "cal": _Known(table("13jmnsyY A: B:", "--one --three --monday --sunday --year"), _text),
    "locale": _Known(table("am", "--all-locales --charmaps"), _text),
    "printenv": _Known(table("0", "--null"), _text),
    "which": _Known(table("as", "--all"), _text),
    "whereis": _Known(table("bms"), _text),
    "sleep": _Known(table(), _text),
}
