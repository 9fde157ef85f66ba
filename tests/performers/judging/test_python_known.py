import pytest

from hearth.performers.judging.python_effects import Kind
from hearth.performers.judging.python_known import (
    canonical,
    effects_of,
    is_guarded_module,
    live_origin,
)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("posix.system", "os.system"),
        ("posixpath.join", "os.path.join"),
        ("io.open", "builtins.open"),
        ("shutil.os.system", "os.system"),
        ("random._os.system", "os.system"),
        ("pandas.io.common.os.popen", "os.popen"),
        ("pathlib.PosixPath", "pathlib.Path"),
        ("numpy.load", "numpy.load"),
    ],
)
def test_one_thing_has_one_name(name: str, same: str) -> None:
    assert canonical(name) == same


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("builtins.open", [Kind.OPEN]),
        ("os.system", [Kind.SHELL]),
        ("os.system.__call__", [Kind.SHELL]),
        ("os.getcwd", []),
        ("os.path.getsize", []),
        ("os.something_new", [Kind.OPAQUE]),
        ("os.O_RDONLY", []),
        ("shutil.which", []),
        ("shutil.copy", [Kind.READ, Kind.WRITE]),
        ("requests.get", [Kind.NETWORK]),
        ("requests.get().json", [Kind.NETWORK]),
        ("urllib.parse.quote", []),
        ("urllib.request.urlopen", [Kind.NETWORK]),
        ("socket.gethostname", []),
        ("ctypes.CDLL", [Kind.OPAQUE]),
        ("trace.Trace", [Kind.OPAQUE]),
        ("json.loads", []),
        ("numpy.zeros", []),
        ("numpy.distutils.x.y", [Kind.OPAQUE]),
        ("mymodule.anything", []),
    ],
)
def test_what_a_call_does_follows_from_its_name(name: str, kinds: list[Kind]) -> None:
    assert [effect.kind for effect in effects_of(name)] == kinds


def test_modules_with_which_anything_can_be_done_are_guarded() -> None:
    for module in (
        "os",
        "subprocess",
        "builtins",
        "requests",
        "ctypes",
        "turtle",
        "sys",
        "sys.modules",
    ):
        assert is_guarded_module(module), module
    for module in ("json", "numpy", "pandas", "pathlib", "mymodule"):
        assert not is_guarded_module(module), module


def test_names_that_people_give_their_variables_are_not_taken_for_modules() -> None:
    assert live_origin("os") == "os"
    assert live_origin("np") == "numpy"
    assert live_origin("requests") == "requests"
    for name in ("code", "sh", "df", "x", "run"):
        assert live_origin(name) is None
