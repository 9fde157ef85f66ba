"""What is known of modules: which of their functions need permission, under which name.

Of Python's own library what needs none is listed (`python_stdlib`). Of all other modules what is
not listed does nothing that needs permission.
"""

import sys
from functools import lru_cache
from typing import Final

from hearth.performers.judging.python_effects import EFFECTS, Effect, Kind, words
from hearth.performers.judging.python_stdlib import (
    has,
    inner_module,
    is_listed,
    is_partly_known,
    is_tame,
    module_in,
)

NETWORK: Final = words(
    "socket requests httpx httpx2 aiohttp urllib3 http.client http.server urllib.request ftplib "
    "smtplib poplib imaplib nntplib telnetlib paramiko websockets websocket boto3 botocore "
    "xmlrpc.client xmlrpc.server socketserver asyncssh fabric ssl pycurl grpc zmq pika redis "
    "pymongo psycopg psycopg2 asyncpg pymysql mysql kafka huggingface_hub openai anthropic wget "
    "yfinance urllib.robotparser asyncio.open_connection asyncio.start_server "
    "asyncio.open_unix_connection sqlalchemy.create_engine datasets.load_dataset "
    "multiprocessing.connection multiprocessing.managers transformers.pipeline smbclient "
    "google.cloud azure tweepy slack_sdk discord telegram twilio stripe ftputil"
)
"""Whatever is called in there may talk to others."""

_OF_IPYTHON: Final = words(
    "IPython.__version__ IPython.version_info IPython.core IPython.core.interactiveshell "
    "IPython.core.interactiveshell.InteractiveShell "
    "IPython.core.interactiveshell.InteractiveShell.ast_node_interactivity"
)
"""All else in there is how cells themselves are run."""
_QUIET: Final = words(
    "socket.gethostname socket.inet_aton socket.inet_ntoa socket.htons socket.ntohs "
    "ssl.SSLError requests.exceptions requests.codes http.client.responses"
)

OPAQUE: Final = words(
    "ctypes _ctypes cffi marshal pty code codeop posix _posixsubprocess nt _io _winapi ptrace "
    "imp runpy dl gdb pexpect ptyprocess sh plumbum invoke pip pdb bdb faulthandler "
    "_xxsubinterpreters _interpreters concurrent.interpreters readline ensurepip venv "
    "zipimport zipapp distutils setuptools numpy.distutils numpy.f2py numpy.testing torch.hub "
    "jupyter_client ipykernel pytest traitlets jedi parso executing stack_data prompt_toolkit "
    "debugpy decorator jinja2 numpy.ctypeslib pandas.io.common "
    "operator.methodcaller hearth.clients hearth.daemon hearth.credentials hearth.serving "
    "hearth.offline hearth.performers hearth.__main__ hearth_inside logging.config __main__ duckdb"
)
"""Nothing in there is harmless, or nobody has looked."""

_SAME: Final = {
    "posix": "os",
    "posixpath": "os.path",
    "io.open": "builtins.open",
    "_io.open": "builtins.open",
    "_pyio.open": "builtins.open",
    "io.open_code": "builtins.open",
    "IPython.get_ipython": "get_ipython",
    "IPython.core.display": "IPython.display",
    "__builtins__": "builtins",
    "pathlib.PosixPath": "pathlib.Path",
    "pathlib.PurePath": "pathlib.Path",
    "pathlib.PurePosixPath": "pathlib.Path",
    "matplotlib.pylab": "matplotlib.pyplot",
    "pylab": "matplotlib.pyplot",
}
_INSIDE: Final = words(
    "os sys subprocess builtins shutil socket importlib codecs ctypes marshal runpy pty posix "
    "pickle linecache"
)
"""Modules that are also found as attributes of others: `pandas.io.common.os.system`."""
_INSIDE_IO: Final = words("open open_code FileIO")
"""Of `io`, whose name others give to modules of their own."""
_TOPS: Final = words("numpy pandas polars matplotlib")
"""Libraries whose functions are also found deeper inside of them."""

LIVE: Final[dict[str, str]] = {
    **{
        name: name
        for name in words(
            "os sys subprocess shutil socket pathlib glob tempfile importlib builtins io pickle "
            "ctypes marshal runpy urllib requests httpx aiohttp urllib3 numpy pandas polars "
            "matplotlib joblib torch json gzip bz2 lzma zipfile tarfile sqlite3 asyncio inspect gc "
            "types pty psutil paramiko boto3 ftplib smtplib http linecache codecs timeit logging "
            "get_ipython shelve dill cloudpickle yaml webbrowser websockets contextlib posix cffi "
            "multiprocessing atexit duckdb h5py cv2 imageio pexpect cProfile sqlalchemy plumbum"
        )
    },
    "xml": "xml",
    "sio": "scipy.io",
    "pq": "pyarrow.parquet",
    "xr": "xarray",
    "gpd": "geopandas",
    "sf": "soundfile",
    "np": "numpy",
    "pd": "pandas",
    "pl": "polars",
    "plt": "matplotlib.pyplot",
    "mpl": "matplotlib",
    "sp": "subprocess",
    "sa": "sqlalchemy",
    "Path": "pathlib.Path",
    "PurePath": "pathlib.Path",
    "Popen": "subprocess.Popen",
    "check_output": "subprocess.check_output",
    "check_call": "subprocess.check_call",
    "getoutput": "subprocess.getoutput",
    "system": "os.system",
    "popen": "os.popen",
    "rmtree": "shutil.rmtree",
    "copytree": "shutil.copytree",
    "copyfile": "shutil.copyfile",
    "makedirs": "os.makedirs",
    "unlink": "os.unlink",
    "urlopen": "urllib.request.urlopen",
    "urlretrieve": "urllib.request.urlretrieve",
    "import_module": "importlib.import_module",
    "NamedTemporaryFile": "tempfile.NamedTemporaryFile",
    "TemporaryDirectory": "tempfile.TemporaryDirectory",
    "mkdtemp": "tempfile.mkdtemp",
    "ZipFile": "zipfile.ZipFile",
    **{
        name: f"IPython.display.{name}"
        for name in words("Audio HTML Image Javascript Latex Markdown SVG Video")
    },
    "environ": "os.environ",
    "InteractiveShell": "IPython.core.interactiveshell.InteractiveShell",
    "attrgetter": "operator.attrgetter",
    "methodcaller": "operator.methodcaller",
    "ET": "xml.etree.ElementTree",
    "ElementTree": "xml.etree.ElementTree",
    "mp": "multiprocessing",
    "cf": "concurrent.futures",
    "futures": "concurrent.futures",
    "__builtins__": "builtins",
}
"""What a name is taken for that the code itself does not bind: cells before it usually did so."""


