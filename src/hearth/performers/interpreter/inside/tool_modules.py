"""The modules of `hearth_tools`: one for each server, with a function for each of its tools."""

import asyncio
import contextvars
import importlib
from collections.abc import Callable, Mapping
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn, cast

from . import tool_results
from .tool_asking import Talk
from .tool_results import NoSuchServer, NoSuchTool, NotAvailable, value_of
from .tool_signatures import python_name, signature_of, text_of
from .tools import NAME

MOST_NAMED: Final = 30
_ABOUT: Final = """What MCP servers offer, as functions: one module for each server.

    from hearth_tools import github
    issue = github.create_issue(title="It rains in")

dir(hearth_tools) lists the servers, dir(github) its tools, help(github.create_issue) tells what
one takes. In code that awaits: `await github.create_issue.aio(title=...)`. Exceptions: ToolError,
and of that kind NotAllowed and NotAvailable.
"""
_OWN: Final = ("ToolError", "NotAllowed", "NotAvailable", "Picture")


class Tools(ModuleType):
    """`hearth_tools` itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__(NAME, _ABOUT)
        self.__dict__.update({name: getattr(tool_results, name) for name in _OWN})
        self.__dict__["_folder"] = folder

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name.startswith("_"):
            raise AttributeError(f"module {NAME!r} has no attribute {name!r}")
        try:
            return importlib.import_module(f"{NAME}.{name}")
        except NotAvailable as missing:
            raise NoSuchTool(str(missing)) from None

    def __dir__(self) -> list[str]:
        return sorted({*_OWN, *map(python_name, _catalogue(self._folder).servers)})


class Server(ModuleType):
    """One server: its tools are attributes; by the server's own name for one, `server["name"]`."""

    def __init__(self, server: str, folder: Path) -> None:
        super().__init__(f"{NAME}.{python_name(server)}")
        self.__dict__.update(_server=server, _folder=folder, _tools={})

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if not name.startswith("_"):
            self._learn(_catalogue(self._folder))  # it may have become another one
            if name in self.__dict__:
                return self.__dict__[name]
            _missing(self._server, name, [one for one in self.__dict__ if not one.startswith("_")])
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __getitem__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name not in self._tools:
            self._learn(_catalogue(self._folder))
        if name not in self._tools:
            _missing(self._server, name, list(self._tools))
        return self._tools[name]

    def __dir__(self) -> list[str]:
        return sorted(name for name in self.__dict__ if not name.startswith("_"))

    def _learn(self, found: "_Catalogue") -> None:
        """Have a function for each tool that there is now, and for no other."""
        for name in tuple(self.__dict__):
            if not name.startswith("_"):
                del self.__dict__[name]
        tools = {str(one.get("name")): one for one in found.servers.get(self._server, ())}
        made = {name: _function(self, name, one) for name, one in tools.items()}
        self.__dict__["_tools"] = made
        for name, function in made.items():
            self.__dict__.setdefault(python_name(name), function)
        listed = "\n".join(f"  {one}" for one in self.__dir__())
        self.__doc__ = f"The tools of the MCP server {self._server}:\n\n{listed}\n"


class _Catalogue:
    """What there is, as the daemon tells it."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        servers = answer.get("servers")
        self.servers: dict[str, list[dict[str, Any]]] = (
            dict(servers) if isinstance(servers, dict) else {}
        )
        self.problems = [str(one) for one in answer.get("problems") or ()]


def spec_of(name: str, folder: Path) -> ModuleSpec | None:
    """How the module of this name is made; None for one that lies deeper than a server."""
    if name == NAME:
        return ModuleSpec(name, _Loader(Tools(folder)), origin="hearth", is_package=True)
    wanted = name.removeprefix(f"{NAME}.")
    if "." in wanted:
        return None
    return ModuleSpec(name, _Loader(_server(wanted, folder)), origin="hearth")


def is_ours(module: object) -> bool:
    """Whether it was made here."""
    return isinstance(module, (Tools, Server))


class _Loader(Loader):
    """Gives Python a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002 - Python's signature
        """The module."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to be done."""


def _server(wanted: str, folder: Path) -> Server:
    try:
        found = _catalogue(folder)
    except NotAvailable as trouble:
        raise NoSuchServer(str(trouble)) from None
    for name in sorted(found.servers):
        if wanted in {name, python_name(name)}:
            made = Server(name, folder)
            made._learn(found)  # noqa: SLF001 - ours, in this file
            return made
    known = ", ".join(sorted(map(python_name, found.servers))) or "none"
    told = "".join(f"; {one}" for one in found.problems)
    raise NoSuchServer(
        f"no MCP server {wanted!r} is set up for this session; there are: {known}{told}"
    )


def _catalogue(folder: Path) -> _Catalogue:
    return _Catalogue(Talk(folder).ask({"ask": "catalogue"}))


def _missing(server: str, name: str, known: list[str]) -> NoReturn:
    listed = ", ".join(sorted(known)[:MOST_NAMED]) or "none"
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    raise NoSuchTool(f"{server} has no tool {name!r}; there are: {listed}{more}")


def _function(server: Server, tool: str, told: Mapping[str, Any]) -> Callable[..., Any]:
    """A function that calls the tool, with what is known of it to be shown."""
    name, folder = server._server, server._folder  # noqa: SLF001 - ours, in this file

    def question(given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        if given:
            raise TypeError(
                f"{name}.{python_name(tool)} takes what it is given by name: {signature}"
            )
        return {"ask": "call", "server": name, "tool": tool, "arguments": named}

    def call(*given: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        return value_of(Talk(folder).ask(question(given, named)))

    async def aio(*given: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        talk, asked = Talk(folder), question(given, named)
        within = contextvars.copy_context()  # the thread must know whose cell this is
        loop = asyncio.get_running_loop()
        try:
            return value_of(await loop.run_in_executor(None, within.run, talk.ask, asked))
        except BaseException:  # an interrupt may also come before it is waited for
            talk.stop()
            raise

    schema = told.get("schema")
    signature = signature_of(schema)
    public, beside = cast("Any", call), cast("Any", aio)
    public.aio = aio
    for one, called in ((public, python_name(tool)), (beside, "aio")):
        one.__name__, one.__qualname__ = called, f"{python_name(name)}.{python_name(tool)}"
        one.__module__ = server.__name__
        one.__doc__ = text_of(str(told.get("description") or ""), schema)
        one.__signature__ = signature
    return call
