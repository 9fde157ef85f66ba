from pathlib import Path

import pytest
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.inputtransformer2 import TransformerManager
from traitlets.config import Config

from hearth.performers.judging.python_magics import (
    MAGICS,
    Action,
    Deed,
    as_python,
    automagic,
    cell_magic,
    is_ipython,
    is_prompted,
    line_magic,
    shell_line,
)


@pytest.mark.parametrize(
    ("name", "line", "deed", "text"),
    [
        ("time", "f(x)", Deed.PYTHON, "f(x)"),
        ("timeit", "-n 10 -r 3 f(x)", Deed.PYTHON, "f(x)"),
        ("timeit", "-o os.remove(x)", Deed.PYTHON, "os.remove(x)"),
        ("timeit", "-n10 x", Deed.PYTHON, "x"),
        ("ls", "-l src", Deed.SHELL, "ls -F -l src"),
        ("rm", "x", Deed.SHELL, "rm x"),
        ("pip", "install x", Deed.SHELL, "pip install x"),
        ("sx", "ls", Deed.SHELL, "ls"),
        ("cd", "src", Deed.FOLDER, "src"),
        ("cd", "", Deed.FOLDER, "~"),
        ("config", "InlineBackend.figure_format = f()", Deed.PYTHON, "f()"),
        ("config", "InlineBackend", Deed.PYTHON, ""),
        ("history", "-n -l 10", Deed.NOTHING, ""),
        ("hist", "~2/1-~1/3", Deed.NOTHING, ""),
        ("autocall", "0", Deed.NOTHING, ""),
        ("autoawait", "asyncio", Deed.NOTHING, ""),
        ("pfile", "pandas.DataFrame", Deed.NOTHING, ""),
        ("less", "src/a.py", Deed.READ, "src/a.py"),
        ("who", "", Deed.NOTHING, ""),
        ("matplotlib", "inline", Deed.NOTHING, ""),
        ("load_ext", "autoreload", Deed.NOTHING, ""),
        ("env", "HOME", Deed.NOTHING, ""),
        ("pinfo", "df", Deed.NOTHING, ""),
    ],
)
def test_a_magic_of_one_line_comes_down_to_something_known(
    name: str, line: str, deed: Deed, text: str
) -> None:
    assert line_magic(name, line) == Action(deed, text)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("env", "PATH=/tmp"),
        ("matplotlib", "module://evil"),
        ("load_ext", "evil"),
        ("history", "-f out.py"),
        ("history", "-nf out.py"),
        ("hist", "-of out.py"),
        ("pycat", "/etc/passwd"),
        ("pfile", "/etc/passwd"),
        ("man", "ls; rm x"),
        ("autocall", "2"),
        ("autoawait", "evil.runner"),
        ("pylab", ""),
        ("config", "A.b = f()"),
        ("config", "InteractiveShell.autocall = 2"),
        ("config", "HistoryManager.hist_file = '/tmp/x'"),
        ("config", "A[f()] = 1"),
        ("who", "$x"),
        ("ls", "$x.y"),
        ("connect_info", ""),
        ("run", "x.py"),
        ("prun", "-T out f()"),
        ("time", "--x f()"),
        ("who", "{f()}"),
        ("cd", "{f()}"),
        ("nobody_knows", ""),
    ],
)
def test_a_magic_that_may_do_anything_says_that_nobody_can_tell(name: str, line: str) -> None:
    action = line_magic(name, line)

    assert action.deed is Deed.OPAQUE
    assert action.text


@pytest.mark.parametrize(
    ("name", "line", "deed", "text"),
    [
        ("time", "", Deed.PYTHON, "\nbody"),
        ("timeit", "setup()", Deed.PYTHON, "setup()\nbody"),
        ("capture", "out", Deed.PYTHON, "body"),
        ("bash", "", Deed.BASH, "body"),
        ("script", "sh", Deed.SH, "body"),
        ("sh", "", Deed.SH, "body"),
        ("!", "", Deed.SHELL, "body"),
        ("writefile", "-a 'a.py'", Deed.WRITE, "a.py"),
        ("python3", "", Deed.PYTHON, "body"),
        ("html", "", Deed.NOTHING, ""),
    ],
)
def test_a_magic_of_a_cell_comes_down_to_something_known(
    name: str, line: str, deed: Deed, text: str
) -> None:
    found = cell_magic(name, line, "body")

    assert found.deed is deed
    assert found.text.strip() == text.strip()


