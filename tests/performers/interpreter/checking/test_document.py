"""Which names there are for a piece of code, read from cells and the live session."""

import ast
import json

import pytest

from hearth.performers.interpreter.checking import document
from hearth.performers.interpreter.checking.document import (
    as_notebook,
    bindings,
    names_of,
    preamble,
    readable,
    surroundings,
)


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("x = y = 1", {"x", "y"}),
        ("a, (b, *c) = f()", {"a", "b", "c"}),
        ("import os.path, json as j", {"os", "j"}),
        ("from m import f, g as h", {"f", "h"}),
        ("def f(a):\n    b = 1", {"f"}),
        ("async def f(): ...", {"f"}),
        ("class Dog:\n    legs = 4", {"Dog"}),
        ("for i in s:\n    z = i", {"i", "z"}),
        ("with open(p) as f: ...", {"f"}),
        ("try: ...\nexcept E as e:\n    seen = e", {"seen"}),
        ("if (n := 1): ...", {"n"}),
        ("print([k for k in s])", set()),
        ("x: int", set()),
        ("x: int = 1", {"x"}),
        ("o.attribute = 1\nd['k'] = 2", set()),
        ("match v:\n    case [a, *r]: ...\n    case {'k': b, **m}: ...", {"a", "r", "b", "m"}),
        ("x = 1\ndel x", set()),
        ("del x\nx = 1", {"x"}),
        ("files = !ls\n%time y = 1\nz = 2\nz?", {"files", "z"}),
        ("%%time\nx = 1", {"x"}),
        ("%%bash\nx = 1", set()),
        ("r = 7 %3\nq = await go()", {"r", "q"}),
        ("if a:\n    !ls\n    b = 1", {"b"}),
    ],
)
def test_what_a_cell_binds_is_read_from_it(cell: str, names: set[str]) -> None:
    found = bindings(cell)
    assert found is not None
    assert found.bound == names


def test_the_cells_are_read_in_order() -> None:
    assert names_of(["a = b = 1", "del a", "c = 1", "del c", "c = 2"]) == {"b", "c"}


def test_a_cell_that_cannot_be_parsed_is_left_out() -> None:
    assert readable(["a = 1", "f(", "b = 2", "x = 'a\0b'"]) == ("a = 1", "b = 2")
    assert bindings("f(") is None


def test_only_the_newest_cells_are_looked_at_when_there_are_too_many() -> None:
    large = "#" * (document.LARGEST_CELL - 10)
    cells = [f"{large}\nx{number} = 1" for number in range(8)]
    kept = readable(cells)
    assert kept == tuple(cells[-len(kept) :])
    assert 0 < len(kept) < 8
    assert readable(["#" * (document.LARGEST_CELL + 1), "x = 1"]) == ("x = 1",)


def test_the_code_may_use_what_is_live_what_cells_bind_and_what_ipython_gives() -> None:
    code = "live + bound + display(_, _12, _i3) + undefined"
    known = surroundings(code, ("bound = other = 1",), {"live": "int", "unused": "int"})
    assert known == {"live", "bound", "display", "_", "_12", "_i3"}


def test_the_preamble_tells_types_where_they_are_known_for_sure() -> None:
    names = {"n": "int", "np": "module numpy.core", "Dog": "type", "f": "function (a)", "z": "int"}
    text = preamble("n, np, Dog", ("f()",), names)
    ast.parse(text)
    assert "n = __hearth_typing__.cast('int', ...)" in text
    assert "import numpy.core as np" in text
    assert "from __hearth_live__ import Dog" in text
    assert "from __hearth_live__ import f" in text
    assert "z" not in document.words_of(text)


def test_the_preamble_takes_no_text_of_the_session_for_code() -> None:
    names = {"class": "int", "a b": "int", "x": "module os; evil()", "y": "int'); evil("}
    text = preamble("class x y a b", (), names)
    assert "evil" not in text
    assert "class" not in text
    ast.parse(text)


def test_a_notebook_has_the_code_as_its_one_cell() -> None:
    (cell,) = json.loads(json.dumps(as_notebook("1 +\n")))["cells"]
    assert cell["source"] == "1 +\n"
    assert cell["cell_type"] == "code"
