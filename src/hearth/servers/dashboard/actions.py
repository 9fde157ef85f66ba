"""What an element does when it is used, as attributes that `hearth.act` (static/act.js) reads.

    button("Stop", **command(session, CancelTurn()))
    form(input_(name="name"), **command(session, RenameSession("x"), on="submit", fills="name"))

Commands go to the route that every program uses, so a page can do what the door allows, no more.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.expressions import ACT, Expression

On: TypeAlias = Literal["click", "submit", "change"]
Attributes: TypeAlias = dict[str, str | Expression]

_LOCAL: Final = "/dashboard"


def command(  # noqa: PLR0913 - each is a wish of its own, by keyword
    session: SessionId,
    words: Command,
    *,
    on: On = "click",
    fills: str = "",
    confirm: str = "",
    wait: bool = False,
) -> Attributes:
    """Submit a command to a session. What it comes to is seen on the stream; a no is told.

    `fills`: names of fields of the form (with blanks between them) whose values take the place of
    the command's own. `confirm`: a question that is put before. `wait`: the element is disabled
    until the outcome is there.
    """
    made: Attributes = {
        f"on_{on}": ACT,
        "data_command": msgspec.json.encode(words).decode(),
        "data_session": session,
    }
    if fills:
        made["data_fills"] = fills
    if confirm:
        made["data_confirm"] = confirm
    if wait:
        made["data_wait"] = "1"
    return made


def get(path: str, *, on: On = "click") -> Attributes:
    """Fetch markup below /dashboard; each element of it takes the place of the one with its id.

    On a form, its fields are the query.
    """
    return {f"on_{on}": ACT, "data_get": _own(path)}


def post(path: str, *, on: On = "click", confirm: str = "", **fields: str) -> Attributes:
    """Send JSON below /dashboard: `tab`, `session`, these fields, and those of the form.

    The answer is markup as for `get`, or nothing.
    """
    made: Attributes = {f"on_{on}": ACT, "data_post": _own(path)}
    if fields:
        made["data_fields"] = msgspec.json.encode(fields).decode()
    if confirm:
        made["data_confirm"] = confirm
    return made


def local(name: str, *, on: On = "click", **about: str) -> Attributes:
    """Something that the page does by itself: `hearth.local[name]` in one of the scripts."""
    made: Attributes = {f"on_{on}": ACT, "data_local": name}
    made.update({f"data_{key}": value for key, value in about.items()})
    return made


def _own(path: str) -> str:
    if not path.startswith(f"{_LOCAL}/"):
        raise ValueError(f"{path} is not the dashboard's")
    return path