def test_other_magics_of_cells_may_do_anything() -> None:
    for name, line in (("ruby", ""), ("script", "ruby"), ("bash", "--bg"), ("javascript", "")):
        assert cell_magic(name, line, "x").deed is Deed.OPAQUE
    assert cell_magic("bash", "{f()}", "x").deed is Deed.OPAQUE
    assert cell_magic("writefile", "src/$x", "x").deed is Deed.OPAQUE


def test_python_in_braces_is_run_before_the_shell() -> None:
    assert shell_line("ls").deed is Deed.SHELL
    assert shell_line("echo {f()}").deed is Deed.OPAQUE


def test_variables_of_python_are_filled_in_before_the_shell_reads_the_line() -> None:
    assert shell_line("echo $x").deed is Deed.OPAQUE
    assert shell_line("echo $$x").deed is Deed.OPAQUE
    assert shell_line("grep 'x$' a").deed is Deed.SHELL


@pytest.mark.parametrize(
    "cell",
    [
        "rm -rf x",
        "rm *",
        "cd ..",
        "ls",
        "  pip install x",
        "run a.py",
        'rm"x"',
        "system(touch x)",
        "less /etc/passwd",
        "cat<x",
        "pylab",
        "logstart",
        "ls(1)",
    ],
)
def test_ipython_takes_some_words_for_magics(cell: str) -> None:
    assert automagic(cell) is not None


@pytest.mark.parametrize(
    "cell",
    ["time", "run", "rm = 1", "ls, x = y", "run(1)", "ls.x", "x", "rm x\ny", "", "debug = 1"],
)
def test_it_leaves_python_alone(cell: str) -> None:
    assert automagic(cell) is None


def test_every_magic_of_ipython_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = ZMQInteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))  # type: ignore[no-untyped-call] # IPython has no types here

    assert shell.magics_manager.magics["line"].keys() - MAGICS == set()


@pytest.mark.parametrize(
    "code",
    [">>> x", "x\n  >>> y", "In [1]: x", "x\n   ...: y", "  x", "[ins] In [1]: x", "# a\u2028!x"],
)
def test_what_looks_copied_is_read_as_ipython_reads_it(code: str) -> None:
    assert is_prompted(code)
    assert is_ipython(code)


def test_what_does_not_look_copied_is_not() -> None:
    for code in ("x = 1", "...", "In = 3", "Infinity", "x >> 3", ""):
        assert not is_prompted(code)


def test_cells_are_turned_into_python_as_ipython_does() -> None:
    assert as_python("!ls").strip() == "get_ipython().system('ls')"
    assert "run_cell_magic('bash'" in as_python("%%bash\nls")
    assert is_ipython("x = !ls")
    assert not is_ipython("x = 1")


def test_a_cell_that_is_read_in_pieces_is_the_same_as_one_that_is_read_as_a_whole() -> None:
    cells = (
        "x = 1\n!ls\nif x:\n    !cat a\n%who\ny = !ls\n!ls",
        "'''\n!ls\n'''\n!ls\n",
        "f(1,\n%x)\n!ls",
        "!ls \\\n  -l\n%time x\n",
        "%matplotlib inline\nimport a\n\n\n%time f()\ndf?\n",
    )
    for cell in cells:
        whole: str = TransformerManager().transform_cell(cell)  # type: ignore[no-untyped-call] # IPython has no types here
        assert as_python(cell) == whole


def test_what_would_take_ipython_too_long_is_not_tried() -> None:
    with pytest.raises(ValueError, match="too much"):
        as_python("!ls\n" * 1000)
