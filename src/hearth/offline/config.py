"""`hearth config`: which settings hold, why, and how to change one. Needs no daemon."""

import contextlib
import difflib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from hearth.daemon.home import TRUST, hearth_home
from hearth.offline.answering import Answer, Trouble, answered
from hearth.offline.words import WRONG_USAGE, Action, Asked, help_text, parse
from hearth.settings.checking import Wrong, checked
from hearth.settings.jsonc import Json
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.keys import KEYS, OF_PROJECTS, nearest
from hearth.settings.layers import global_file
from hearth.settings.policy import is_personal
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import FILE_NAME
from hearth.settings.roots import find_root_anyway
from hearth.settings.showing import as_json, explain, explained, table
from hearth.settings.snapshot import Snapshot
from hearth.settings.trust import TrustBook
from hearth.settings.writing import write_setting

WHERE: Final = "--directory"
PROJECT: Final = "--project"

ACTIONS: Final[Mapping[str, Action]] = {
    "": Action("[--directory DIR]", "what holds, and where each value came from", may=(WHERE,)),
    "explain": Action(
        "explain KEY [--directory DIR]",
        "what a key means, and which file and line gave its value",
        takes=("KEY",),
        may=(WHERE,),
    ),
    "set": Action(
        "set KEY VALUE [--project] [--directory DIR]",
        "change your own file, or the project's",
        takes=("KEY", "VALUE"),
        may=(WHERE,),
        flags=(PROJECT,),
    ),
    "path": Action("path [--directory DIR]", "which files are looked at", may=(WHERE,)),
    "schema": Action("schema", "the JSON Schema of these files"),
}


def main(argv: list[str]) -> int:
    """Run `hearth config` with these words; the exit code: 0, 1 if it was not done, 2 misused."""
    return answered(argv, _work)


