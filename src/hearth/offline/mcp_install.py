"""`hearth mcp install CLIENT`: how a client of MCP is told to use hearth. Writes nothing."""

import difflib
import json
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.offline.answering import Answer, Trouble
from hearth.offline.words import WRONG_USAGE

NAME: Final = "hearth"
"""What clients call it."""
USUAL: Final = "mcpServers"


@dataclass(frozen=True)
class Setup:
    """How one client is set up: by a command, or by something that is put into a file."""

    title: str
    command: tuple[str, ...] = ()
    """A command line that does it; the words of hearth's own follow."""
    file: str = ""
    """Where it can be written by hand."""
    snippet: Callable[[list[str]], str] = lambda _: ""
    has_folder: bool = True
    """It starts servers in the folder that is worked in; otherwise that has to be said."""
    finds_programs: bool = True
    """It looks for programs as a shell does; otherwise the whole path has to be said."""


def _usual(words: list[str], group: str = USUAL, **more: object) -> str:
    return _json({group: {NAME: {**more, "command": words[0], "args": words[1:]}}})


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2)


def _toml(words: list[str]) -> str:
    arguments = json.dumps(words[1:])
    return f"[mcp_servers.{NAME}]\ncommand = {json.dumps(words[0])}\nargs = {arguments}"


def _yaml(words: list[str]) -> str:
    lines = ["extensions:", f"  {NAME}:", "    enabled: true", "    type: stdio"]
    lines += [f"    name: {NAME}", f"    cmd: {json.dumps(words[0])}"]
    return "\n".join([*lines, f"    args: {json.dumps(words[1:])}", "    timeout: 300"])


def _opencode(words: list[str]) -> str:
    return _json({"mcp": {NAME: {"type": "local", "command": words, "enabled": True}}})


CLIENTS: Final[Mapping[str, Setup]] = {
    "claude-code": Setup(
        "Claude Code",
        ("claude", "mcp", "add", "--scope", "user", NAME, "--"),
        ".mcp.json of a project",
        _usual,
    ),
    "codex": Setup("Codex", ("codex", "mcp", "add", NAME, "--"), "~/.codex/config.toml", _toml),
    "cursor": Setup(
        "Cursor", file="~/.cursor/mcp.json, or .cursor/mcp.json of a project", snippet=_usual
    ),
    "vscode": Setup(
        "VS Code",
        ("code", "--add-mcp"),
        ".vscode/mcp.json of a project",
        lambda words: _usual(words, "servers", type="stdio"),
    ),
    "windsurf": Setup(
        "Windsurf",
        file="~/.codeium/windsurf/mcp_config.json",
        snippet=_usual,
        has_folder=False,
        finds_programs=False,
    ),
    "zed": Setup(
        "Zed",
        file="~/.config/zed/settings.json",
        snippet=lambda words: _usual(words, "context_servers"),
    ),
    "gemini": Setup(
        "Gemini CLI",
        ("gemini", "mcp", "add", "--scope", "user", NAME),
        "~/.gemini/settings.json",
        _usual,
    ),
    "opencode": Setup("opencode", file="~/.config/opencode/opencode.json", snippet=_opencode),
    "goose": Setup("goose", file="~/.config/goose/config.yaml", snippet=_yaml),
    "claude-desktop": Setup(
        "Claude Desktop",
        file="claude_desktop_config.json (Settings, Developer, Edit Config)",
        snippet=_usual,
        has_folder=False,
        finds_programs=False,
    ),
}
ALSO: Final = {"claude": "claude-code", "code": "vscode", "gemini-cli": "gemini"}


def install(client: str | None, folder: str = "") -> Answer:
    """How this client is told; without one, which there are. Trouble."""
    if client is None:
        width = max(map(len, CLIENTS))
        lines = tuple(f"{name:<{width}}  {one.title}" for name, one in CLIENTS.items())
        return Answer(lines, {"clients": {name: one.title for name, one in CLIENTS.items()}})
    name = ALSO.get(client, client)
    setup = CLIENTS.get(name)
    if setup is None:
        near = difflib.get_close_matches(client, CLIENTS, 1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise Trouble(
            "unknown_client",
            f"how {client!r} is set up is not known here{meant}",
            f"one of: {', '.join(CLIENTS)}. Any other client takes the command `hearth mcp`,"
            " which speaks MCP over stdio",
            WRONG_USAGE,
        )
    return _told(name, setup, folder)


def _told(name: str, setup: Setup, folder: str) -> Answer:
    words = [program(is_whole=not setup.finds_programs), "mcp"]
    place = folder or ("" if setup.has_folder else "/path/to/your/project")
    words += ["--proj", place] if place else []
    snippet = setup.snippet(words)
    # Its command line takes flags for its own.
    has_line = bool(setup.command) and not (name == "gemini" and place)
    command = _line(name, setup, words) if has_line else ""
    if not command:
        # Beside the answer, which can be put into the file as it is.
        sys.stderr.write(f"into {setup.file}:\n")
    value = {
        "client": name,
        "title": setup.title,
        "command": command or None,
        "file": setup.file,
        "snippet": snippet,
        "starts": words,
    }
    return Answer((command or snippet,), value)


def _line(name: str, setup: Setup, words: list[str]) -> str:
    if name == "vscode":
        said = json.dumps({"name": NAME, "command": words[0], "args": words[1:]})
        return shlex.join([*setup.command, said])
    return shlex.join([*setup.command, *words])


def program(*, is_whole: bool = False) -> str:
    """How this very hearth is started: by its name where that finds it, else by its whole path."""
    beside = Path(sys.executable).with_name(NAME)
    found = shutil.which(NAME)
    if found is not None and not is_whole:
        return NAME
    return str(beside) if beside.exists() else found or NAME
