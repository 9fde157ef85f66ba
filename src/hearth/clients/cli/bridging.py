"""`hearth mcp` without another word: MCP over stdin and stdout."""

from __future__ import annotations

import os

from hearth.clients.cli import choosing
from hearth.clients.cli.troubles import FAILED, Trouble, wrong_usage
from hearth.daemon.home import hearth_home

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

OURS: Final = frozenset({"session", "proj", "token-file", "no-start"})
LARGEST_TOKEN: Final = 4096


def carry_out(asked: Asked) -> int:
    """Bridge until the client is gone; the exit code."""
    if asked.words:
        word = asked.words[0]
        raise wrong_usage(
            f"`{word}` must stand right behind `mcp`",
            f"write: hearth mcp {word} … and the flags behind",
        )
    for flag in asked.verb.flags:
        if asked.has(flag.name) and flag.name not in OURS:
            raise wrong_usage(
                f"`hearth mcp` alone has no use for --{flag.name}",
                "alone it serves MCP on stdin and stdout; `hearth mcp --help` lists its words",
            )
    # Only who serves pays for that.
    from hearth.clients.mcp.errand import How  # noqa: PLC0415 - as the comment says
    from hearth.clients.mcp.running import main  # noqa: PLC0415 - as the comment says

    return main(
        How(
            hearth_home(),
            choosing.directory_of(asked) if asked.has("proj") else _here(),
            token=_token(asked),
            session=asked.text("session") or "",
            may_start=not asked.has("no-start"),
        )
    )


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib takes too long to import
    except OSError:
        return ""  # the folder is gone: then it is nowhere


def _token(asked: Asked) -> str:
    """The token to speak with; empty for the person's own. Trouble."""
    path = asked.text("token-file")
    if path is None:
        return _sound(os.environ.get("HEARTH_TOKEN", "").strip(), "HEARTH_TOKEN")
    try:
        with open(path, encoding="ascii") as file:  # noqa: PTH123 - as above
            token = file.read(LARGEST_TOKEN + 1).strip()
    except (OSError, ValueError) as error:
        raise Trouble(
            f"{path} cannot be read: {getattr(error, 'strerror', '') or 'it is no text'}",
            hint="`hearth token new NAME > FILE` makes a token, and the file that holds it",
            code="no_token",
            ending=FAILED,
        ) from None
    if not token:
        raise Trouble(f"{path} is empty", hint="put a token in it", code="no_token")
    return _sound(token, path)


def _sound(token: str, where: str) -> str:
    if len(token) > LARGEST_TOKEN or not all("!" <= one <= "~" for one in token):
        raise Trouble(
            f"what {where} holds is no token",
            hint="`hearth token new NAME` makes one",
            code="no_token",
        )
    return token