def _work(words: list[str]) -> Answer:
    if words and words[0] in {"help", "--help", "-h"}:
        text = help_text("config", ACTIONS)
        return Answer((text,), {"help": text})
    words = _named(words)
    if words and words[0] not in ACTIONS and not words[0].startswith("-"):
        near = difflib.get_close_matches(words[0], ACTIONS, 1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        what = f"hearth config: there is no {words[0]!r}{meant}"
        raise Trouble("usage", what, "`hearth config help` lists what there is", WRONG_USAGE)
    asked = parse("config", ACTIONS, words)
    return _DONE[asked.action](asked)


def _named(words: list[str]) -> list[str]:
    """`config --directory D explain KEY` is meant as `config explain KEY --directory D`."""
    if words[:1] == [WHERE] and len(words) > 2:
        return [*words[2:], *words[:2]]
    if words and words[0].startswith(f"{WHERE}="):
        return [*words[1:], words[0]]
    return words


def _holding(asked: Asked) -> Answer:
    snapshot = _snapshot(asked)
    _warn(snapshot.warnings)
    if not snapshot.sources:
        _say("nothing is set: no file and no variable counts here")
    value = {"directory": str(_directory(asked)), **as_json(snapshot)}
    return Answer(table(snapshot), value)


def _explained(asked: Asked) -> Answer:
    name = _key(asked)
    snapshot = _snapshot(asked)
    about = ("", name)
    _warn(one for one in snapshot.warnings if one.key in about or one.key.startswith(f"{name}."))
    return Answer(explain(snapshot, name), explained(snapshot, name))


def _set(asked: Asked) -> Answer:
    name, text = _key(asked), asked.given["VALUE"]
    is_project = PROJECT in asked.given
    if is_project and is_personal(name):
        raise Trouble(
            "not_allowed",
            f"{name} cannot be set by a project: it would not count there",
            "leave out --project to set it in your own file",
        )
    if not is_project and name in OF_PROJECTS:
        raise Trouble(
            "not_allowed",
            f"{name} can only be set by a project: it would not count in your own file",
            "add --project to set it in the file of the project",
        )
    file = _project_file(asked) if is_project else global_file(os.environ)
    value = _read(name, text)
    try:
        write_setting(file, name, value)
    except SettingsError as error:
        raise _trouble(error) from None
    except OSError as error:
        raise Trouble(
            "not_written", f"{file} cannot be written: {error.strerror}", "make it yours to write"
        ) from None
    if is_project:
        _say("hint: it counts once you trust the project as it is now: `hearth trust`")
    return Answer((f"{name} is set in {file}",), {"key": name, "file": str(file)})


def _paths(asked: Asked) -> Answer:
    files = {"yours": global_file(os.environ), "project": _project_file(asked)}
    there = {name: file.exists() for name, file in files.items()}
    lines = tuple(
        f"{name:<8} {file}{'' if there[name] else '  (not there)'}" for name, file in files.items()
    )
    value = {name: {"file": str(file), "exists": there[name]} for name, file in files.items()}
    return Answer(lines, value)


def _schema(_asked: Asked) -> Answer:
    # Only here: making it takes longer than all the rest.
    from hearth.settings.json_schema import json_schema, schema_text  # noqa: PLC0415 - as said

    return Answer((schema_text().rstrip("\n"),), json_schema())


_DONE: Final[Mapping[str, Callable[[Asked], Answer]]] = {
    "": _holding,
    "explain": _explained,
    "set": _set,
    "path": _paths,
    "schema": _schema,
}


def _directory(asked: Asked) -> Path:
    try:
        given = asked.given.get(WHERE)
        directory = Path(given).expanduser() if given is not None else Path.cwd()
        is_there = directory.is_dir()
    except (OSError, RuntimeError, ValueError):
        is_there, directory = False, Path(asked.given.get(WHERE, "."))
    if not is_there:
        raise Trouble(
            "no_directory",
            f"there is no folder {directory}",
            "name one that exists with --directory",
        )
    return directory


def _snapshot(asked: Asked) -> Snapshot:
    book = TrustBook(Path(hearth_home(), TRUST))
    keeper = SettingsKeeper(global_file(os.environ), os.environ, trusted=book.is_trusted)
    snapshot = keeper.current(_directory(asked))
    problem = book.problem()
    return replace(snapshot, warnings=(*snapshot.warnings, problem)) if problem else snapshot


def _project_file(asked: Asked) -> Path:
    root, _ = find_root_anyway(_directory(asked))
    return root.path / FILE_NAME


def _key(asked: Asked) -> str:
    name = asked.given["KEY"]
    if name not in KEYS:
        raise Trouble(
            "unknown_key",
            f"{name} is no key that hearth knows",
            f"right would be {nearest(name)}; `hearth config schema` describes every key",
            WRONG_USAGE,
        )
    return name


def _read(name: str, text: str) -> Json:
    """The value that a word of a command line means: JSON if that fits, else the text itself."""
    meant: list[Json] = [text]
    with contextlib.suppress(ValueError, RecursionError):
        meant.insert(0, json.loads(text))
    wrongs = []
    for one in meant:
        try:
            if checked(name, one) is not None:
                return one
        except Wrong as wrong:
            wrongs.append(wrong)
    what, hint = f"{name}: {wrongs[0].what}", f"right would be {wrongs[0].right}"
    raise Trouble("wrong_value", what, hint, WRONG_USAGE)


def _trouble(error: SettingsError) -> Trouble:
    place = f"{error.file}:{error.line}" if error.line else str(error.file)
    key = f"{error.key}: " if error.key else ""
    return Trouble("broken_file", f"{place}: {key}{error.what}", f"right would be {error.right}")


def _warn(problems: Iterable[Problem]) -> None:
    for problem in problems:
        _say(f"warning: {problem}")


def _say(line: str) -> None:
    """Beside the answer: that alone goes to the standard output."""
    # A name may hold what a terminal would obey.
    safe = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
    sys.stderr.write(f"{safe}\n")
