"""Commands that only read, each in a way of its own."""

import os
import re
from typing import Final

from hearth.performers.judging.shell.finding import find
from hearth.performers.judging.shell.odd_readers import ODD_READERS
from hearth.performers.judging.shell.options import given, table
from hearth.performers.judging.shell.programs import PROGRAMS
from hearth.performers.judging.shell.proving import Call, Prover, Reads, Unproven
from hearth.performers.judging.shell.variables import is_harmless_name

_VERSIONS: Final = {
    **dict.fromkeys(
        ["python", "python3", *(f"python3.{minor}" for minor in range(8, 20))],
        frozenset({"--version", "-V", "-VV"}),
    ),
    **dict.fromkeys(["node", "npm", "perl", "php", "ruby"], frozenset({"--version", "-v"})),
    **dict.fromkeys(
        [
            "bash", "gcc", "g++", "cc", "clang", "make", "cmake", "docker", "uv", "ruff", "mypy",
            "black", "curl", "wget", "tmux", "vim", "nano", "less", "sqlite3", "psql",
        ],
        frozenset({"--version"}),
    ),
    "java": frozenset({"-version", "--version"}),
    "javac": frozenset({"-version", "--version"}),
}  # fmt: skip

_LOADED_BY: Final = {
    **dict.fromkeys(
        ["pip", "pip3", "mypy", "black"], ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE")
    ),
    "npm": ("NODE_OPTIONS", "NODE_PATH"),
    "perl": ("PERL5OPT", "PERL5LIB"),
    "ruby": ("RUBYOPT", "RUBYLIB"),
    **dict.fromkeys(["java", "javac"], ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH")),
}
"""Variables of a person's own that have a program load more, which may be the project's."""

_UNARY: Final = frozenset("bcdefghLkprsSuwxOGN")
_ABOUT_TEXT: Final = frozenset({"-n", "-z"})
_BETWEEN: Final = frozenset(
    {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
)
_BETWEEN_TEXTS: Final = frozenset({"=", "==", "!=", "-nt", "-ot", "-ef"})
_MEANS_SOMETHING: Final = re.compile(r"-|!|=|&&|\|\||\]\]|[()<>]")
_NUMBER: Final = re.compile(r"[0-9.]+[smhd]?\Z")

_DATE: Final = table(
    "uR d: I? r<", "--utc --universal --date: --rfc-email --iso-8601? --rfc-3339: --reference<"
)
_PIP: Final = {
    "list": table("lv", "--local --user --not-required --format: --editable --verbose"),
    "freeze": table("l", "--local --user --all --exclude-editable"),
    "show": table("fv", "--files --verbose"),
    "check": table(),
    "--version": table(),
}
_PRINTED: Final = re.compile(
    r"(?:[^%]|%%|%[-+ 0#']*(?:[0-9]+|\*)?(?:\.(?:[0-9]+|\*)?)?(?:[hlLjzt]*[diouxXfFeEgGaAcsbq]"
    r"|\([^()]*\)T))*+\Z",
    re.DOTALL,
)
"""Only what is known to print; `%n` is not."""
_TEE: Final = table("aip", "--append --ignore-interrupts")


def echo(_call: Call) -> Reads:
    """Prints what it is given, whatever that is."""
    return Reads()


def printf(call: Call) -> Reads:
    """Prints; with `-v`, or `%n` in what it is told to print, it would set a variable."""
    first = call.arguments[0] if call.arguments else None
    if first is not None and first.text == "--":
        first = call.arguments[1] if len(call.arguments) > 1 else None
    elif first is not None and (first.text or "").startswith("-"):
        first = None
    if first is None or first.text is None or not _PRINTED.match(first.text):
        raise Unproven("printf may set a variable")
    return Reads()


def test(call: Call) -> Reads:
    """`test` and `[`. What follows `-v` would be calculated, which can run commands."""
    arguments = list(call.arguments)
    if call.name == "[" and (not arguments or arguments.pop().text != "]"):
        raise Unproven("a bracket is not closed")
    if any(argument.text is None and not argument.is_one for argument in arguments):
        raise Unproven("nobody can say how many words are compared")
    words = [argument.text for argument in arguments]
    is_sure = None not in words
    paths: list[str | None] = []
    while words:
        while words and words[0] == "!":
            words.pop(0)
        paths += _compared(words)
        if words and (words.pop(0) not in {"-a", "-o"} or not is_sure):
            raise Unproven("it is not known what is compared")
    if None in paths:
        raise Unproven("nobody can say which file is looked for")
    return Reads(tuple(path for path in paths if path is not None))


def condition(call: Call) -> Reads:
    """`[[ … ]]`, where what is compared as a number would be calculated: that is not known here."""
    if any(
        _MEANS_SOMETHING.match(one.text or "") and one.raw != one.text for one in call.arguments
    ):
        raise Unproven("what is quoted between [[ and ]] looks like a sign")
    words = [argument.text for argument in call.arguments]
    paths: list[str | None] = []
    while words and words[0] != "]]":
        at = next((at for at, one in enumerate(words) if one in {"&&", "||", "]]"}), len(words))
        part = words[:at]
        while part and part[0] == "!":
            part.pop(0)
        paths += _compared(part, _BETWEEN_TEXTS)
        if part or at == len(words):
            raise Unproven("it is not known what is compared")
        del words[: at + (words[at] != "]]")]
    if words != ["]]"]:
        raise Unproven("it is not known what is compared")
    if None in paths:
        raise Unproven("nobody can say which file is looked for")
    return Reads(tuple(path for path in paths if path is not None))


def _compared(words: list[str | None], between_them: frozenset[str] = _BETWEEN) -> list[str | None]:
    """Takes one comparison off the words; the paths in it."""
    if len(words) >= 3 and words[1] in between_them:
        left, between, right = words[:3]
        del words[:3]
        return [left, right] if between in {"-nt", "-ot", "-ef"} else []
    if len(words) >= 2 and words[0] in _ABOUT_TEXT:
        del words[:2]
        return []
    if len(words) >= 2 and words[0] is not None and _asks_about_path(words[0]):
        path = words[1]
        del words[:2]
        return [path]
    if len(words) == 1:
        # One word alone is only looked at for being empty.
        words.pop()
        return []
    raise Unproven("it is not known what is compared")


def _asks_about_path(word: str) -> bool:
    return len(word) == 2 and word[0] == "-" and word[1] in _UNARY


def date(call: Call) -> Reads:
    """Shows the time; a time without `+` would set it."""
    found = given(call.texts(), _DATE)
    if len(found.operands) > 1 or not all(one.startswith("+") for one in found.operands):
        raise Unproven("date may set the clock")
    return Reads(found.reads)


def expr(call: Call) -> Reads:
    """Calculates with words."""
    call.texts()
    return Reads()


def _loads_nothing_else(name: str) -> None:
    for variable in _LOADED_BY.get(name, ()):
        if os.environ.get(variable):
            raise Unproven(f"{name} loads what {variable} says")


def pip(call: Call) -> Reads:
    """What is installed."""
    _loads_nothing_else(call.name)
    texts = call.texts()
    options = _PIP.get(texts[0]) if texts else None
    if options is None:
        raise Unproven("pip does not only look")
    given(texts[1:], options)
    return Reads()


def read(call: Call) -> Reads:
    """Sets variables to what is read: only those that change nothing for other commands."""
    texts = call.texts()
    names = texts[1:] if texts and texts[0] == "-r" else texts
    if not all(is_harmless_name(name) for name in names):
        raise Unproven("read sets a variable that may change what runs")
    return Reads()


def tee(call: Call) -> Reads:
    """Passes on what it is given, where it writes that to nothing else."""
    found = given(call.texts(), _TEE)
    if any(operand != "/dev/null" for operand in found.operands):
        raise Unproven("tee writes to what is named")
    return Reads()


def leave(call: Call) -> Reads:
    """`exit` and its like, with a number or nothing."""
    texts = call.texts()
    if len(texts) > 1 or not all(_NUMBER.match(text) for text in texts):
        raise Unproven("what stands behind it is no number")
    return Reads()


def where(call: Call) -> Reads:
    """`command -v` and `type`: what a name would run."""
    texts = call.texts()
    if call.name == "command" and (not texts or texts[0] not in {"-v", "-V"}):
        raise Unproven("it runs what is named")
    return Reads()


def version(call: Call) -> Reads:
    """Programs that are asked for their version."""
    _loads_nothing_else(call.name)
    texts = call.texts()
    if len(texts) != 1 or texts[0] not in _VERSIONS[call.name]:
        raise Unproven("it is not known what it does")
    return Reads()


SMALL_READERS: Final[dict[str, Prover]] = {
    **dict.fromkeys(_VERSIONS, version),
    **PROGRAMS,
    **ODD_READERS,
    "find": find,
    "echo": echo,
    ":": echo,
    "true": echo,
    "false": echo,
    "printf": printf,
    "yes": echo,
    "tee": tee,
    "test": test,
    "[": test,
    "[[": condition,
    "date": date,
    "expr": expr,
    "pip": pip,
    "pip3": pip,
    "read": read,
    "exit": leave,
    "return": leave,
    "break": leave,
    "continue": leave,
    "command": where,
    "type": where,
}
