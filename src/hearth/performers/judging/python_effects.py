"""What calling a function does that needs permission, by its dotted name: a table."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Kind(Enum):
    """What calling something does."""

    OPEN = auto()
    """Opens a path, in a mode that says whether it is changed."""
    READ = auto()
    READ_ANY = auto()
    """Reads from a path, from an address, or from something that is open."""
    SHOW = auto()
    """Shows a text, or what is at a path or an address."""
    WRITE = auto()
    SHELL = auto()
    """Gives a text to a shell."""
    PROGRAM = auto()
    """Starts a program with arguments; or a shell, if it is told to."""
    ARGUMENTS = auto()
    """Starts a program whose words are the arguments."""
    NETWORK = auto()
    RUN = auto()
    """Runs a text as Python."""
    IMPORT = auto()
    OPAQUE = auto()
    """Does what cannot be seen from here."""
    FOLDER = auto()
    """Changes what relative paths begin at."""
    SEARCH = auto()
    """Changes where modules are looked for."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that a call does."""

    kind: Kind
    at: int = 0
    """Which argument it is about."""
    name: str = ""
    """How that argument is called, if it is given by name."""
    mode: int = 1
    """Of OPEN: which argument is the mode."""
    why: str = ""


def words(text: str) -> frozenset[str]:
    """The words of a text: tables of names read better so."""
    return frozenset(text.split())


def _reads(names: str, name: str = "", kind: Kind = Kind.READ) -> dict[str, tuple[Effect, ...]]:
    return {one: (Effect(kind, 0, name),) for one in names.split()}


def _opaque(names: str, why: str) -> dict[str, tuple[Effect, ...]]:
    return {one: (Effect(Kind.OPAQUE, why=why),) for one in names.split()}


_LATER: Final = "it changes the environment of whatever is started later"
_CODE: Final = "it runs code that cannot be seen from here"
_ELSEWHERE: Final = "it makes files elsewhere"
_FRAMES: Final = "it reaches into running code"
_STORED: Final = "what it loads can run code of its own"

