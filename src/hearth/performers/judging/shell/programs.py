"""sed, awk and jq: commands that are given a program, which may write and run things."""

import re
from typing import Final

from hearth.performers.judging.shell.options import given, table
from hearth.performers.judging.shell.proving import Call, Prover, Reads, Unproven, named

_SED: Final = table(
    "nErsuz e: l:",
    "--quiet --silent --regexp-extended --separate --unbuffered --null-data --expression:"
    " --line-length: --posix --debug --sandbox",
)
_AWK: Final = table("F: v:", ends_at_operand=True)
"""Not by longer names: an awk that does not know those may take what follows for the program."""
_JQ: Final = table(
    "rcnsSjaeRCMh",
    "--raw-output --raw-output0 --compact-output --null-input --slurp --sort-keys --join-output"
    " --ascii-output --exit-status --raw-input --color-output --monochrome-output --tab --indent:"
    " --seq --stream",
)

_NUMBERED: Final = r"(?:[0-9]+(?:~[0-9]+)?|\$)"
_MATCHED: Final = r"/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\\\n\[]*\])*+/[IM]{0,2}"
_ADDRESS: Final = rf"(?:{_NUMBERED}|{_MATCHED})"
_ADDRESSES: Final = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|[+~][0-9]+))?)?[ \t]*!?[ \t]*"
_SUBSTITUTE: Final = "|".join(
    rf"s{sign}(?:[^{sign}\\\n\[]|\\[^\n]|\[\^?\]?[^\]{sign}\\\n\[]*\])*+{sign}"
    rf"(?:[^{sign}\\\n]|\\[^\n])*+{sign}[gpiIM0-9]*"
    for sign in ("/", r"\|", "#", ",", ":", "@", "!", "%", "_", "~")
)
_SED_COMMAND: Final = re.compile(
    rf"{_ADDRESSES}(?:[pdDPhHgGxnNlFz=]|[qQ][0-9]*|{_SUBSTITUTE}|(?P<open>\{{)|)"
    r"[ \t]*(?P<closed>(?:\}[ \t]*(?:;[ \t]*)?)*)"
)
_LONGEST: Final = 2000
"""Programs that are longer are not looked at."""


def sed(call: Call) -> Reads:
    """`sed`, without anything that writes, reads or runs by itself."""
    found = given(call.texts(), _SED)
    scripts = [value for name, value in found.options if name in {"-e", "--expression"}]
    operands = found.operands
    if not scripts:
        if not operands:
            return Reads()
        scripts, operands = [operands[0]], operands[1:]
    for script in scripts:
        if not only_edits(script):
            raise Unproven("it is not known that the program of sed only edits what it prints")
    return Reads((*found.reads, *named(operands)))


def only_edits(script: str) -> bool:
    """Whether a program for sed consists of commands that only change what is printed."""
    if len(script) > _LONGEST:
        return False
    at = depth = 0
    while at < len(script):
        if script[at] in " \t\n;":
            at += 1
            continue
        found = _SED_COMMAND.match(script, at)
        if found is None or found.end() == at:
            return False
        at = found.end()
        depth += bool(found["open"]) - found["closed"].count("}")
        if depth < 0:
            return False
        is_ended = found["open"] or found["closed"] or at == len(script) or script[at] in ";\n"
        if not is_ended:
            return False
    return depth == 0


_AWK_DOES: Final = re.compile(
    r"system|getline|close|fflush|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|\\\n|extension|load"
)
_AWK_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def awk(call: Call) -> Reads:
    """`awk` with a program that neither writes to files nor runs anything."""
    found = given(call.texts(), _AWK)
    if not found.operands:
        raise Unproven("awk is given no program")
    program, *operands = found.operands
    if not only_prints(program):
        raise Unproven("it is not known that the program of awk only prints")
    for operand in operands:
        if operand.startswith("-") and operand != "-":
            raise Unproven(f"{operand} may be an option or a file")
    return Reads(
        (*found.reads, *(one for one in named(tuple(operands)) if "=" not in one)),
        perhaps=tuple(one for one in operands if "=" in one),
    )


def only_prints(program: str) -> bool:
    """Whether a program for awk has none of the words and signs that do more than print."""
    if len(program) > _LONGEST or _AWK_DOES.search(program):
        return False
    if "/" not in program and "#" not in program:
        # Without patterns and comments it is sure where strings begin and end.
        program = _AWK_STRING.sub('""', program)
        if _only_compares(program.replace("||", "").replace(">=", "")):
            return True
    signs = program.replace("||", "").replace(">=", "")
    if "|" in signs:
        return False
    return ">" not in signs or ("print" not in signs and '"' not in signs)


def _only_compares(program: str) -> bool:
    """Whether every `>` compares: it stands in parentheses, or outside of all braces.

    Only a statement can print to a file; those are within braces, and in parentheses only behind
    `for`. Strings must be empty, so that all other signs are what they look like.
    """
    if "|" in program or '"' in program.replace('""', ""):
        return False
    braces = parentheses = opened = 0
    for at, sign in enumerate(program):
        if sign == "(" and not parentheses:
            opened = at
        braces += (sign == "{") - (sign == "}")
        parentheses += (sign == "(") - (sign == ")")
        if braces < 0 or parentheses < 0 or (sign in "{}" and parentheses):
            return False
        if sign == ">" and braces and (not parentheses or "print" in program[opened:at]):
            return False
    return True


_JQ_LOADS: Final = re.compile(r"\b(?:import|include|modulemeta|input_filename|get_search_list)\b")


def jq(call: Call) -> Reads:
    """`jq` with a program in its arguments."""
    texts, pairs = _without_pairs(call.texts())
    found = given(texts, _JQ)
    if not found.operands:
        raise Unproven("jq is given no program")
    if _JQ_LOADS.search(found.operands[0]):
        raise Unproven("the program of jq may load others")
    return Reads((*_files(pairs), *found.reads, *named(found.operands[1:])))


_PAIRS: Final = {"--arg": False, "--argjson": False, "--slurpfile": True, "--rawfile": True}


def _without_pairs(texts: tuple[str, ...]) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    """The arguments without the options that take two, and those with the second of the two."""
    left = list(texts)
    pairs: list[tuple[str, str]] = []
    kept: list[str] = []
    while left:
        text = left.pop(0)
        if kept[-1:] == ["--indent"] and not text.isdigit():
            raise Unproven(f"{text} is taken for a number of blanks by jq")
        if text in _PAIRS and "--" not in kept:
            if len(left) < 2:
                raise Unproven(f"something is missing behind {text}")
            pairs.append((text, left[1]))
            del left[:2]
        else:
            kept.append(text)
    return tuple(kept), pairs


def _files(pairs: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(value for name, value in pairs if _PAIRS[name])


PROGRAMS: Final[dict[str, Prover]] = {
    "sed": sed,
    "gsed": sed,
    "awk": awk,
    "gawk": awk,
    "mawk": awk,
    "jq": jq,
}
