"""Commands that run another one, and what that is."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from hearth.performers.judging.shell.finding import runs
from hearth.performers.judging.shell.options import Options, Takes, table
from hearth.performers.judging.shell.proving import Argument

DEEPEST: Final = 4
"""So many commands may run one another."""

_ASSIGNED: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)\Z", re.DOTALL)
_DURATION: Final = re.compile(r"[0-9.]+[smhd]?\Z")


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What a command runs."""

    inner: tuple[tuple[Argument, ...], ...] = ()
    """Commands by their words."""
    script: str | None = None
    """Commands as the text of a line for bash."""
    assignments: tuple[tuple[str, str | None], ...] = ()
    is_transparent: bool = False
    """It does nothing by itself, so it is not looked at further."""
    doubt: str = ""
    """Why it has to be asked for, whatever it runs."""


Arguments: TypeAlias = tuple[Argument, ...]
_MORE: Final = Argument("…", None, is_one=False)


def unwrapped(name: str, arguments: Arguments) -> Wrapped | None:
    """What this command runs; None if it is not known to run another."""
    unwrap = _WRAPPERS.get(name)
    if unwrap is None or [argument.text for argument in arguments] == ["--version"]:
        return None
    return unwrap(name, arguments)


def _plainly(options: Options, *, transparent: bool) -> "_Unwrap":
    """Options, then the command."""

    def unwrap(name: str, arguments: Arguments) -> Wrapped | None:
        rest = _behind_options(arguments, options)
        if rest is None:
            return Wrapped(doubt=f"what {name} runs cannot be told")
        return Wrapped((rest,), is_transparent=transparent) if rest else None

    return unwrap


def _timeout(_name: str, arguments: Arguments) -> Wrapped | None:
    rest = _behind_options(arguments, _TIMEOUT)
    if not rest or rest[0].text is None or not _DURATION.match(rest[0].text):
        return Wrapped(doubt="what timeout runs cannot be told")
    return Wrapped((rest[1:],), is_transparent=True) if rest[1:] else None


def _env(_name: str, arguments: Arguments) -> Wrapped | None:
    assignments: list[tuple[str, str | None]] = []
    for at, argument in enumerate(arguments):
        if argument.text is None:
            return Wrapped(doubt="what env runs cannot be told")
        if found := _ASSIGNED.match(argument.text):
            assignments.append((found[1], found[2]))
        elif argument.text.startswith("-"):
            return Wrapped(doubt=f"what env runs with {argument.text} cannot be told")
        else:
            return Wrapped((arguments[at:],), None, tuple(assignments), is_transparent=True)
    return Wrapped(assignments=tuple(assignments), is_transparent=True)


def _as_somebody_else(name: str, arguments: Arguments) -> Wrapped:
    rest = _behind_options(arguments, _SUDO)
    doubt = f"{name} runs it with other rights"
    return Wrapped((rest,) if rest else (), doubt=doubt)


def _su(name: str, arguments: Arguments) -> Wrapped:
    texts = [argument.text for argument in arguments]
    at = next((at for at, text in enumerate(texts) if text in {"-c", "--command"}), None)
    script = texts[at + 1] if at is not None and at + 1 < len(texts) else None
    return Wrapped(script=script, doubt=f"{name} runs it with other rights")


def _xargs(_name: str, arguments: Arguments) -> Wrapped:
    rest = _behind_options(arguments, _XARGS)
    doubt = "what xargs is given cannot be told"
    if rest is None:
        return Wrapped(doubt=doubt)
    return Wrapped(((*rest, _MORE),) if rest else (), doubt=doubt)


def _shell(name: str, arguments: Arguments) -> Wrapped | None:
    if not arguments:
        return Wrapped(doubt=f"what {name} is given to run cannot be told")
    flags, *rest = arguments
    if flags.text is None or flags.text not in {"-c", "-lc", "-ec", "-xc", "-euc"}:
        return Wrapped(doubt=f"what {name} runs cannot be told")
    script = rest[0].text if rest else None
    if script is None:
        return Wrapped(doubt=f"what {name} runs cannot be told")
    if name == "bash" and flags.text == "-c":
        return Wrapped(script=script, is_transparent=True)
    return Wrapped(script=script, doubt=f"{name} {flags.text} may read it in another way")


def _eval(name: str, arguments: Arguments) -> Wrapped:
    texts = [argument.text for argument in arguments]
    known = [text for text in texts if text is not None]
    script = " ".join(known) if len(known) == len(texts) else None
    return Wrapped(script=script, doubt=f"{name} makes a command of its words")


def _script(name: str, arguments: Arguments) -> Wrapped:
    """The last words are a command line of their own."""
    rest = _behind_options(arguments, _WATCH)
    doubt = f"{name} runs something again and again, or elsewhere"
    if not rest or any(argument.text is None for argument in rest):
        return Wrapped(doubt=doubt)
    return Wrapped(script=" ".join(argument.text or "" for argument in rest), doubt=doubt)


def _doubtful(why: str) -> "_Unwrap":
    def unwrap(name: str, _arguments: Arguments) -> Wrapped:
        return Wrapped(doubt=f"{name} {why}")

    return unwrap