EFFECTS: Final[dict[str, tuple[Effect, ...]]] = {
    # files, opened in a mode
    "builtins.open": (Effect(Kind.OPEN, 0, "file"),),
    "codecs.open": (Effect(Kind.OPEN, 0, "filename"),),
    "gzip.open": (Effect(Kind.OPEN, 0, "filename"),),
    "gzip.GzipFile": (Effect(Kind.OPEN, 0, "filename"),),
    "bz2.open": (Effect(Kind.OPEN, 0, "filename"),),
    "bz2.BZ2File": (Effect(Kind.OPEN, 0, "filename"),),
    "lzma.open": (Effect(Kind.OPEN, 0, "filename"),),
    "lzma.LZMAFile": (Effect(Kind.OPEN, 0, "filename"),),
    "tarfile.open": (Effect(Kind.OPEN, 0, "name"),),
    "tarfile.TarFile": (Effect(Kind.OPEN, 0, "name"),),
    "zipfile.ZipFile": (Effect(Kind.OPEN, 0, "file"),),
    "wave.open": (Effect(Kind.OPEN, 0, "f"),),
    "h5py.File": (Effect(Kind.OPEN, 0, "name"),),
    "aiofiles.open": (Effect(Kind.OPEN, 0, "file"),),
    "io.FileIO": (Effect(Kind.OPEN, 0, "file"),),
    "numpy.memmap": (Effect(Kind.OPEN, 0, "filename", mode=2),),
    # files that are read
    **_reads("os.listdir os.scandir", "path"),
    **_reads("os.walk os.fwalk", "top"),
    **_reads("glob.glob glob.iglob", "pathname"),
    **_reads("linecache.getline linecache.getlines linecache.checkcache", "filename"),
    **_reads("fileinput.input fileinput.FileInput", "files"),
    **_reads("configparser.ConfigParser().read configparser.RawConfigParser().read", "filenames"),
    "filecmp.cmp": (Effect(Kind.READ, 0, "f1"), Effect(Kind.READ, 1, "f2")),
    "filecmp.dircmp": (Effect(Kind.READ, 0, "a"), Effect(Kind.READ, 1, "b")),
    **_reads("tokenize.open tarfile.is_tarfile zipfile.is_zipfile", "filename"),
    **_reads("pkgutil.iter_modules", "path"),
    **_reads("PIL.Image.open imageio.imread cv2.imread skimage.io.imread soundfile.read", "fp"),
    **_reads("matplotlib.pyplot.imread matplotlib.image.imread", "fname", Kind.READ_ANY),
    **_reads(
        "numpy.loadtxt numpy.genfromtxt numpy.fromfile numpy.load numpy.fromregex",
        "file",
        Kind.READ_ANY,
    ),
    **_reads("xml.etree.ElementTree.parse lxml.etree.parse", "source"),
    **_reads("xml.etree.ElementTree.iterparse lxml.etree.iterparse", "source"),
    **_reads("xml.etree.ElementTree.ElementTree().parse", "source"),
    "xml.etree.ElementTree.ElementTree": (Effect(Kind.READ, 1, "file"),),
    **_reads("xml.dom.minidom.parse xml.sax.parse xml.dom.pulldom.parse", "file"),
    **_reads("dotenv.load_dotenv dotenv.dotenv_values", "dotenv_path"),
    **_reads("nbformat.read toml.load", "fp"),
    **_reads(
        "pandas.read_csv pandas.read_table pandas.read_fwf pandas.read_json pandas.read_excel "
        "pandas.read_parquet pandas.read_feather pandas.read_hdf pandas.read_html pandas.read_xml "
        "pandas.read_orc pandas.read_sas pandas.read_spss pandas.read_stata pandas.ExcelFile "
        "polars.read_csv polars.read_parquet polars.read_json polars.read_ndjson polars.read_ipc "
        "polars.read_excel polars.read_avro polars.scan_csv polars.scan_parquet polars.scan_ndjson "
        "polars.scan_ipc geopandas.read_file xarray.open_dataset pyarrow.parquet.read_table "
        "pyarrow.csv.read_csv pyarrow.feather.read_table",
        "filepath_or_buffer",
        Kind.READ_ANY,
    ),
    **{
        f"IPython.display.{name}": (
            Effect(Kind.SHOW, 0, "data"),
            Effect(Kind.SHOW, 1, "url"),
            Effect(Kind.SHOW, 2, "filename"),
        )
        for name in words(
            "Audio Code DisplayObject GeoJSON HTML Image JSON Javascript Latex Markdown Math "
            "Pretty SVG TextDisplayObject Video"
        )
    },
    **_reads("IPython.display.FileLinks", "path"),
    # files that are written
    "os.open": (Effect(Kind.WRITE, 0, "path"),),
    "shutil.copy": (Effect(Kind.READ, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "shutil.copy2": (Effect(Kind.READ, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "shutil.copyfile": (Effect(Kind.READ, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "shutil.copytree": (Effect(Kind.READ, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "shutil.move": (Effect(Kind.WRITE, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "shutil.rmtree": (Effect(Kind.WRITE, 0, "path"),),
    "shutil.make_archive": (Effect(Kind.WRITE, 0, "base_name"),),
    "shutil.unpack_archive": (
        Effect(Kind.READ, 0, "filename"),
        Effect(Kind.WRITE, 1, "extract_dir"),
    ),
    "os.remove": (Effect(Kind.WRITE, 0, "path"),),
    "os.unlink": (Effect(Kind.WRITE, 0, "path"),),
    "os.rmdir": (Effect(Kind.WRITE, 0, "path"),),
    "os.removedirs": (Effect(Kind.WRITE, 0, "name"),),
    "os.mkdir": (Effect(Kind.WRITE, 0, "path"),),
    "os.makedirs": (Effect(Kind.WRITE, 0, "name"),),
    "os.mkfifo": (Effect(Kind.WRITE, 0, "path"),),
    "os.truncate": (Effect(Kind.WRITE, 0, "path"),),
    "os.chmod": (Effect(Kind.WRITE, 0, "path"),),
    "os.chown": (Effect(Kind.WRITE, 0, "path"),),
    "os.utime": (Effect(Kind.WRITE, 0, "path"),),
    "os.rename": (Effect(Kind.WRITE, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "os.renames": (Effect(Kind.WRITE, 0, "old"), Effect(Kind.WRITE, 1, "new")),
    "os.replace": (Effect(Kind.WRITE, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "os.link": (Effect(Kind.WRITE, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "os.symlink": (Effect(Kind.READ, 0, "src"), Effect(Kind.WRITE, 1, "dst")),
    "xml.etree.ElementTree.ElementTree().write": (Effect(Kind.WRITE, 0, "file_or_filename"),),
    "xml.etree.ElementTree.parse().write": (Effect(Kind.WRITE, 0, "file_or_filename"),),
    "lxml.etree.parse().write": (Effect(Kind.WRITE, 0, "file"),),
    "tracemalloc.take_snapshot().dump": (Effect(Kind.WRITE, 0, "filename"),),
    "sqlite3.connect": (Effect(Kind.WRITE, 0, "database"),),
    "duckdb.connect": (Effect(Kind.WRITE, 0, "database"),),
    "dbm.open": (Effect(Kind.WRITE, 0, "file"),),
    "logging.FileHandler": (Effect(Kind.WRITE, 0, "filename"),),
    "logging.handlers.RotatingFileHandler": (Effect(Kind.WRITE, 0, "filename"),),
    "logging.handlers.TimedRotatingFileHandler": (Effect(Kind.WRITE, 0, "filename"),),
    "logging.basicConfig": (Effect(Kind.WRITE, 99, "filename"),),
    "numpy.save": (Effect(Kind.WRITE, 0, "file"),),
    "numpy.savez": (Effect(Kind.WRITE, 0, "file"),),
    "numpy.savez_compressed": (Effect(Kind.WRITE, 0, "file"),),
    "numpy.savetxt": (Effect(Kind.WRITE, 0, "fname"),),
    "matplotlib.pyplot.savefig": (Effect(Kind.WRITE, 0, "fname"),),
    "matplotlib.pyplot.imsave": (Effect(Kind.WRITE, 0, "fname"),),
    "matplotlib.image.imsave": (Effect(Kind.WRITE, 0, "fname"),),
    "cv2.imwrite": (Effect(Kind.WRITE, 0, "filename"),),
    "imageio.imwrite": (Effect(Kind.WRITE, 0, "uri"),),
    "soundfile.write": (Effect(Kind.WRITE, 0, "file"),),
    "scipy.io.savemat": (Effect(Kind.WRITE, 0, "file_name"),),
    "torch.save": (Effect(Kind.WRITE, 1, "f"),),
    "joblib.dump": (Effect(Kind.WRITE, 1, "filename"),),
    "pandas.ExcelWriter": (Effect(Kind.WRITE, 0, "path"),),
    "pandas.HDFStore": (Effect(Kind.WRITE, 0, "path"),),
    "pyarrow.parquet.write_table": (Effect(Kind.WRITE, 1, "where"),),
    "nbformat.write": (Effect(Kind.WRITE, 1, "fp"),),
    # methods of paths, called through their class
    **{
        f"pathlib.Path.{name}": (Effect(Kind.WRITE),)
        for name in words(
            "write_text write_bytes touch mkdir rmdir unlink symlink_to hardlink_to chmod lchmod"
        )
    },
    "pathlib.Path.rename": (Effect(Kind.WRITE), Effect(Kind.WRITE, 1, "target")),
    "pathlib.Path.replace": (Effect(Kind.WRITE), Effect(Kind.WRITE, 1, "target")),
    "pathlib.Path.open": (Effect(Kind.OPEN),),
    **_reads("pathlib.Path.read_text pathlib.Path.read_bytes pathlib.Path.iterdir"),
    **_reads("pathlib.Path.glob pathlib.Path.rglob pathlib.Path.walk"),
    # other programs
    "os.system": (Effect(Kind.SHELL, 0, "command"),),
    "os.popen": (Effect(Kind.SHELL, 0, "cmd"),),
    "subprocess.getoutput": (Effect(Kind.SHELL, 0, "cmd"),),
    "subprocess.getstatusoutput": (Effect(Kind.SHELL, 0, "cmd"),),
    "asyncio.create_subprocess_shell": (Effect(Kind.SHELL, 0, "cmd"),),
    "subprocess.run": (Effect(Kind.PROGRAM, 0, "args"),),
    "subprocess.call": (Effect(Kind.PROGRAM, 0, "args"),),
    "subprocess.check_call": (Effect(Kind.PROGRAM, 0, "args"),),
    "subprocess.check_output": (Effect(Kind.PROGRAM, 0, "args"),),
    "subprocess.Popen": (Effect(Kind.PROGRAM, 0, "args"),),
    "asyncio.create_subprocess_exec": (Effect(Kind.ARGUMENTS, 0, "program"),),
    "webbrowser.open": (Effect(Kind.NETWORK, 0, "url"),),
    # code
    "builtins.exec": (Effect(Kind.RUN, 0, "source"),),
    "builtins.eval": (Effect(Kind.RUN, 0, "source"),),
    "builtins.compile": (Effect(Kind.RUN, 0, "source"),),
    "timeit.timeit": (Effect(Kind.RUN, 0, "stmt"), Effect(Kind.RUN, 1, "setup")),
    "timeit.repeat": (Effect(Kind.RUN, 0, "stmt"), Effect(Kind.RUN, 1, "setup")),
    "timeit.Timer": (Effect(Kind.RUN, 0, "stmt"), Effect(Kind.RUN, 1, "setup")),
    "cProfile.run": (Effect(Kind.RUN, 0, "statement"),),
    "profile.run": (Effect(Kind.RUN, 0, "statement"),),
    "get_ipython().run_cell": (Effect(Kind.RUN, 0, "raw_cell"),),
    "get_ipython().ex": (Effect(Kind.RUN, 0, "cmd"),),
    "get_ipython().ev": (Effect(Kind.RUN, 0, "expr"),),
    "pandas.eval": (Effect(Kind.RUN, 0, "expr"),),
    "sympy.sympify": (Effect(Kind.RUN, 0, "a"),),
    "sympy.parse_expr": (Effect(Kind.RUN, 0, "s"),),
    "sympy.parsing.sympy_parser.parse_expr": (Effect(Kind.RUN, 0, "s"),),
    "numexpr.evaluate": (Effect(Kind.RUN, 0, "ex"),),
    "builtins.__import__": (Effect(Kind.IMPORT, 0, "name"),),
    "importlib.import_module": (Effect(Kind.IMPORT, 0, "name"),),
    "importlib.__import__": (Effect(Kind.IMPORT, 0, "name"),),
    "os.chdir": (Effect(Kind.FOLDER, 0, "path"),),
    "contextlib.chdir": (Effect(Kind.FOLDER, 0, "path"),),
    "sys.path.insert": (Effect(Kind.SEARCH, 1),),
    "sys.path.append": (Effect(Kind.SEARCH, 0),),
    "sys.path.extend": (Effect(Kind.OPAQUE, why="it changes where modules are looked for"),),
    **_opaque("sys.meta_path.append sys.meta_path.insert sys.path_hooks.append", _CODE),
    **_opaque("sys.path_hooks.insert sys.path.__setitem__ sys.path.__iadd__", _CODE),
    **_opaque(
        "pydoc.render_doc pydoc.safeimport doctest.testmod doctest.run_docstring_examples", _CODE
    ),
    **_opaque("os.environ.update os.environ.setdefault os.environ.pop os.environ.clear", _LATER),
    **_opaque("os.environ.__setitem__ os.environb.update os.environ.popitem", _LATER),
    **_opaque("builtins.breakpoint pdb.set_trace pdb.run pdb.runcall bdb.Bdb", _CODE),
    **_opaque("typing.ForwardRef operator.methodcaller", _CODE),
    **_opaque("types.FunctionType types.CodeType types.LambdaType", _CODE),
    **_opaque("importlib.util.spec_from_file_location importlib.util.module_from_spec", _CODE),
    **_opaque(
        "importlib.machinery.SourceFileLoader importlib.machinery.ExtensionFileLoader", _CODE
    ),
    **_opaque("pkgutil.resolve_name pydoc.locate pydoc.importfile doctest.testfile", _CODE),
    **_opaque("runpy.run_path runpy.run_module cffi.FFI numba.cfunc", _CODE),
    **_opaque("pickle.load pickle.loads pickle.Unpickler _pickle.loads _pickle.load", _STORED),
    **_opaque("cloudpickle.load cloudpickle.loads dill.load dill.loads", _STORED),
    **_opaque("joblib.load torch.load pandas.read_pickle shelve.open jsonpickle.decode", _STORED),
    **_opaque("yaml.load yaml.unsafe_load yaml.full_load marshal.load marshal.loads", _STORED),
    **_opaque("sys._getframe sys._current_frames sys.settrace sys.setprofile", _FRAMES),
    **_opaque("threading.settrace threading.setprofile sys.addaudithook", _FRAMES),
    **_opaque("gc.get_objects gc.get_referrers gc.get_referents inspect.currentframe", _FRAMES),
    **_opaque("inspect.stack inspect.trace inspect.getattr_static atexit.register", _FRAMES),
    **_opaque("psutil.Process().kill psutil.Process().terminate", "it ends another process"),
    **_opaque("psutil.Process().send_signal signal.pthread_kill", "it ends another process"),
    **_opaque("tempfile.mktemp tempfile.mkstemp tempfile.mkdtemp", _ELSEWHERE),
    **_opaque("tempfile.NamedTemporaryFile tempfile.TemporaryDirectory", _ELSEWHERE),
}
"""Of what is called by its dotted name."""
