"""How hearth says of an MCP server what another program says of it; what it cannot say, in words.

Pure: reads no file and no environment.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from hearth.offline.mcp_formats import Configured
from hearth.settings.jsonc import Json
from hearth.settings.mcp import NAME

LONGEST: Final = 40
HTTP: Final = frozenset({"http", "streamable-http", "streamablehttp", "streamable_http", "remote"})
STDIO: Final = frozenset({"stdio", "local"})
ADDRESSES: Final = ("url", "serverUrl", "httpUrl")
MEANINGLESS: Final = frozenset({"type", "transport", "enabled", "disabled", "name"})
_EDITORS: Final = re.compile(r"\$\{(env|input|config|command):([^}]*)\}")
_FOLDERS: Final = re.compile(
    r"\$\{(workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/)\}"
)
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True)
class Carried:
    """A server as hearth would be told of it. Without a `value` it cannot be."""

    source: Configured
    name: str
    value: Mapping[str, Json] | None
    notes: tuple[str, ...] = ()


class _NotCarried(Exception):
    """Why not."""


def carried(source: Configured) -> Carried:
    """What becomes of a server of another program."""
    carrying = _Carrying(source)
    name = carrying.name()
    try:
        value = carrying.value()
    except _NotCarried as why:
        return Carried(source, name, None, (str(why),))
    return Carried(source, name, value, tuple(carrying.notes))


class _Carrying:
    """One server on its way."""

    def __init__(self, source: Configured) -> None:
        self._source = source
        self._said = dict(source.said)
        self.notes: list[str] = []

    def name(self) -> str:
        given = self._source.name
        if NAME.fullmatch(given):
            return given
        made = re.sub(r"[^A-Za-z0-9]+", "-", given).strip("-")[:LONGEST].strip("-") or "server"
        self.notes.append(f"it is called {made} here: names are letters, digits and -")
        return made

    def value(self) -> dict[str, Json]:
        said = self._said
        if "" in said:
            raise _NotCarried("it is no object")
        self._check_kind()
        address = next((said.pop(one) for one in ADDRESSES if said.get(one)), None)
        command = said.pop("command", None)
        if address is not None and command is None:
            value = self._reached(address)
        elif command is not None and address is None:
            value = self._started(command)
        else:
            raise _NotCarried("it says neither how it is started nor where it is reached")
        self._add_times(value)
        self._add_login(value)
        if said.get("disabled") is True or said.get("enabled") is False:
            value["disabled"] = True
        left = sorted(one for one in said if one not in MEANINGLESS and said[one] not in _EMPTY)
        if left:
            self.notes.append(f"left out, because hearth has nothing like it: {', '.join(left)}")
        return value

    def _check_kind(self) -> None:
        kind = self._said.get("type") or self._said.get("transport")
        if kind is not None and str(kind).lower() not in HTTP | STDIO:
            raise _NotCarried(
                f"it speaks {str(kind)[:40]!r}, and hearth stdio and http alone: perhaps it can be"
                " reached over http, too"
            )

    def _started(self, command: Any) -> dict[str, Json]:
        said = self._said
        args = said.pop("args", None) or []
        if isinstance(command, list):
            command, args = (command[0] if command else ""), [*command[1:], *args]
        if not isinstance(command, str) or not command or not isinstance(args, list):
            raise _NotCarried("its command is no text, or its args are no list")
        if PurePath(command).name == "hearth" and args[:1] == ["mcp"]:
            raise _NotCarried("that is hearth itself")
        value: dict[str, Json] = {"command": self._put(command)}
        if args:
            value["args"] = [self._put(_text(one)) for one in args]
        env = {**self._texts("env"), **self._passed_on()}
        if env:
            value["env"] = {name: env[name] for name in env}
        cwd = said.pop("cwd", None)
        if cwd:
            path = self._put(_text(cwd))
            is_whole = path.startswith(("~", "$"))
            value["cwd"] = path if is_whole else str(self._source.folder / path)
        return value

    def _passed_on(self) -> dict[str, str]:
        """Variables that Codex hands on by name."""
        names = self._said.pop("env_vars", None) or []
        plain = [one.get("name", "") if isinstance(one, dict) else str(one) for one in names]
        return {name: f"${{{name}}}" for name in plain if name}

    def _reached(self, address: Any) -> dict[str, Json]:
        said = self._said
        value: dict[str, Json] = {"url": self._put(_text(address))}
        headers = {**self._texts("headers"), **self._texts("http_headers")}
        by_variable = said.pop("env_http_headers", None) or {}
        headers |= {str(name): f"${{{one}}}" for name, one in by_variable.items()}
        if variable := said.pop("bearer_token_env_var", None):
            headers["Authorization"] = f"Bearer ${{{variable}}}"
        if headers:
            value["headers"] = {name: headers[name] for name in headers}
        return value

    def _texts(self, key: str) -> dict[str, str]:
        given = self._said.pop(key, None) or {}
        if not isinstance(given, dict):
            raise _NotCarried(f"its {key} is no object")
        return {str(name): self._put(_text(one)) for name, one in given.items() if one is not None}

    def _add_times(self, value: dict[str, Json]) -> None:
        said = self._said
        if (seconds := _number(said.pop("tool_timeout_sec", None))) is not None:
            value["timeout"] = seconds
        # What all others write are milliseconds.
        if (milliseconds := _number(said.pop("timeout", None))) is not None:
            value["timeout"] = _number(milliseconds / 1000) or 1

    def _add_login(self, value: dict[str, Json]) -> None:
        said = self._said
        given = said.pop("oauth", None) or said.pop("auth", None)
        login = given if isinstance(given, dict) else {}
        client = login.get("clientId") or login.get("client_id") or login.get("CLIENT_ID")
        scopes = said.pop("scopes", None) or login.get("scopes")
        if isinstance(scopes, str):
            scopes = scopes.split()
        if "url" in value and isinstance(client, str):
            value["clientId"] = client
        if "url" in value and isinstance(scopes, list) and scopes:
            value["scopes"] = [_text(one) for one in scopes]
        if "url" in value and login:
            self.notes.append("it wants a login: `hearth mcp login` behind the import")

    def _put(self, text: str) -> str:
        """The text with what editors put into it said as hearth does: `${NAME}` stays."""
        return _EDITORS.sub(self._variable, _FOLDERS.sub(self._folder, text))

    def _variable(self, found: re.Match[str]) -> str:
        kind, name = found[1], found[2]
        if kind == "env":
            return f"${{{name}}}"
        variable = _NO_NAME.sub("_", name).strip("_").upper() or "VALUE"
        variable = f"_{variable}" if variable[0].isdecimal() else variable
        asked = "is asked for" if kind == "input" else f"is a {kind}"
        note = f"{name} {asked} there; here it is taken from the variable {variable}"
        if note not in self.notes:
            self.notes.append(note)
        return f"${{{variable}}}"

    def _folder(self, found: re.Match[str]) -> str:
        folder = self._source.folder
        meant = {
            "workspaceFolder": str(folder),
            "workspaceFolderBasename": folder.name,
            "userHome": str(Path.home()),
        }.get(found[1], "/")
        note = f"{found[0]} is {meant} here"
        if note not in self.notes:
            self.notes.append(note)
        return meant


_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {}, False)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise _NotCarried(f"{str(value)[:40]!r} is no text")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return int(value) if float(value).is_integer() else value
