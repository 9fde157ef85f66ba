"""What methods do that are known by their name alone, where nobody knows whose they are."""

from typing import Final

from hearth.performers.judging.python_effects import Effect, Kind, words

_WRITES: Final = words(
    "to_csv to_excel to_parquet to_feather to_pickle to_hdf to_json to_html to_latex to_stata "
    "to_orc to_xml to_markdown to_file tofile to_netcdf to_zarr to_disk savefig save imsave "
    "dump_stats to_string "
    "imwrite savetxt savez rmtree makedirs removedirs export_graphviz"
)
_WRITES_ITSELF: Final = words(
    "write_text write_bytes touch mkdir rmdir unlink symlink_to hardlink_to link_to chmod lchmod"
)
_READS_ITSELF: Final = words("read_text read_bytes iterdir rglob executescript")
_OF_PATHS: Final = words("open rename replace glob walk __init__")
_STARTS: Final = ("write_", "save_", "sink_")
_NO_WRITES: Final = frozenset({"write_only", "save_state", "save_for_backward"})
_OTHERS: Final[dict[str, Effect]] = {
    "system": Effect(Kind.SHELL),
    "popen": Effect(Kind.SHELL),
    "getoutput": Effect(Kind.SHELL),
    "getstatusoutput": Effect(Kind.SHELL),
    "create_subprocess_shell": Effect(Kind.SHELL),
    "subprocess_shell": Effect(Kind.SHELL, 1),
    "Popen": Effect(Kind.PROGRAM),
    "check_output": Effect(Kind.PROGRAM),
    "check_call": Effect(Kind.PROGRAM),
    "create_subprocess_exec": Effect(Kind.ARGUMENTS),
    "subprocess_exec": Effect(Kind.ARGUMENTS, 1),
    "urlopen": Effect(Kind.NETWORK),
    "urlretrieve": Effect(Kind.NETWORK),
    "create_connection": Effect(Kind.NETWORK),
    "create_server": Effect(Kind.NETWORK),
    "create_datagram_endpoint": Effect(Kind.NETWORK),
    "create_unix_connection": Effect(Kind.NETWORK),
    "create_unix_server": Effect(Kind.NETWORK),
    "getaddrinfo": Effect(Kind.NETWORK),
    "getnameinfo": Effect(Kind.NETWORK),
    "sock_connect": Effect(Kind.NETWORK),
    "sock_sendto": Effect(Kind.NETWORK),
    "to_gbq": Effect(Kind.NETWORK),
    "read_gbq": Effect(Kind.NETWORK),
    "from_pretrained": Effect(Kind.NETWORK),
    "push_to_hub": Effect(Kind.NETWORK),
    "load_dataset": Effect(Kind.NETWORK),
    "fetch_openml": Effect(Kind.NETWORK),
    "download": Effect(Kind.NETWORK),
    "get_data": Effect(Kind.READ),
    "sympify": Effect(Kind.RUN),
    "parse_expr": Effect(Kind.RUN),
    "copytree": Effect(Kind.WRITE, 1, "dst"),
    "copyfile": Effect(Kind.WRITE, 1, "dst"),
    **{
        name: Effect(Kind.READ_ANY)
        for name in words(
            "read_csv read_table read_fwf read_json read_excel read_parquet read_feather read_hdf "
            "read_html read_xml read_orc read_sas read_spss read_stata read_ndjson read_ipc "
            "read_avro scan_csv scan_parquet scan_ndjson scan_ipc loadtxt genfromtxt fromfile"
        )
    },
    **{
        name: Effect(Kind.OPAQUE, why=f"{name} runs code that cannot be seen from here")
        for name in words(
            "run_cell run_cell_async run_line_magic run_cell_magic runcode runsource exec_module "
            "load_module execv execve execvp execvpe execl execle execlp execlpe spawnv spawnl "
            "spawnve spawnlp spawnvp fork forkpty posix_spawn posix_spawnp runctx FileIO "
            "load_extension enable_load_extension sourcehook get_field addsitedir methodcaller "
            "to_clipboard read_clipboard to_html5_video load_library get_handle open_memmap "
            "_evaluate _eval_type _create_fn ForwardRef _get_command_stdout _builtin_open"
        )
    },
}

REACHING: Final = words(
    "__subclasses__ __globals__ __code__ __builtins__ __closure__ __getattribute__ __loader__ "
    "__spec__ __import__ f_globals f_locals f_builtins f_back gi_frame gi_code cr_frame "
    "cr_code ag_frame ag_code tb_frame __reduce__ __reduce_ex__ __self__ "
    "func_globals func_code user_global_ns __annotations__"
)
"""Attributes through which code gets at what it was not given."""

WHERE_FROM: Final = words("__file__ __path__ __cached__")
"""By these Python itself finds the text of a module, to show or load it."""

INSPECTING: Final = words(
    "builtins.print builtins.dir builtins.help builtins.repr builtins.str builtins.type "
    "builtins.isinstance builtins.issubclass builtins.callable builtins.hasattr "
    "inspect.getsource inspect.signature inspect.getdoc "
    "inspect.getfile inspect.getsourcefile inspect.ismodule "
    "inspect.isfunction inspect.isbuiltin importlib.reload"
)
"""May be given anything: they only look at it."""

TRUSTED: Final = words(
    "Path PurePath pathlib os glob io sys inspect importlib import_module builtins get_ipython "
    "list tuple sorted set frozenset dict len float int bool map enumerate zip reversed iter "
    "getattr __import__ open __file__ "
) | {name.removeprefix("builtins.") for name in INSPECTING if name.startswith("builtins.")}
"""Names of which later cells are judged by what they should be."""


def method_effect(name: str) -> Effect | None:
    """What calling a method of this name does to what it is given."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _WRITES_ITSELF or name in _NO_WRITES:
        return None
    if name in _WRITES or name.startswith(_STARTS):
        return Effect(Kind.WRITE, 0, "path")
    return None


def does_on_its_own(name: str, *, is_path: bool) -> bool:
    """Whether a method does something by itself, so that whoever is given it can have it done.

    What is called like a thing (`chat.system`) is one, where nobody knows whose it is.
    """
    if name in _WRITES_ITSELF or name in _READS_ITSELF:
        return True
    if is_path:
        return name in _OF_PATHS
    return "_" in name and method_effect(name) is not None


def writes_itself(name: str) -> bool:
    """Whether such a method changes the file that it is a method of."""
    return name in _WRITES_ITSELF