def _inside_of(why: str) -> "_Unwrap":
    """Whatever words look like a command may be one."""

    def unwrap(name: str, arguments: Arguments) -> Wrapped:
        rest = tuple(arguments)
        while rest and (rest[0].text is None or rest[0].text.startswith("-")):
            rest = rest[1:]
        return Wrapped((rest,) if rest else (), doubt=f"{name} {why}")

    return unwrap


def _container(name: str, arguments: Arguments) -> Wrapped | None:
    if any(argument.text in {"run", "exec", None} for argument in arguments):
        return Wrapped(doubt=f"{name} {_ELSEWHERE}")
    return None


def _command(name: str, arguments: Arguments) -> Wrapped | None:
    if arguments and arguments[0].text in {"-v", "-V"}:
        return None
    return _inside_of("runs what may be called otherwise")(name, arguments)


def _find(_name: str, arguments: Arguments) -> Wrapped | None:
    found = runs(arguments)
    if not found:
        return None
    inner = tuple(
        tuple(_MORE if one.text is not None and "{}" in one.text else one for one in run.arguments)
        for run in found
    )
    return Wrapped(inner, doubt="what find gives to it cannot be told")


_Unwrap: TypeAlias = Callable[[str, Arguments], Wrapped | None]

_TIMEOUT: Final = table(
    "fvp k: s:", "--foreground --preserve-status --verbose --kill-after: --signal:"
)
_SUDO: Final = table(
    "AbEHnPSkis u: g: h: p: C: r: t: T: U: D: R:",
    "--user: --group: --preserve-env? --login --shell --non-interactive --background",
    ends_at_operand=True,
)
_XARGS: Final = table(
    "0rtpxo n: L: P: I: s: d: E: a<",
    "--null --no-run-if-empty --verbose --max-args: --max-lines? --max-procs: --delimiter:"
    " --arg-file< --replace? --exit --open-tty",
    ends_at_operand=True,
)
_WATCH: Final = table("bcdegtx n:", "--interval: --no-title --differences? --errexit --exec")

_OPAQUE: Final = "changes what later commands mean"
_ELSEWHERE: Final = "runs it where other rules hold"

_WRAPPERS: Final[dict[str, _Unwrap]] = {
    "env": _env,
    "timeout": _timeout,
    "nice": _plainly(table("n:", "--adjustment:", numbers=True), transparent=True),
    "ionice": _plainly(table("t c: n:", "--class: --classdata: --ignore"), transparent=True),
    "stdbuf": _plainly(table("i: o: e:", "--input: --output: --error:"), transparent=True),
    "time": _plainly(table("p"), transparent=True),
    "nohup": _plainly(table(), transparent=False),
    "setsid": _plainly(table("cfw", "--ctty --fork --wait"), transparent=False),
    "command": _command,
    "exec": _inside_of("goes on as something else"),
    "builtin": _inside_of("runs what may be called otherwise"),
    "sudo": _as_somebody_else,
    "doas": _as_somebody_else,
    "pkexec": _as_somebody_else,
    "su": _su,
    "runuser": _su,
    "xargs": _xargs,
    "find": _find,
    **dict.fromkeys(["bash", "sh", "dash", "zsh", "ksh", "fish", "ash", "rbash"], _shell),
    "eval": _eval,
    **dict.fromkeys(["watch", "parallel"], _script),
    **dict.fromkeys(
        ["ssh", "chroot", "unshare", "nsenter", "bwrap", "systemd-run"],
        _doubtful(_ELSEWHERE),
    ),
    **dict.fromkeys(["docker", "podman"], _container),
    **dict.fromkeys(
        ["strace", "ltrace", "gdb", "flock", "script", "entr", "busybox", "at", "unbuffer"],
        _inside_of("runs what it is given"),
    ),
    **dict.fromkeys(
        [
            "alias", "unalias", "trap", "source", ".", "enable", "hash", "shopt", "set", "declare",
            "typeset", "export", "readonly", "local", "unset", "coproc", "mapfile", "readarray",
            "bind", "complete", "compgen", "let", "getopts", "pushd", "popd", "dirs", "ulimit",
            "umask", "caller", "history", "fc", "shift", "select", "function",
        ],
        _doubtful(_OPAQUE),
    ),
}  # fmt: skip


def _behind_options(arguments: Arguments, options: Options) -> Arguments | None:
    """What stands behind the options; None if one of them is not known."""
    left = list(arguments)
    while left:
        text = left[0].text
        if text is None:
            return None
        if text == "--":
            return tuple(left[1:])
        if text == "-" or not text.startswith("-"):
            break
        consumed = _length(text, options)
        if consumed == 0 or consumed > len(left):
            return None
        del left[:consumed]
    return tuple(left)


def _length(text: str, options: Options) -> int:
    """How many words an option is; 0 if it is not known."""
    if options.numbers and text[1:].isdigit():
        return 1
    if text.startswith("--"):
        name, equals, _ = text.partition("=")
        takes = options.known.get(name)
        if takes is None:
            return 0
        return 2 if not equals and takes in _TAKES_NEXT else 1
    for at, letter in enumerate(text[1:], 2):
        takes = options.known.get(f"-{letter}")
        if takes is not Takes.NOTHING:
            is_next = takes in _TAKES_NEXT and not text[at:]
            return 0 if takes is None else 1 + is_next
    return 1


_TAKES_NEXT: Final = frozenset({Takes.TEXT, Takes.READS})
