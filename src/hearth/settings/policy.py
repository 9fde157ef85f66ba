"""What a project's file may say: it never loosens what the person decided.

- `daemon` and `sessions` are the person's alone, and so is what gets a key from somewhere: a
  command of a project's would run in the daemon, a file could be any secret of the person's.
- An address of a project's is written out: nothing of the environment is put into it. Whose key
  is sent there is decided in `agents`.
- A limit in `interpreter` counts where it is stricter than the person's, and so does what is said
  of the sandbox. A project takes tools away and gives none.
- Who is asked, which folders nobody is asked about and which variables are passed on is the
  person's to say. Rules of permissions count in every file: the strictest decides.
- A project may add MCP servers, and change none of the person's.
- Of a project that is not trusted only how it is called and where it begins counts.
- What says how sessions begin in a project has no place in the person's own file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from hearth.settings.checking import Value
from hearth.settings.keys import OF_PROJECTS
from hearth.settings.layers import Entry, Layer
from hearth.settings.limits import BUILT_IN, amount
from hearth.settings.problems import Problem

BEFORE_TRUST: Final = frozenset({"session.isRoot", "session.sessionName", "session.projects"})
"""What a project that nobody trusts yet may say: nothing of it runs anything."""

PERSONAL: Final = ("daemon.", "sessions.", "environment.", "mcpPool.")
"""How the names begin of what only the person can say."""
PERSONS: Final = frozenset(
    {"permissions.mode", "permissions.autoAllow", "sandbox.writable", "sandbox.readable"}
)
"""What else only the person can say."""
GETTING_KEYS: Final = (".keyCommand", ".keyFile")
"""How the names end of what only the person can say."""
STRICTER: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {
        "sandbox.commands": (True, True),
        "sandbox.interpreter": (True, False),
        "sandbox.network": (False, False),
    }
)
"""What is stricter, and what holds when nobody says anything."""


@dataclass(frozen=True)
class Admitted:
    """A layer without what it may not say."""

    layer: Layer
    left_out: Mapping[str, str]
    """Which of its keys do not count, and why."""


def is_personal(name: str) -> bool:
    """Whether only the person can say this, never a project."""
    return name in PERSONS or name.startswith(PERSONAL) or name.endswith(GETTING_KEYS)


def admitted_of_person(layer: Layer) -> Admitted:
    """What counts of the person's own file."""
    out = {
        name: "only a project's file can say this" for name in layer.entries if name in OF_PROJECTS
    }
    return _without(layer, out, "the hearth.jsonc in the root of the project")


def admitted_of_project(layer: Layer, person: Mapping[str, Value], *, trusted: bool) -> Admitted:
    """What counts of a project's file over what the `person` has set."""
    if not trusted:
        return _untrusted(layer)
    out: dict[str, str] = {}
    for name, entry in layer.entries.items():
        if is_personal(name):
            out[name] = "only your own file can say this, not a project's"
        elif name.endswith(".baseUrl") and entry.is_filled:
            out[name] = "holds something of the environment, which a project's address may not"
        elif name in BUILT_IN and amount(entry.value) > amount(person.get(name, BUILT_IN[name])):
            out[name] = "is looser than your own limit, which holds"
        elif why := _loosens(name, entry.value, person):
            out[name] = why
    return _without(layer, out, "")


def _loosens(name: str, value: Value, person: Mapping[str, Value]) -> str:
    """Why a project may not say this, if it may not."""
    if name in STRICTER:
        strict, usual = STRICTER[name]
        if value is not strict and value != person.get(name, usual):
            return "is looser than what you have set, or what is usual, which holds"
    elif name.startswith("tools.") and value is True and person.get(name) is not True:
        return "only your own file can give agents a tool, not a project's"
    elif name.startswith("languageServers.") and value is not False and person.get(name) is False:
        return "you have switched it off, which holds"
    elif name.startswith("mcpServers.") and value is not False and name in person:
        if person[name] is False:
            return "you have switched it off, which holds"
        if person[name] != value:
            return "you have another server of this name, which holds"
    return ""


def _without(layer: Layer, out: Mapping[str, str], right: str) -> Admitted:
    problems = [_problem(layer.entries[name], name, why, right) for name, why in out.items()]
    return Admitted(_rest(layer, out, problems), MappingProxyType(dict(out)))


def _untrusted(layer: Layer) -> Admitted:
    out = {
        name: "does not count until you trust this project"
        for name in layer.entries
        if name not in BEFORE_TRUST
    }
    problems = []
    if out:
        # One for all of them: it is one thing to do.
        line = layer.entries[next(iter(out))].line
        what = f"{', '.join(out)} does not count until you trust this project"
        problems = [Problem(layer.source, what, "`hearth trust`, if you do", "", line)]
    return Admitted(_rest(layer, out, problems), MappingProxyType(out))


def _rest(layer: Layer, out: Mapping[str, str], problems: list[Problem]) -> Layer:
    kept = {name: entry for name, entry in layer.entries.items() if name not in out}
    said = (*layer.problems, *problems)
    return replace(layer, entries=MappingProxyType(kept), problems=said)


def _problem(entry: Entry, name: str, why: str, right: str) -> Problem:
    return Problem(entry.source, why, right, name, entry.line)
