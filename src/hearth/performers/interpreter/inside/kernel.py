"""The kernel: IPython's, with what hearth must know about every cell."""

import asyncio
import os
import sys
import threading
import time
from contextvars import copy_context
from typing import Any, Final, NoReturn

from ipykernel.ipkernel import IPythonKernel
from ipykernel.jsonutil import json_clean
from IPython.core.error import StdinNotImplementedError
from jupyter_client.session import extract_header
from traitlets import Type

from . import ahead, asks, between, copying, executing, noticing, rescue, streams
from .busy import BusyMark
from .cells import CURRENT, RunningCell
from .interrupting import Interrupts
from .shell import LONGEST_ERROR, HearthCompiler, HearthShell, as_script, cut, error_text

_CONTROL: Final = {**rescue.ASKS, **between.ASKS}
NOBODY_ANSWERS: Final = "input() needs a person to answer, and this cell was run without one"


class NobodyAnswers(StdinNotImplementedError):
    """`input()` was called where nobody is asked."""


class HearthKernel(IPythonKernel):
    """One per process. Cells run in the main thread, questions in subshells beside them."""

    implementation = "hearth"
    shell_class = Type(HearthShell)
    compiler_class = Type(HearthCompiler)

    cell: RunningCell | None = None
    """The cell that runs in the main thread."""
    accounts: streams.Accounts
    busy: BusyMark
    session: Any
    io_loop: Any
    running = 0
    """How many cells run, in whichever threads."""
    forks = False
    """A fork that is made now is none of the user's."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # The base class rests before each reply so that output arrives first; numbers see to that.
        self._execute_sleep = 0.0
        self._pid = os.getpid()
        self.streams: tuple[Any, Any] = (sys.stdout, sys.stderr)
        self.held = copy_context()
        self.interrupts = Interrupts(self)
        self.ahead = ahead.Ahead(self)
        self.accounts = kwargs["parent"].accounts
        self.busy = kwargs["parent"].busy
        self.shell_handlers["hearth_request"] = self.hearth_request
        self.control_handlers["hearth_request"] = self.hearth_control_request
        os.register_at_fork(after_in_child=self._on_forked)

    # Requests: who caused what, and where interrupts go

    def begin_anew(self, busy: BusyMark, wires: dict[str, Any]) -> None:
        """Be the kernel of this process, a copy of another, at other ends of the wires."""
        self._pid = os.getpid()
        self.running, self.cell, self.busy = 0, None, busy
        self.ahead.begin_anew()
        self._aborting = False
        self._main_asyncio_lock = asyncio.Lock()
        for name, wire in wires.items():
            setattr(self, name, wire)

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        """Only what runs in the main thread may claim output whose cause nobody knows."""
        kind = parent.get("header", {}).get("msg_type")
        if channel != "shell":
            super().set_parent(ident, parent, channel)
        elif _in_main_thread() and kind in {"execute_request", "hearth_request"}:
            self._reset_streams()
            super().set_parent(ident, parent, channel)
        else:
            self._shell_parent_ident.set(ident)
            self._shell_parent.set(parent)
            header = extract_header(parent)
            shell: Any = self.shell
            for one in (shell.displayhook, shell.display_pub, *self.streams):
                one._parent_header.set(header)  # noqa: SLF001 - its setter would claim for all threads
            shell._parent_header.set(parent)  # noqa: SLF001 - the same

    def pre_handler_hook(self) -> None:
        """Take SIGINT back from whatever earlier code did with it."""
        if _in_main_thread():
            self.interrupts.install()

    def post_handler_hook(self) -> None:
        """Keep it: between cells it is ignored. And keep what code has set in its context."""
        if _in_main_thread():
            self.held = copy_context()

    def _reset_streams(self) -> None:
        sys.stdout, sys.stderr = self.streams

    # Questions

    async def hearth_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Answer a question of the daemon's, in the main thread or in a subshell."""
        if _in_main_thread():
            self.ahead.spoil()
        await self._answer(stream, ident, parent, self.shell, asks.answerer)

    async def hearth_control_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Answer one that must be answered while everything else hangs."""
        await self._answer(stream, ident, parent, self, _CONTROL.__getitem__)

    async def _answer(self, stream: Any, ident: Any, parent: Any, subject: Any, find: Any) -> None:
        content = parent["content"]
        try:
            ask = find(content.get("ask"))
        except LookupError as unknown:
            reply = {"status": "error", "ename": "LookupError", "evalue": str(unknown)}
        else:
            reply = await asks.answer(ask, subject, content.get("args"))
        self.session.send(stream, "hearth_reply", json_clean(reply), parent, ident=ident)

    # Cells

    async def execute_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Run a cell; whatever happens, there is one reply."""
        account = self.accounts.open(extract_header(parent), None)
        cell = RunningCell(parent, account)
        account.left = cell.output_limit
        token = CURRENT.set(cell)
        self._begin(cell)
        try:
            await super().execute_request(stream, ident, parent)
        except (Exception, KeyboardInterrupt) as broken:  # noqa: BLE001 - the daemon waits for a reply
            # An exception that was sent into the main thread came a moment too late for the cell.
            if not self.session.has_replied(cell.request):
                self._reply_anyway(stream, ident, parent, broken)
        finally:
            # What comes after a cell prints nothing, but flushes both.
            self._reset_streams()
            self._end(cell)
            CURRENT.reset(token)
            if cell.ahead and _in_main_thread():
                self.ahead.prepare()

    def _begin(self, cell: RunningCell) -> None:
        self.running += 1
        self.busy.tell(busy=True)
        if cell.copy is None:
            self.ahead.spoil()
        if _in_main_thread():
            self.cell = cell

    def _end(self, cell: RunningCell) -> None:
        if self.cell is cell:
            self.cell = None
        self.running -= 1
        self.busy.tell(busy=self.running > 0)
        cell.over.set()

    def _reply_anyway(self, stream: Any, ident: Any, parent: Any, broken: BaseException) -> None:
        content = {
            "status": "error",
            "ename": type(broken).__name__,
            "evalue": error_text(broken),
            "traceback": [],
            "execution_count": self.execution_count,
            "hearth": self._told(CURRENT.get() or RunningCell({}), None),
        }
        self.session.send(stream, "execute_reply", content, parent, ident=ident)

    async def do_execute(  # noqa: PLR0913 - ipykernel's signature
        self,
        code: str,
        silent: bool,  # noqa: FBT001 - ipykernel's signature
        store_history: bool = True,  # noqa: FBT001, FBT002 - ipykernel's signature
        user_expressions: Any = None,
        allow_stdin: bool = False,  # noqa: FBT001, FBT002 - ipykernel's signature
        *,
        cell_meta: Any = None,  # noqa: ARG002 - ipykernel's signature
        cell_id: Any = None,  # noqa: ARG002 - ipykernel's signature
    ) -> dict[str, Any]:
        """Run the code, and add to the reply what it did."""
        cell = CURRENT.get() or RunningCell({})
        shell: Any = self.shell
        if cell.copy is not None:
            cell.copied = copying.before_cell(self, cell.copy)
        if cell.reload and _in_main_thread():
            cell.reloaded = asks.take_saved(shell)
        before = noticing.snapshot(shell.user_ns)
        shell._last_traceback = None  # noqa: SLF001 - the base forgets it for cells that await
        shell._last_traceback_during_displayhook = False  # noqa: SLF001 - the same
        self._forward_input(cell.may_ask(allowed=allow_stdin))
        try:
            with as_script(shell, cell.script):
                outcome = await executing.run(
                    shell, cell, code, silent=silent, store_history=store_history
                )
        finally:
            if os.getpid() != self._pid:
                self._leave_child()
            self._restore_input()
            if _in_main_thread():
                self.interrupts.install()
        self._collect_output()
        content = self._content(outcome, user_expressions or {})
        content["hearth"] = self._told(cell, outcome, before, code)
        return content

    def _collect_output(self) -> None:
        self._reset_streams()
        if _in_main_thread():  # beside a cell, it would take what the cell's programs print
            for stream in self.streams:
                stream.drain()
        # IPython 9 keeps all output for its own notebooks; hearth's log has it.
        shell: Any = self.shell
        getattr(shell.history_manager, "outputs", {}).clear()

    def _content(self, outcome: executing.Outcome, expressions: dict[str, str]) -> dict[str, Any]:
        shell: Any = self.shell
        error = outcome.error
        content: dict[str, Any] = {
            "status": "ok",
            "execution_count": shell.execution_count - 1,
            "user_expressions": {},
            "payload": shell.payload_manager.read_payload(),
        }
        shell.payload_manager.clear_payload()
        if error is None and not shell._last_traceback_during_displayhook:  # noqa: SLF001 - set by the shell
            content["user_expressions"] = shell.user_expressions(expressions)
            return content
        content["status"] = "error"
        content["ename"] = type(error).__name__ if error is not None else "DisplayError"
        content["evalue"] = error_text(error) if error is not None else "the value has no display"
        content["traceback"] = [
            cut(line, LONGEST_ERROR)
            for line in shell._last_traceback or []  # noqa: SLF001 - set by the shell
        ]
        return content

    def _told(
        self,
        cell: RunningCell,
        outcome: executing.Outcome | None,
        before: noticing.Snapshot | None = None,
        code: str = "",
    ) -> dict[str, Any]:
        """What the daemon wants to know about every cell."""
        shell: Any = self.shell
        hidden = shell.user_ns_hidden
        names: list[str] = []
        deleted: list[str] = []
        if before is not None:
            names, deleted = noticing.changes(before, shell.user_ns, hidden, cell.bound)
        return {
            "names": names,
            "deleted": deleted,
            "value_type": noticing.value_type(outcome.value) if outcome is not None else "",
            "statements": cell.statements,
            "duration": time.perf_counter() - cell.began,
            "reloaded": cell.reloaded,
            "copy": cell.copied,
            "dropped": cell.account.dropped if cell.account is not None else 0,
            "known": noticing.known(shell.user_ns, hidden) if names or deleted else None,
            **asks.surroundings(shell, code),
        }

    # Asking a person

    def raw_input(self, prompt: Any = "") -> str:
        """`input()` in a cell."""
        __tracebackhide__ = True
        if not self._allow_stdin:
            raise NobodyAnswers(NOBODY_ANSWERS)
        return str(super().raw_input(prompt))

    def getpass(self, prompt: str = "", stream: Any = None, **kwargs: Any) -> str:
        """`getpass()` in a cell."""
        __tracebackhide__ = True
        if not self._allow_stdin:
            raise NobodyAnswers(NOBODY_ANSWERS)
        return str(super().getpass(prompt, stream, **kwargs))

    # A copy of this process that a cell made with os.fork()

    def _on_forked(self) -> None:
        if not self.forks and _in_main_thread():
            # If it ever comes back to the loop, which it shares with its parent, it ends there.
            self.io_loop.asyncio_loop.call_soon(self._leave_child)

    def _leave_child(self) -> NoReturn:
        try:
            self._reset_streams()
            for stream in self.streams:
                stream.flush()
        finally:
            os._exit(0)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
