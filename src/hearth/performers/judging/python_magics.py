"""What IPython adds to Python: magics, shell lines and help, and what they come down to."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from hearth.performers.judging.python_effects import words


class Deed(Enum):
    """What is done in the end."""

    NOTHING = auto()
    SHELL = auto()
    """By the shell that people like best."""
    BASH = auto()
    SH = auto()
    READ = auto()
    PYTHON = auto()
    WRITE = auto()
    FOLDER = auto()
    OPAQUE = auto()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a magic does."""

    deed: Deed
    text: str = ""
    """The command, the code, the path; or why nobody can tell."""


_HARMLESS: Final = words(
    "who who_ls whos pprint precision xmode colors lsmagic magic quickref pwd dhist psearch pinfo "
    "pinfo2 pdef pdoc psource tb autoreload reset reset_selective xdel automagic doctest_mode dirs "
    "unalias logstate logstop logoff page clear autosave"
)
_ALIASES: Final = {
    "ls": "ls -F",
    "ll": "ls -F -o",
    "lf": "ls -F -o",
    "lk": "ls -F -o",
    "ldir": "ls -F -o",
    "lx": "ls -F -o",
    **{name: name for name in ("cat", "cp", "mv", "rm", "rmdir", "mkdir")},
    **{name: name for name in ("pip", "conda", "mamba", "micromamba", "uv")},
}
_SHELLS: Final = words("system sx ! !!")
_TIMED: Final = words("time timeit prun")
_BACKENDS: Final = words("inline agg notebook widget ipympl nbagg svg auto")
_EXTENSIONS: Final = words("autoreload memory_profiler line_profiler")
_SHOWN: Final = words("html HTML latex markdown svg SVG")
_PYTHONS: Final = words("python python3 pypy")
_KNOWN: Final = words(
    "run load loadpy save notebook logstart logon macro ed edit pastebin recall rep rerun store "
    "bookmark pushd popd alias alias_magic killbgscripts debug pdb gui config env set_env sc "
    "rehashx load_ext reload_ext unload_ext cd matplotlib pylab code_wrap autoawait autocall hist "
    "history pfile pycat less more man connect_info qtconsole subshell"
)
_ACTS_ALONE: Final = words(
    "cd ed edit logon logstart popd pylab qtconsole rehashx rerun recall rep ls ll lf lk "
    "ldir lx connect_info killbgscripts pastebin"
)
"""Magics that do something without being told more."""
_OPTIONS: Final = re.compile(r"(?:-[tcqo]+\s+|-[nrp]\s*\d+\s+)*")
_ASSIGNING: Final = "=,"
_OWN_LINES: Final = re.compile(r"^\s*[!%,;/?]|\?\s*$|=\s*[!%]", re.MULTILINE)
_MOST_WORK: Final = 30_000
_MOST_PIECES: Final = 200
_MOST_FAILURES: Final = 10
_TOO_MUCH: Final = "there is too much of IPython in it"
_ONE_LINE: Final = re.compile(r"\s*(\w+)(?![\w.*])(.*?)\s*", re.DOTALL)
_FILLED_IN: Final = re.compile(r"\{|\$[$\w.]")
"""What IPython puts variables and other code in the place of."""
_PROMPT: Final = re.compile(r"\s*(?:>>>|\.{3,}:|(?:\[\w+\]\s*)?In\s*\[)")
_FOLDER: Final = re.compile(r"(?![-=])[\w./~ +@,=-]*")
"""What `%cd` takes for a path as it stands: no option, nothing in quotes, no name of another."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_HISTORY: Final = re.compile(r"(?:-[noptu]+|-l\s*\d*|[\d~/-]*\d|\s+)*")
_WRITTEN: Final = re.compile(
    r"""(?:(?:-a|--append)\s+)?(?:'([^'\\]+)'|"([^"\\]+)"|([^\s'"\\-][^\s'"\\]*))"""
)
_SETTING: Final = re.compile(
    r"(?:\w*|InlineBackend\.\w+\s*=\s*.*|"
    r"InteractiveShell\.ast_node_interactivity\s*=\s*['\"]\w+['\"])"
)
_OFF: Final = words("0 off")
_AWAITING: Final = frozenset({"", "asyncio", "True", "False", "on", "off", "true", "false"})


MAGICS: Final = _KNOWN | _HARMLESS | (_SHELLS - {"!", "!!"}) | _TIMED | _ALIASES.keys()
"""The words that IPython takes for a magic at the beginning of a cell of one line."""
_FILLING: Final = "IPython fills in what is in braces or behind a dollar before anything else"
_ODD_LINES: Final = frozenset("\v\f\x1c\x1d\x1e\x85\u2028\u2029")
"""Where lines end for IPython, and not for Python."""


def line_magic(name: str, line: str) -> Action:
    """What `%name line` does."""
    line = line.strip()
    if name.startswith("%"):
        return Action(Deed.NOTHING)  # IPython says that this is a magic of whole cells
    if name in _TIMED:
        return _timed(name, line, "")
    if _FILLED_IN.search(line):
        return Action(Deed.OPAQUE, _FILLING)
    if name in _ALIASES:
        return Action(Deed.SHELL, f"{_ALIASES[name]} {line}".strip())
    if name in _SHELLS:
        return Action(Deed.SHELL, line)
    return _settings_magic(name, line)


def _settings_magic(name: str, line: str) -> Action:  # noqa: C901, PLR0911 - one case per magic
    """Of magics that change how IPython works, those that only do that."""
    match name:
        case "cd" if _FOLDER.fullmatch(line):
            return Action(Deed.FOLDER, line or "~")
        case "matplotlib" if not set(line.split()) - _BACKENDS:
            return Action(Deed.NOTHING)
        case "load_ext" | "reload_ext" if line in _EXTENSIONS:
            return Action(Deed.NOTHING)
        case "env" if "=" not in line and " " not in line:
            return Action(Deed.NOTHING)
        case "config" if _SETTING.fullmatch(line):
            return Action(Deed.PYTHON, line.partition("=")[2].strip())
        case "history" | "hist" if _HISTORY.fullmatch(line):
            return Action(Deed.NOTHING)
        case "autocall" if line in _OFF:
            return Action(Deed.NOTHING)
        case "autoawait" if line in _AWAITING:
            return Action(Deed.NOTHING)
        case "pfile" if _NAME.fullmatch(line):
            return Action(Deed.NOTHING)
        case "less" | "more" if line:
            return Action(Deed.READ, line)
        case _ if name in _HARMLESS:
            return Action(Deed.NOTHING)
        case _:
            return Action(Deed.OPAQUE, f"what %{name} does cannot be seen from here")


def cell_magic(name: str, line: str, body: str) -> Action:  # noqa: PLR0911 - one return per magic
    """What a cell does that begins with `%%name line`."""
    line = line.strip()
    if name in _TIMED:
        return _timed(name, line, body)
    if _FILLED_IN.search(line):
        return Action(Deed.OPAQUE, _FILLING)
    match name, line:
        case "capture", _:
            return Action(Deed.PYTHON, body)
        case ("bash", "") | ("script", "bash"):
            return Action(Deed.BASH, body)
        case ("sh", "") | ("script", "sh"):
            return Action(Deed.SH, body)
        case "system" | "sx" | "!", _:
            return Action(Deed.SHELL, f"{line}\n{body}".strip())
        case "writefile" | "file", _ if (found := _WRITTEN.fullmatch(line)) is not None:
            return Action(Deed.WRITE, found[1] or found[2] or found[3])
        case _, "" if name in _PYTHONS:
            return Action(Deed.PYTHON, body)
        case _ if name in _SHOWN:
            return Action(Deed.NOTHING)
        case _:
            return Action(Deed.OPAQUE, f"what %%{name} does cannot be seen from here")


def shell_line(text: str) -> Action:
    """What `!text` does."""
    if _FILLED_IN.search(text):
        return Action(Deed.OPAQUE, _FILLING)
    return Action(Deed.SHELL, text)


def automagic(cell: str) -> Action | None:
    """What a cell of one line does if IPython takes its first word for a magic; None: it does not.

    IPython leaves the words alone that name a variable. Nobody sees from here which do.
    """
    found = _ONE_LINE.fullmatch(cell) if "\n" not in cell.strip() else None
    if found is None:
        return None
    name, rest = found[1], found[2].lstrip()
    if rest[:1] and rest[0] in _ASSIGNING:
        return None
    if name not in MAGICS:
        return None
    if not rest and name not in _ACTS_ALONE:
        return None  # far more often a variable that is to be shown, and no magic of its own
    if (
        rest.startswith("(")
        and name not in _SHELLS
        and name not in _ALIASES
        and is_call(cell.strip())
    ):
        return None  # a function of that name, which IPython would know
    return line_magic(name, rest)


def is_call(cell: str) -> bool:
    """Whether a cell is Python as it stands."""
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def is_prompted(code: str) -> bool:
    """Whether IPython may take something away from its lines, as if it had been copied."""
    if code[:1] in {" ", "\t", "\f"} or not _ODD_LINES.isdisjoint(code):
        return True
    if ">>>" not in code and "...:" not in code and "In" not in code:
        return False
    return any(_PROMPT.match(line) is not None for line in code.splitlines())


def is_ipython(code: str) -> bool:
    """Whether there may be something in it that is not Python."""
    return (
        any(one in code for one in "!%?")
        or is_prompted(code)
        or code[:1] in {",", ";", "/", "$", " ", "\t", ">"}
    )


def as_python(code: str) -> str:
    """The code as IPython turns it into Python. SyntaxError, or ValueError if it cannot tell."""
    if is_prompted(code) or code.lstrip().startswith("%%"):
        return _turned(code)
    pieces: list[str] = []
    for piece in _pieces(code):
        pieces.append(piece if is_call(piece) else _turned(piece))
        if len(pieces) > _MOST_PIECES:
            raise ValueError(_TOO_MUCH)
    return "".join(pieces)


def _pieces(code: str) -> Iterator[str]:
    """A cell cut before and after lines that are nothing but a magic or a command.

    IPython reads all that it is given again for each thing in it that is not Python. What is
    before the cut has to be Python that is complete: then no text and no list goes on behind it.
    """
    waiting: list[str] = []
    failures = 0
    for line in code.splitlines(keepends=True):
        is_whole = line[0] in "!%" and not line.rstrip("\r\n").endswith("\\")
        if is_whole and failures < _MOST_FAILURES:
            before = "".join(waiting)
            if is_call(before):
                yield from (before, line) if before else (line,)
                waiting = []
                continue
            failures += 1
        waiting.append(line)
    yield "".join(waiting)


def _turned(code: str) -> str:
    lines = len(_OWN_LINES.findall(code))
    if not code.lstrip().startswith("%%") and (lines + 1) * len(code) > _MOST_WORK:
        raise ValueError(_TOO_MUCH)
    # Takes a tenth of a second, and few cells have any of it.
    from IPython.core.inputtransformer2 import TransformerManager  # noqa: PLC0415 - as above

    try:
        transformed: str = TransformerManager().transform_cell(code)  # type: ignore[no-untyped-call] # IPython has no types here
    except SyntaxError:
        raise
    except Exception as error:
        raise ValueError("IPython cannot read it") from error
    return transformed


def _timed(name: str, line: str, body: str) -> Action:
    """Of magics that run Python, the Python."""
    if name == "timeit" and (options := _OPTIONS.match(f"{line} ")) is not None:
        line = line[options.end() :]
    if line.startswith("-"):
        return Action(Deed.OPAQUE, f"the options of %{name} are not known")
    return Action(Deed.PYTHON, f"{line}\n{body}" if body else line)
