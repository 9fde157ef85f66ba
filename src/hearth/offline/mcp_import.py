"""`hearth mcp import`: takes over the servers that other programs are told of."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hearth.clients.cli.showing import folder
from hearth.offline.answering import Answer, Trouble
from hearth.offline.mcp_carrying import Carried, carried
from hearth.offline.mcp_formats import PROGRAMS, Configured, Place, configured, usual_places
from hearth.offline.mcp_listing import table
from hearth.offline.mcp_settings import Here, here, open_secrets, say, servers_in, write
from hearth.offline.words import WRONG_USAGE, Asked
from hearth.settings.jsonc import Json
from hearth.settings.masking import masked_server
from hearth.settings.mcp import ServerSpec

ADDED: Final = "added"
WOULD_BE: Final = "would be added"
SAME: Final = "there already"
CLASH: Final = "name is taken"
NOT: Final = "left out"


@dataclass(frozen=True)
class Fate:
    """What becomes of one server."""

    carried: Carried
    state: str
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        one = self.carried
        return {
            "name": one.name,
            "from": str(one.source.file),
            "at": f"{one.source.inside}.{one.source.name}",
            "state": self.state,
            "server": masked_server(one.value) if one.value is not None else None,
            "notes": list(self.notes),
        }


def import_servers(asked: Asked) -> Answer:
    """Take over what is found, or tell what would be. Trouble."""
    where, is_project = here(asked.given.get("--proj")), "--project" in asked.given
    program = asked.given.get("--from")
    if program is not None and program not in PROGRAMS:
        raise Trouble(
            "usage",
            f"--from is {program!r}, which is not known here",
            f"one of: {', '.join(PROGRAMS)}; or name the file",
            WRONG_USAGE,
        )
    named = [Path(one).expanduser().absolute() for one in asked.lists.get("FILE", ())]
    found = _found(where, program, named)
    file = where.file(is_project=is_project)
    is_dry, is_forced = "--dry-run" in asked.given, "--force" in asked.given
    every = [_in_file(carried(one), where, is_project=is_project) for one in found]
    fates = _judged(every, servers_in(file), named, is_project=is_project, is_forced=is_forced)
    if not is_dry:
        for fate in fates:
            if fate.state == ADDED and fate.carried.value is not None:
                write(file, fate.carried.name, dict(fate.carried.value))
    return _told(fates, file, is_dry=is_dry, is_project=is_project)


def _found(where: Here, program: str | None, named: list[Path]) -> list[Configured]:
    if not named:
        places = usual_places(program, where.root, os.environ)
        return [one for place in places for one in configured(place, where.root)]
    for file in named:
        if not file.is_file():
            raise Trouble("no_file", f"there is no file {file}", "name one that is there")
    kinds = {place.file: place for place in usual_places(None, where.root, os.environ)}
    places = [_place(file, program, kinds.get(file)) for file in named]
    found = [one for place in places for one in configured(place, where.root)]
    if not found:
        files = " and ".join(map(str, named))
        raise Trouble(
            "no_servers",
            f"{files} tells of no MCP server",
            'looked for: "mcpServers", "servers", [mcp_servers.NAME]',
        )
    return found


def _place(file: Path, program: str | None, known: Place | None) -> Place:
    """A file that a person named: of the program they say, else of the one that keeps it there."""
    if program is None and known is not None:
        return known
    guessed = "codex" if file.suffix == ".toml" else "claude"
    return Place(file, program or guessed, is_project=known is not None and known.is_project)


def _in_file(one: Carried, where: Here, *, is_project: bool) -> Carried:
    """A server as the file tells of it that it goes into."""
    cwd = one.value.get("cwd") if one.value is not None else None
    if one.value is None or not isinstance(cwd, str):
        return one
    return replace(one, value={**one.value, "cwd": where.folder(cwd, is_project=is_project)})


def _judged(
    found: list[Carried],
    there: Mapping[str, Json],
    named: list[Path],
    *,
    is_project: bool,
    is_forced: bool,
) -> list[Fate]:
    fates: list[Fate] = []
    taken = dict(there)
    for one in found:
        source = one.source
        if source.is_elsewhere:
            fates.append(Fate(one, NOT, (f"it is of another project: {source.folder}",)))
        elif source.is_project and not (is_project or named):
            why = "it came with this project: --project takes it over, or name its file"
            fates.append(Fate(one, NOT, (why,)))
        elif one.value is None:
            fates.append(Fate(one, NOT, one.notes))
        elif taken.get(one.name) == one.value:
            fates.append(Fate(one, SAME, one.notes))
        elif isinstance(taken.get(one.name), dict) and not is_forced:
            fates.append(Fate(one, CLASH, (*one.notes, "--force replaces the one that is there")))
        else:
            taken[one.name] = dict(one.value)
            fates.append(Fate(one, ADDED, one.notes))
    return fates


def _told(fates: list[Fate], file: Path, *, is_dry: bool, is_project: bool) -> Answer:
    states = {ADDED: WOULD_BE} if is_dry else {}
    shown = [Fate(one.carried, states.get(one.state, one.state), one.notes) for one in fates]
    rows = [
        (one.carried.name, one.state, folder(str(one.carried.source.file)), _shown(one.carried))
        for one in shown
    ]
    lines = table(("NAME", "STATE", "FROM", "STARTED BY OR REACHED AT"), rows)
    for one in shown:
        for note in one.notes:
            say(f"{one.carried.name}: {note}")
    added = [one for one in fates if one.state == ADDED]
    if not fates:
        say("nothing was found; name a file: hearth mcp import FILE")
    if added and is_project:
        say("hint: they run once you trust the project and have approved them: hearth mcp approve")
    if is_project and any(open_secrets(one.carried.value or {}) for one in added):
        say(f"warning: there are secrets among it, and {file} may be seen by others")
    value = {"file": str(file), "dry": is_dry, "servers": [one.as_json() for one in shown]}
    has_clash = any(one.state == CLASH for one in fates)
    return Answer(tuple(lines), value, 1 if has_clash else 0)


def _shown(one: Carried) -> str:
    value = one.value or {}
    args, headers, env = value.get("args"), value.get("headers"), value.get("env")
    spec = ServerSpec(
        one.name,
        command=str(value.get("command", "")),
        args=tuple(map(str, args)) if isinstance(args, list) else (),
        env=_texts(env),
        url=str(value.get("url", "")),
        headers=_texts(headers),
    )
    return spec.shown() if value else "-"


def _texts(value: Json) -> dict[str, str]:
    return {name: str(one) for name, one in value.items()} if isinstance(value, dict) else {}
