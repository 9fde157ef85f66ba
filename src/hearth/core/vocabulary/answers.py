"""What an interpreter says about itself and about code, in answer to questions."""

from enum import StrEnum

from hearth.core.vocabulary.wire import Part


class Inspection(Part, frozen=True):
    """What is known of the object at the cursor. Not found: only the suggestions say something."""

    found: bool = False
    name: str = ""
    kind: str = ""
    """What it is to a reader: class, function, module, variable …"""
    value_type: str = ""
    signature: str = ""
    doc: str = ""
    file: str = ""
    line: int = 0
    value: str = ""
    """A short preview."""


class Variable(Part, frozen=True):
    """One name of the session's namespace."""

    name: str
    value_type: str = ""
    size: int = 0
    """Bytes, without what it refers to."""
    length: int | None = None
    shape: str = ""
    preview: str = ""


class ExploredKind(StrEnum):
    """What can be explored."""

    MODULE = "module"
    TYPE = "type"


class Member(Part, frozen=True):
    """One public member of a module, a class or an object."""

    name: str
    kind: str = ""
    signature: str = ""
    doc: str = ""
    """The first line."""


class Exploration(Part, frozen=True):
    """A module, a class or an object with its public members."""

    found: bool = False
    name: str = ""
    doc: str = ""
    file: str = ""
    bases: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    suggestions: tuple[str, ...] = ()
    """Names that are alike, where nothing was found."""


class Reloaded(Part, frozen=True):
    """A module that runs its newest source now."""

    module: str
    file: str
    seconds: float = 0.0


class NotReloaded(Part, frozen=True):
    """A source that could not be taken; its old version stays alive."""

    file: str
    module: str = ""
    name: str = ""
    """Of the exception."""
    message: str = ""
    line: int = 0


class Surroundings(Part, frozen=True, kw_only=True):
    """What an interpreter found where it was started."""

    root: str = ""
    source: str = ""
    """How the root was found: local config, git, workspace, config, discovery, directory."""
    name: str = ""
    """What sessions are called there unless somebody says otherwise."""
    projects: tuple[str, ...] = ()
    """The folders of the projects that belong to it."""
    python: str = ""
    """The interpreter's executable, or the kernel's name for another language."""
    language: str = ""
    version: str = ""
    modules: tuple[str, ...] = ()
    """What was imported at the start."""
    notices: tuple[str, ...] = ()


class Difference(Part, frozen=True):
    """A cell that came out otherwise when it was run again."""

    cell: str
    before: str
    after: str
