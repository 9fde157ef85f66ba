import pytest

from hearth.performers.judging.python_stdlib import (
    has,
    inner_module,
    is_listed,
    is_partly_known,
    is_tame,
    module_in,
)


@pytest.mark.parametrize(
    "name",
    [
        "math.sqrt",
        "json.dumps",
        "datetime.datetime.now",
        "datetime.time",
        "os.path.join",
        "os.O_RDONLY",
        "os.sep",
        "urllib.parse.urlparse()._replace",
        "collections.namedtuple()()._asdict",
        "subprocess.CalledProcessError",
        "typing.List",
        "sys.__stdout__.write",
        "logging",
    ],
)
def test_what_computes_is_listed(name: str) -> None:
    assert is_listed(name.split("."))


@pytest.mark.parametrize(
    "name",
    [
        "tarfile.bltn_open",
        "tokenize._builtin_open",
        "uuid._get_command_stdout",
        "math._private",
        "enum.bltns.exec",
        "timeit.main",
        "json.tool.main",
        "webbrowser.get",
        "logging.handlers.WatchedFileHandler",
        "os.something_new",
        "os.__loader__",
        "zipfile.ZipInfo()._decodeExtra",
        "turtle.forward",
        "multiprocessing.reduction.ForkingPickler",
    ],
)
def test_everything_else_is_not(name: str) -> None:
    assert not is_listed(name.split("."))


def test_what_is_found_through_a_module_is_what_it_really_is() -> None:
    assert inner_module(["logging", "io", "open"]) == ("io", "open")
    assert inner_module(["random", "_os", "system"]) == ("os", "system")
    assert inner_module(["calendar", "sys", "modules"]) == ("sys", "modules")
    for own in ("time.time", "datetime.time", "copy.copy", "shutil.copy", "os.path", "asyncio.run"):
        assert inner_module(own.split(".")) is None
    assert inner_module(["numpy", "os"]) is None


def test_the_longest_name_of_a_module_counts() -> None:
    assert module_in(["xml", "etree", "ElementTree", "parse"]) == 3
    assert module_in(["xml", "nothing"]) == 1
    assert module_in(["numpy", "zeros"]) == 0


def test_a_module_is_asked_only_for_what_may_do_harm() -> None:
    assert has("tokenize", "_builtin_open")
    assert not has("tokenize", "append")
    assert not has("string", "upper")
    assert not has("numpy", "zeros")
    assert is_partly_known("logging")
    assert not is_partly_known("json")
    assert is_tame("json")
    assert not is_tame("math")