def canonical(name: str) -> str:
    """One dotted name for what is found under several."""
    parts = name.split(".")
    if (inner := inner_module(parts)) is not None:
        return canonical(".".join(inner))
    for place in range(len(parts) - 1, 0, -1):
        inside = parts[place].lstrip("_")
        follows = parts[place + 1] if place + 1 < len(parts) else ""
        is_module = inside in _INSIDE or (inside == "io" and follows in _INSIDE_IO)
        if is_module or (follows and not is_listed([inside, follows]) and has(inside, follows)):
            return canonical(".".join((inside, *parts[place + 1 :])))
    for length in range(min(3, len(parts)), 0, -1):
        start = ".".join(parts[:length])
        if (same := _SAME.get(start)) is not None and same != start:
            return ".".join((same, *parts[length:]))
    return name


@lru_cache(4096)
def effects_of(name: str) -> tuple[Effect, ...]:  # noqa: PLR0911 - one return per kind of module
    """What calling this does that needs permission."""
    name = name.removesuffix(".__call__").removesuffix(".__init__").removesuffix(".__new__")
    if (found := EFFECTS.get(name)) is not None:
        return found
    parts = name.split(".")
    starts = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    if any(start in _QUIET for start in starts):
        return ()
    if any(start.removesuffix("()") in NETWORK for start in starts):
        return (Effect(Kind.NETWORK),)
    if any(start.removesuffix("()") in OPAQUE for start in starts):
        return (Effect(Kind.OPAQUE, why=f"{parts[0]} can do anything"),)
    if parts[0] in sys.stdlib_module_names:
        return _of_pythons_own(parts, starts)
    if parts[0] == "IPython" and not _is_for_showing(parts):
        return (Effect(Kind.OPAQUE, why=f"{name} can run code, commands and magics"),)
    return EFFECTS.get(f"{parts[0]}.{parts[-1]}", ()) if parts[0] in _TOPS else ()


def _is_for_showing(parts: list[str]) -> bool:
    """Whether a name of IPython's is one of those that only show something."""
    if len(parts) == 1 or ".".join(parts) in _OF_IPYTHON:
        return True
    return parts[1] == "display" and "reload" not in parts


def _of_pythons_own(parts: list[str], starts: list[str]) -> tuple[Effect, ...]:
    # Of what such a call gives, the call has been judged already.
    if is_listed(parts) or any(start.removesuffix("()") in EFFECTS for start in starts[:-1]):
        return ()
    return (Effect(Kind.OPAQUE, why=f"nobody has looked at what {'.'.join(parts)} does"),)


def is_guarded_module(name: str) -> bool:
    """Whether code could do with this module what nobody would see from its calls."""
    if name in _GUARDED or name in NETWORK or name in OPAQUE or is_partly_known(name):
        return True
    first = name.partition(".")[0]
    return first in OPAQUE or (first in sys.stdlib_module_names and not module_in([first]))


def has_effects(module: str) -> bool:
    """Whether something in this module needs permission."""
    if is_guarded_module(module):
        return True
    return not is_tame(module) and any(one.startswith(f"{module}.") for one in EFFECTS)


def is_pythons_own(name: str) -> bool:
    """Whether it is found in a module that comes with Python."""
    return name.partition(".")[0] in sys.stdlib_module_names


def is_known_module(name: str) -> bool:
    """Whether nothing is known against importing it: some of Python's own do something then."""
    first = name.partition(".")[0]
    return first not in sys.stdlib_module_names or bool(module_in([first])) or first in OPAQUE


def live_origin(name: str) -> str | None:
    """What a name most likely is that was bound before; None: nobody knows."""
    if name in LIVE:
        return LIVE[name]
    return name if name in NETWORK or (name in OPAQUE and name not in _WORDS) else None


def is_another(name: str, attribute: str) -> bool:
    """Whether a name that may be this module or that is not the one it is taken for."""
    return name in _AMBIGUOUS and not has(LIVE[name], attribute)


def guessed(name: str, attribute: str) -> str | None:
    """What an attribute of a name is that may be a module of Python's own; None: nobody knows.

    People call their variables like modules: only what is found in the module counts.
    """
    return f"{name}.{attribute}" if has(name, attribute) else None


_GUARDED: Final = words(
    "builtins dill cloudpickle sys.modules builtins.getattr builtins.setattr builtins.delattr "
    "builtins.vars builtins.globals builtins.locals operator.attrgetter"
)
_AMBIGUOUS: Final = words("sp mp cf futures")
"""`sp` is sympy, scipy or spacy more often than `subprocess`."""
_WORDS: Final = words("code sh invoke pip dl venv imp")
"""Modules that are called like what people call their variables."""
