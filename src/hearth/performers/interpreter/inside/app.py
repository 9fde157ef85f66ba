"""Puts the kernel of one worker's folder together and runs it."""

import atexit
import faulthandler
import importlib
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final

import zmq
from ipykernel.heartbeat import Heartbeat
from ipykernel.kernelapp import IPKernelApp
from IPython.core.profiledir import ProfileDir
from tornado.ioloop import IOLoop
from traitlets import default
from traitlets.config import Config

from . import descriptors, rebuilding, tools
from .busy import BusyMark
from .forking import Reborn
from .journal import Writer
from .kernel import HearthKernel
from .numbered import NumberedIOPubThread, NumberedSession
from .streams import Accounts, CellStream, follow_threads
from .unsent import Unsent

_FAREWELL: Final = 3.0
SWITCH: Final = 0.001
"""Seconds after which a thread of Python lets another have its turn."""
COPIED: Final = 2**31 - 1
"""The most bytes there can be: to send more than this, zmq begins threads that no copy has."""


def _import_debugger() -> None:
    """Import what the kernel would import itself, without the warning it prints in doing so."""
    quiet = "PYDEVD_DISABLE_FILE_VALIDATION"
    before = os.environ.get(quiet)
    os.environ[quiet] = "1"
    try:
        # It is a large part of a start: a template has done it before.
        importlib.import_module("ipykernel.debugger")
    finally:
        if before is None:
            del os.environ[quiet]
        else:
            os.environ[quiet] = before


_import_debugger()


class HearthApp(IPKernelApp):
    """The application of ipykernel, without what a person at a terminal would want of it."""

    folder = Path()
    journal: Writer
    contained = False
    guardian = 0
    faults: int | None = None
    """The descriptor that a crash is described to."""
    signals: frozenset[int] = frozenset()
    """The descriptors through which its own threads wake each other."""
    io_loop: Any = None
    lasting: frozenset[str] = frozenset()
    """What was in the way of a copy when that was last asked."""

    @property
    def streams(self) -> tuple[CellStream, CellStream]:
        """What sys.stdout and sys.stderr are whenever a cell begins."""
        return self.kernel.streams  # type: ignore[no-any-return]  # they are put there as such

    @default("session")
    def _default_session(self) -> NumberedSession:
        return NumberedSession(parent=self)

    @default("ipython_dir")
    def _default_ipython_dir(self) -> str:
        # Nothing of a session is written into the home of the person whose session it is.
        return str(self.folder / "profile")

    def initialize(self, argv: Any = None) -> None:  # noqa: ARG002 - nothing comes from a command line
        """Do what the base class does, without arguments, profiles and start-up files."""
        self.init_crash_handler()
        self.init_pdb()
        self.journal = Writer(self.folder / "journal")
        self.profile_dir = ProfileDir(location=str(self.folder / "profile"), parent=self)
        self.init_connection_file()
        self.session.journal = self.journal
        self.configure_tornado_logger()
        self.init_sockets()
        self.init_heartbeat()
        self.log_connection_info()
        self._init_streams()
        self.init_signal()
        self.init_kernel()
        self.init_path()
        self.init_shell()
        self.init_gui_pylab()
        self.init_extensions()
        tools.install(self.folder)
        sys.stdout.flush()
        sys.stderr.flush()

    def _init_streams(self) -> None:
        self.accounts = CellStream.accounts = Accounts()
        self.busy = BusyMark(self.folder)
        self.init_io()
        for stream in (sys.stdout, sys.stderr):  # init_io put ours there
            if isinstance(stream, CellStream):
                stream.unsent = Unsent(self.folder / f"unsent-{stream.name}")
        follow_threads(sys.stdout)  # type: ignore[arg-type]  # init_io put ours there

    def start(self) -> None:
        """Run until a shutdown is asked for: nothing that a cell leaves behind can end it."""
        self.guardian = os.getppid()
        self._be_ready()
        while not self.kernel.shell.exit_now:
            try:
                self.io_loop.start()
            except Reborn as reborn:
                rebuilding.rebuild(self, reborn)
                self._be_ready()
            except (KeyboardInterrupt, SystemExit):
                # A task that a cell left behind may raise either, out of the loop that runs it.
                continue

    def _be_ready(self) -> None:
        # In a copy, cells go on in the context of those before: `decimal` has its precision there.
        self.kernel.held.run(self.kernel.start)
        for thread in (self.control_thread, self.shell_channel_thread):
            if thread.ident is None:
                # Of a copy, they begin once it is known who hears what they read: what comes
                # before that is waited for, and a socket tells only once that it has something.
                thread.start()
        self.io_loop = IOLoop.current()
        self.kernel.interrupts.install()
        self.signals = descriptors.signals()

    def init_heartbeat(self) -> None:
        """As the base class does, but with all that it waits with made before this returns."""
        beating = zmq.Context()
        beating.socket(zmq.PAIR).close()
        self.heartbeat = Heartbeat(beating, (self.transport, self.ip, self.hb_port))
        self.heartbeat.start()

    def init_iopub(self, context: Any) -> None:
        """The thread that publishes is ours: the base class has no place to say so."""
        self.iopub_socket = context.socket(zmq.XPUB)
        self.iopub_socket.linger = 1000
        self.iopub_port = self._bind_socket(self.iopub_socket, self.iopub_port)
        before = self.iopub_thread
        self.iopub_thread = NumberedIOPubThread(self.iopub_socket, pipe=True, session=self.session)
        self.iopub_thread.journal = self.journal
        if before is not None:
            # Whoever holds the old one of the process that this is a copy of sends here, too.
            self.iopub_thread.background_socket = before.background_socket
            before.background_socket.io_thread = self.iopub_thread
        self.iopub_thread.start()
        self.iopub_socket = self.iopub_thread.background_socket


def run(folder: Path, *, contained: bool = False) -> None:
    """Be the kernel of this folder until it is shut down; one that is contained is not copied."""
    # Descriptor 2 will be a pipe that is read by the process which crashes.
    HearthApp.faults = os.dup(2)
    faulthandler.enable(HearthApp.faults)
    # Questions are answered beside a cell, and each change of hands would cost the usual 5 ms.
    sys.setswitchinterval(SWITCH)
    zmq.COPY_THRESHOLD = COPIED
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    config.HistoryManager.enabled = False
    # It would draw one of the random numbers of the user's code whenever somebody asks who it is.
    config.InteractiveShell.enable_tip = False
    HearthApp.folder = folder
    HearthApp.contained = contained
    app = HearthApp.instance(
        config=config,
        connection_file=str(folder / "connection.json"),
        kernel_class=HearthKernel,
        outstream_class=f"{CellStream.__module__}.{CellStream.__name__}",
        parent_handle=1,
        log_level=40,
    )
    app.initialize()
    app.start()
    _say_good_bye()


def _say_good_bye() -> None:
    """Do what code has asked to be done at the end, for a few seconds at most."""
    enough = threading.Timer(_FAREWELL, os._exit, (0,))
    enough.daemon = True
    enough.start()
    # The interpreter is not left by its own end: it would wait for threads without limit.
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no other way to have them run now
