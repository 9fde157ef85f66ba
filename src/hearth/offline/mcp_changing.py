"""`hearth mcp add` and `hearth mcp remove`: servers of others in a file of settings."""

import re
from typing import Final

from hearth.offline.answering import Answer, Trouble
from hearth.offline.mcp_settings import (
    Here,
    check_name,
    here,
    open_secrets,
    remove,
    say,
    servers_in,
    write,
)
from hearth.offline.words import WRONG_USAGE, Asked
from hearth.settings.jsonc import Json
from hearth.settings.masking import masked_server

_ADDRESS: Final = re.compile(r"https?://[^\s/]+\S*|\$\{[A-Za-z_][A-Za-z0-9_]*\}\S*")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def add(asked: Asked, command: list[str] | None) -> Answer:
    """Write a server down. Trouble."""
    name = check_name(asked.given["NAME"])
    value = _value(asked, command)
    where, is_project = here(asked.given.get("--proj")), "--project" in asked.given
    if "--cwd" in asked.given:
        value["cwd"] = where.folder(asked.given["--cwd"], is_project=is_project)
    file = where.file(is_project=is_project)
    was = servers_in(file).get(name)
    if was is not None and was is not False and "--force" not in asked.given:
        raise Trouble(
            "there_already",
            f"{file} has a server {name} already",
            "--force replaces it; `hearth mcp list` shows it",
        )
    write(file, name, value)
    _warn(value, str(file))
    _hint(where, name, is_project=is_project)
    how = "replaced" if was is not None else "added"
    shown = {"name": name, "file": str(file), "server": masked_server(value), "replaced": bool(was)}
    return Answer((f"{name} is {how} in {file}",), shown)


def remove_server(asked: Asked) -> Answer:
    """Take a server away. Trouble."""
    name = check_name(asked.given["NAME"])
    where, is_project = here(asked.given.get("--proj")), "--project" in asked.given
    file = where.file(is_project=is_project)
    if not remove(file, name):
        other = where.file(is_project=not is_project)
        flag = "leave out --project" if is_project else "add --project"
        is_there = name in servers_in(other)
        raise Trouble(
            "not_there",
            f"{file} has no server {name}",
            f"{other} has: {flag}" if is_there else "`hearth mcp list` shows which there are",
        )
    return Answer((f"{name} is removed from {file}",), {"name": name, "file": str(file)})


def _value(asked: Asked, command: list[str] | None) -> dict[str, Json]:
    given, lists = asked.given, asked.lists
    url, words = given.get("--url"), list(lists.get("COMMAND", ())) + list(command or ())
    if (url is None) == (not words):
        what = "says both a command and --url" if words else "says neither a command nor --url"
        raise _misused(f"hearth mcp add {what}")
    value: dict[str, Json]
    if url is not None:
        value = {"url": _address(url)}
        if headers := dict(_header(one) for one in lists.get("--header", ())):
            value["headers"] = dict(headers)
        _refuse(asked, ("--env", "--cwd"), "a server that is reached over HTTP")
    else:
        value = {"command": words[0], **({"args": list(words[1:])} if words[1:] else {})}
        if variables := dict(_variable(one) for one in lists.get("--env", ())):
            value["env"] = dict(variables)
        _refuse(asked, ("--header",), "a server that is started here")
    for flag, key in (("--idle-timeout", "idleTimeout"), ("--timeout", "timeout")):
        if flag in given:
            value[key] = _seconds(flag, given[flag])
    return value


def _refuse(asked: Asked, flags: tuple[str, ...], of: str) -> None:
    for flag in flags:
        if flag in asked.lists or flag in asked.given:
            raise _misused(f"{flag} is not for {of}")


def _address(url: str) -> str:
    if not _ADDRESS.fullmatch(url):
        raise _misused(f"{url!r} is no address", "write it whole: --url https://example.com/mcp")
    return url


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _VARIABLE.fullmatch(name):
        raise _misused(f"--env is {text!r}, which sets nothing", "write it so: --env NAME=value")
    return name, value


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not _HEADER.fullmatch(name.strip()) or "\n" in value or "\r" in value:
        raise _misused(
            f"--header is {text!r}, which is none",
            "write it so: --header 'Authorization: Bearer ${TOKEN}'",
        )
    return name.strip(), value.strip()


def _seconds(flag: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise _misused(f"{flag} is {text!r}, which is no time", f"write seconds: {flag} 300")
    return int(value) if value.is_integer() else value


def _warn(value: dict[str, Json], file: str) -> None:
    """Of secrets that now stand in a file."""
    for name in open_secrets(value):
        kept_out = f"${{{_named(name)}}} in its place would keep it out"
        say(f"warning: {name} stands in {file} as it is; {kept_out}")


def _named(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name).upper()


def _hint(where: Here, name: str, *, is_project: bool) -> None:
    if is_project:
        say("hint: it runs once you trust the project (`hearth trust`) and have approved it")
        say(f"hint: `hearth mcp approve {name}` shows what would run, and asks")
    elif name in servers_in(where.file(is_project=True)):
        say("note: the project here has a server of this name, too; yours counts")


def _misused(what: str, hint: str = "") -> Trouble:
    hint = hint or "hearth mcp add NAME -- COMMAND ARG…, or hearth mcp add NAME --url URL"
    return Trouble("usage", what, hint, WRONG_USAGE)
