"""Commands that only read, and take their options apart in a way of their own.

What is an option with a value to most programs may be two options to these, or a file to be
written: `xxd -ps a b` writes to `b`, and `tree -Po a b` too.
"""

import re
from typing import Final

from hearth.performers.judging.shell.options import given, table
from hearth.performers.judging.shell.proving import Call, Prover, Reads, Unproven

_TAR: Final = re.compile(r"-?t[vzjJa]*f\Z")
_XXD: Final = re.compile(r"-(?:[abCeEipu]|ps|(?P<valued>[cglos])(?P<value>[0-9]*))\Z")
_XXD_VALUE: Final = re.compile(r"[+-]{0,2}(?:0x[0-9a-fA-F]+|[0-9]+)\Z")
_WILD: Final = frozenset("*?[]\\")
_TREE: Final = table(
    "adfipshDugFqNQCnxAStrcUvJX L: P: I: H: T:",
    "--dirsfirst --filesfirst --noreport --gitignore --prune --du --si --charset+"
    " --filelimit+ --matchdirs --ignore-case --inodes --device --sort+ --timefmt+",
    is_wary=True,
)
_TREE_WORD: Final = re.compile(r"(-[A-Za-z]*)([LPIHT])\Z")
_TREE_JOINED: Final = re.compile(r"-[A-Za-z]*[LPIHT](?![0-9]+\Z).")


def tar(call: Call) -> Reads:
    """Only lists what is in an archive."""
    texts = call.texts()
    if len(texts) < 2 or not _TAR.match(texts[0]) or any(one.startswith("-") for one in texts[1:]):
        raise Unproven("tar does not only list")
    if ":" in texts[1]:
        raise Unproven("tar takes what stands before a colon for another machine")
    return Reads((texts[1],))


def unzip(call: Call) -> Reads:
    """Only lists what is in an archive. It looks for other names itself, if there is none."""
    texts = call.texts()
    if len(texts) != 2 or texts[0] not in {"-l", "-v", "-Z1"} or texts[1].startswith("-"):
        raise Unproven("unzip does not only list")
    archive = texts[1]
    if not _WILD.isdisjoint(archive):
        raise Unproven("unzip takes it for a pattern")
    return Reads((archive,), perhaps=(f"{archive}.zip", f"{archive}.ZIP"))


def xxd(call: Call) -> Reads:
    """Shows what is in one file. What stands behind that it would write to, whatever it is."""
    left = list(reversed(call.texts()))
    while left:
        text = left.pop()
        if not text.startswith("-"):
            if left:
                raise Unproven("xxd writes to the second file that is named")
            return Reads((text,))
        found = _XXD.match(text)
        if found is None:
            raise Unproven(f"{text} of xxd is not known to be harmless")
        if found["valued"] and not found["value"] and not (left and _XXD_VALUE.match(left.pop())):
            raise Unproven(f"no number stands behind {text}")
    return Reads()


def tree(call: Call) -> Reads:
    """Lists folders. What a letter takes is always the next word, never the rest of its own."""
    texts: list[str] = []
    for text in call.texts():
        if _TREE_JOINED.match(text):
            raise Unproven(f"{text} means several options to tree")
        found = _TREE_WORD.match(text)
        texts += [text] if found is None or found[1] == "-" else [found[1], f"-{found[2]}"]
    found_out = given(tuple(texts), _TREE)
    return Reads(found_out.reads, found_out.operands or (".",))


ODD_READERS: Final[dict[str, Prover]] = {"tar": tar, "unzip": unzip, "xxd": xxd, "tree": tree}
