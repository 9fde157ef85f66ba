"""IPython's shell, for code that nobody sits in front of."""

import ast
import builtins
import contextlib
import sys
import traceback
import warnings
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final

from ipykernel.compiler import XCachingCompiler
from ipykernel.displayhook import ZMQShellDisplayHook
from ipykernel.zmqshell import ZMQDisplayPublisher, ZMQInteractiveShell
from IPython.core.autocall import ZMQExitAutocall
from traitlets import Type, default

from . import noticing
from .cells import CURRENT

LONGEST_TEXT: Final = 1 << 20
"""Characters of a text representation; the rest is cut, and the cut is said."""
LONGEST_ERROR: Final = 1 << 16


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n... {len(text) - longest} more characters were not sent"


def _cut_plain(data: Any) -> None:
    text = data.get("text/plain") if isinstance(data, dict) else None
    if isinstance(text, str):
        data["text/plain"] = cut(text, LONGEST_TEXT)


class HearthCompiler(XCachingCompiler):
    """Names the code of a script by its file."""

    script: str | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scripts: set[str] = set()
        self.names: set[str] = set()

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        """What tracebacks call this code."""
        name: str = self.script or super().get_code_name(raw_code, code, number)
        if self.script:
            self._scripts.add(name)
        self.names.add(name)
        return name

    def format_code_name(self, name: str) -> tuple[str, str] | None:
        """A script is shown as a file, not as a cell."""
        return None if name in self._scripts else super().format_code_name(name)


class _Exit(ZMQExitAutocall):
    """`exit` and `quit` are for a person at a prompt; a session is ended from outside."""

    def __call__(self, keep_kernel: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - IPython's signature
        raise SystemExit


class _DisplayHook(ZMQShellDisplayHook):
    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        """Bound what one value may say about itself."""
        _cut_plain(format_dict)
        super().write_format_data(format_dict, md_dict)


class _DisplayPublisher(ZMQDisplayPublisher):
    def publish(self, data: Any, *args: Any, **kwargs: Any) -> None:
        """Bound what is displayed."""
        _cut_plain(data)
        super().publish(data, *args, **kwargs)


class HearthShell(ZMQInteractiveShell):
    """Runs cells and remembers what they bind."""

    displayhook_class = Type(_DisplayHook)
    display_pub_class = Type(_DisplayPublisher)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        warnings.filterwarnings("ignore", message="To exit: use 'exit'")

    def init_ipython_dir(self, ipython_dir: Any) -> None:  # noqa: ARG002 - IPython's signature
        """Stay out of the home of whose session it is; IPython would make a folder there."""
        kernel: Any = self.parent
        self.ipython_dir = kernel.parent.ipython_dir

    @default("exiter")
    def _default_exiter(self) -> ZMQExitAutocall:
        return _Exit(self)

    def ask_exit(self) -> None:
        """Do not end: only whoever started the session ends it."""
        raise SystemExit

    def _tee(self, channel: str) -> Any:  # noqa: ARG002 - IPython's signature
        # IPython would keep all output in memory for its own history.
        return contextlib.nullcontext()

    def transform_ast(self, node: ast.Module) -> ast.Module:
        """Note on the way what the code binds."""
        transformed: ast.Module = super().transform_ast(node)
        cell = CURRENT.get()
        if cell is not None:
            cell.bound |= noticing.bound_names(transformed)
        return transformed

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> bool:
        """Run one top-level statement."""
        cell = CURRENT.get()
        if cell is not None:
            cell.statements += 1
            if cell.interrupted:
                cell.interrupted = False
                return self._tell_interrupted(result)
        failed: bool = await super().run_code(code_obj, result, async_=async_)
        return failed

    def _tell_interrupted(self, result: Any) -> bool:
        try:
            raise KeyboardInterrupt  # noqa: TRY301 - a traceback is shown, so there must be one
        except KeyboardInterrupt as interrupt:
            if result is not None:
                result.error_in_exec = interrupt
            self.showtraceback(running_compiled_code=True)
        return True

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        """Show an error; of a group of them IPython would print the text and tell nobody else."""
        etype, value, trace = sys.exc_info() if exc_tuple is None else exc_tuple
        if etype is None or value is None or not _holds_group(value):
            super().showtraceback(exc_tuple, *args, **kwargs)
            return
        compiler: Any = self.compile
        lines = traceback.format_exception(etype, value, _in_cell(trace, compiler.names))
        self._showtraceback(etype, value, "".join(lines).splitlines())

    def _format_exception_for_storage(self, *_: Any, **__: Any) -> dict[str, Any]:
        # IPython formats every error a second time, for notebooks of its own.
        return {"ename": "", "evalue": "", "traceback": []}

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        short = [cut(line, LONGEST_ERROR) for line in stb]
        super()._showtraceback(etype, _Shortened(evalue), short)


@contextlib.contextmanager
def as_script(shell: HearthShell, path: str | None) -> Iterator[None]:
    """Give the code the name of its file, and `__file__` while it runs."""
    if path is None:
        yield
        return
    compiler: Any = shell.compile
    compiler.script = path
    missing = object()
    old = shell.user_ns.get("__file__", missing)
    shell.user_ns["__file__"] = path
    try:
        yield
    finally:
        compiler.script = None
        if old is missing:
            shell.user_ns.pop("__file__", None)
        else:
            shell.user_ns["__file__"] = old


def _holds_group(error: BaseException | None) -> bool:
    group = getattr(builtins, "BaseExceptionGroup", ())
    while error is not None:
        if isinstance(error, group):
            return True
        error = error.__context__
    return False


def _in_cell(trace: TracebackType | None, names: set[str]) -> TracebackType | None:
    """The traceback from the cell's first line on."""
    inner = trace
    while inner is not None and inner.tb_frame.f_code.co_filename not in names:
        inner = inner.tb_next
    return inner if inner is not None else trace


class _Shortened:
    """Stands for an exception where only its text is asked for."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __str__(self) -> str:
        return error_text(self._value)


def error_text(error: object) -> str:
    """What an exception says, bounded, even if it cannot say it."""
    try:
        return cut(str(error), LONGEST_ERROR)
    except Exception as broken:  # noqa: BLE001 - somebody's __str__
        return f"(its text could not be made: {type(broken).__name__})"
