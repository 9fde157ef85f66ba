"""The layers of settings, each read by itself: the person's file, a project's, the environment.

What a layer says is one value per key. That is what makes merging recursive: a key that a higher
layer leaves out is simply not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hearth.settings.checking import Leaf, Value, Wrong, checked, error_of, leaves
from hearth.settings.jsonc import Document
from hearth.settings.keys import KEYS, OF_PROJECTS, SCHEMA
from hearth.settings.limits import amount
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import FILE_NAME, parse, read_bytes
from hearth.settings.rule_values import sorted_out
from hearth.settings.substitution import Filled, filled

ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ANTHROPIC_API_KEY": "provider.anthropic.apiKey",
        "OPENAI_API_KEY": "provider.openai.apiKey",
        "DEEPSEEK_API_KEY": "provider.deepseek.apiKey",
        "OPENROUTER_API_KEY": "provider.openrouter.apiKey",
        "HEARTH_MODEL": "model",
        "HEARTH_DATABASE_URL": "daemon.database",
        "HEARTH_PORT": "daemon.port",
    }
)
"""The variables that are settings, and which."""


@dataclass(frozen=True)
class Entry:
    """What one layer says about one key."""

    value: Value
    source: str
    """The file, or `$NAME` for a variable."""
    line: int | None = None
    is_filled: bool = False
    """Something in it was put there from the environment."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Of an object: the line of each of its keys."""

    @property
    def where(self) -> str:
        """Source and line, for people and editors."""
        return f"{self.source}:{self.line}" if self.line else self.source


@dataclass(frozen=True)
class Layer:
    """What one source says, all of it checked."""

    source: str
    entries: Mapping[str, Entry] = field(default_factory=dict, hash=False)
    problems: tuple[Problem, ...] = ()
    """What was left out of it, and why."""
    lost_rules: bool = False
    """Rules of permissions are among that: what they would have forbidden is not known."""
    digest: str = ""
    """Of the file: the order in which things are said may matter, too."""


def global_file(environ: Mapping[str, str]) -> Path:
    """The person's own file: `$XDG_CONFIG_HOME/hearth/hearth.jsonc`, by default in `~/.config`."""
    given = Path(environ.get("XDG_CONFIG_HOME", ""))
    # The specification of these folders: a path that is not absolute is to be ignored.
    folder = given if given.is_absolute() else _home(environ) / ".config"
    return folder / "hearth" / FILE_NAME


def file_layer(
    path: Path, environ: Mapping[str, str] | None, before: Layer | None = None
) -> Layer | None:
    """What a file says; None where there is none. SettingsError if it cannot be used as a whole.

    References to the environment are replaced from `environ`; with None they stay as they are.
    `before` is what it said when it was read last, with the same environment: that again, if it
    has not changed since.
    """
    content = read_bytes(path)
    if content is None:
        return None
    if before is not None and before.digest == _digest(content):
        return before
    return parsed_layer(content, path, environ)


def parsed_layer(content: bytes, path: Path, environ: Mapping[str, str] | None) -> Layer:
    """What the bytes of a file say. SettingsError names `path`."""
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    document, lost_rules = parse(content, path), False
    for leaf in leaves(document, path):
        if KEYS[leaf.name].is_free:
            wrong_rules = _put_free(entries, leaf, path, document)
            problems += wrong_rules
            lost_rules = lost_rules or bool(wrong_rules)
            continue
        put = Filled(leaf.value) if environ is None else filled(leaf.value, environ)
        if leaf.name in OF_PROJECTS and put != Filled(leaf.value):
            problems.append(_literal(leaf, path))
            put = Filled(leaf.value)
        if put.missing:
            problems.append(_unset(leaf, path, put.missing))
        if put.missing and put.value in (None, []):
            continue  # it must not hide what a lower layer says
        try:
            value = checked(leaf.name, put.value)
        except Wrong as wrong:
            if not put.missing:
                raise error_of(wrong, leaf, path) from None
            problems.append(error_of(wrong, leaf, path).problem())
            continue  # wrong for want of a variable: no reason to drop the rest of the file
        if value is not None and leaf.name != SCHEMA:
            is_filled = put != Filled(leaf.value)
            entries[leaf.name] = Entry(value, str(path), leaf.line, is_filled)
    _leave_room(entries, path)
    return Layer(
        str(path), MappingProxyType(entries), tuple(problems), lost_rules, _digest(content)
    )


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _put_free(
    entries: dict[str, Entry], leaf: Leaf, path: Path, document: Document
) -> list[Problem]:
    """What is said of a key that people named. It is taken as written: nothing is replaced in it.

    A rule that cannot be read is left out alone: those beside it may forbid something.
    """
    key, value, problems = KEYS[leaf.name], leaf.value, []
    inside = leaf.value if isinstance(leaf.value, dict) else {}
    lines = {one: document.lines[*leaf.place, one] for one in inside}
    if key.is_rules:
        value, unreadable = sorted_out(value)
        for pattern, what in unreadable:
            name = leaf.name if pattern is None else f"{leaf.name}.{pattern}"
            line = lines.get(pattern or "", leaf.line)
            problems.append(Problem(str(path), what, key.right, name, line))
    try:
        kept = checked(leaf.name, value)
    except Wrong as wrong:
        raise error_of(wrong, leaf, path) from None
    if kept is not None:
        entries[leaf.name] = Entry(kept, str(path), leaf.line, lines=lines)
    return problems


def environment_layer(environ: Mapping[str, str]) -> Layer:
    """What the variables of the environment say. An empty one is as good as none."""
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for variable, name in ENVIRONMENT.items():
        text = environ.get(variable, "")
        if not text:
            continue
        # The one that is a number. What is none is told by the check.
        is_number = name == "daemon.port" and text.isascii() and text.isdigit() and len(text) < 10
        try:
            value = checked(name, int(text) if is_number else text)
        except Wrong as wrong:
            problems.append(Problem(f"${variable}", wrong.what, wrong.right, name))
        else:
            if value is not None:
                entries[name] = Entry(value, f"${variable}")
    return Layer("environment", MappingProxyType(entries), tuple(problems))


def _home(environ: Mapping[str, str]) -> Path:
    given = Path(environ.get("HOME", ""))
    return given if given.is_absolute() else Path.home()


def _leave_room(entries: Mapping[str, Entry], path: Path) -> None:
    """SettingsError where an answer may be as long as the window: nothing could be asked then."""
    for name, entry in entries.items():
        provider, _, last = name.rpartition(".")
        window = entries.get(f"{provider}.window") if last == "maxOutput" else None
        if window is not None and amount(entry.value) >= amount(window.value):
            what = "is not less than window, in which the question must fit, too"
            raise SettingsError(path, what, KEYS[name].right, name, entry.line)


def _literal(leaf: Leaf, path: Path) -> Problem:
    # They decide what runs. Whoever trusts a project must see which files these are, and sessions
    # begin the same way for everyone who opens it.
    what = "is taken as it is written: nothing is replaced in it from the environment"
    return Problem(str(path), what, "the text itself", leaf.name, leaf.line)


def _unset(leaf: Leaf, path: Path, missing: tuple[str, ...]) -> Problem:
    names = " and ".join(missing)
    verb = "is" if len(missing) == 1 else "are"
    return Problem(
        str(path),
        f"{names} {verb} not set in the environment, or empty",
        f"to set {'it' if len(missing) == 1 else 'them'} before hearth starts",
        leaf.name,
        leaf.line,
    )
