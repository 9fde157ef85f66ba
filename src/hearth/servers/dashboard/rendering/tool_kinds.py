"""What a tool is about, by its name: a sign, and whether people watch it at work."""

from typing import Final, NamedTuple


class ToolKind(NamedTuple):
    """A kind of tool."""

    name: str
    sign: str
    watched: bool = False
    """It is not folded while it is at work."""


SHELL: Final = ToolKind("shell", "$", watched=True)
FILE: Final = ToolKind("file", "≡")
EDIT: Final = ToolKind("edit", "±", watched=True)
SEARCH: Final = ToolKind("search", "⌕")
WEB: Final = ToolKind("web", "↗")
CODE: Final = ToolKind("code", ">_", watched=True)
MCP: Final = ToolKind("mcp", "⇄")
OTHER: Final = ToolKind("tool", "•")

_KNOWN: Final = {
    "run_shell": SHELL,
    "jobs": SHELL,
    "job_output": SHELL,
    "stop_job": SHELL,
    "run_code": CODE,
    "check_code": CODE,
    "load_script": CODE,
    "read_file": FILE,
    "list_files": FILE,
    "write_file": EDIT,
    "edit_file": EDIT,
    "grep": SEARCH,
    "fetch_url": WEB,
}


def kind_of(tool: str) -> ToolKind:
    """The kind of a tool; a name with two underscores in it is that of a server's."""
    known = _KNOWN.get(tool)
    if known is not None:
        return known
    if "__" in tool:
        return MCP
    for word, kind in (("search", SEARCH), ("fetch", WEB), ("web", WEB), ("file", FILE)):
        if word in tool:
            return kind
    return OTHER
