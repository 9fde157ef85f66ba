import ast
import os
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXTERNAL, NETWORK, READ, WRITE, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_calls import Calls
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_magics import Action, Deed
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import RUN_CODE, Needs


class Looked:
    """What is found out about all calls of a text."""

    def __init__(self, text: str, place: Place) -> None:
        code = Code(ast.parse(text))
        folding = Folding(code, place, {})
        self.found = Needs(text, place)
        self.codes: list[str] = []
        self.calls = Calls(self.found, folding, lambda inner, _: self.codes.append(inner))
        for spot in code.spots:
            if isinstance(spot.node, ast.Call):
                self.calls.look_at(spot.node)

    @property
    def needs(self) -> list[tuple[str, str]]:
        return [(need.permission, need.target) for need in self.found.all()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = os.path.realpath(tmp_path)
    return Place(root, root)


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("open('a')", [(READ, "a")]),
        ("open('a', 'rb')", [(READ, "a")]),
        ("open('a', 'r+')", [(WRITE, "a")]),
        ("open(mode='w', file='a')", [(WRITE, "a")]),
        ("zipfile.ZipFile('a', mode='a')", [(WRITE, "a")]),
        ("shutil.copy('a', 'b')", [(READ, "a"), (WRITE, "b")]),
        ("os.listdir()", [(READ, ".")]),
        ("Path('a').rename('b')", [(WRITE, "a"), (WRITE, "b")]),
        ("Path('a').open('w')", [(WRITE, "a")]),
        ("Path('a').open()", [(READ, "a")]),
        ("Path('a').exists()", []),
        ("df.to_csv('a')", [(WRITE, "a")]),
        ("df.to_csv(path_or_buf='a')", [(WRITE, "a")]),
        ("df.to_csv()", []),
        ("df.to_csv(None)", []),
        ("pd.read_csv('a').to_csv('b')", [(WRITE, "b"), (READ, "a")]),
        ("archive.extractall()", [(WRITE, ".")]),
        ("df.a.str.extract('x')", []),
        ("image.open('a.png')", [(READ, "a.png")]),
        ("image.open('a.png', 'w')", [(WRITE, "a.png")]),
        ("requests.get('http://a.b/c')", [(NETWORK, "a.b")]),
        ("requests.request('GET', 'http://a.b/c')", [(NETWORK, "a.b")]),
        ("requests.get(url='http://a.b/c')", [(NETWORK, "a.b")]),
        ("requests.get('http://a.b/c').json()", [(NETWORK, "a.b")]),
        ("requests.ConnectionError('x')", []),
        ("smtplib.SMTP('mail.example', 25)", [(NETWORK, "mail.example")]),
        ("socket.create_connection(('a.b', 80))", [(NETWORK, "a.b:80")]),
        ("sqlite3.connect(':memory:')", []),
        ("logging.basicConfig(level=1)", []),
        ("logging.basicConfig(filename='a')", [(WRITE, "a")]),
        ("'a'.replace('b')", []),
        ("x.replace('a', 'b')", []),
    ],
)
def test_a_call_needs_what_it_touches(
    text: str, needs: list[tuple[str, str]], place: Place
) -> None:
    assert sorted(Looked(text, place).needs) == sorted(needs)


@pytest.mark.parametrize(
    ("text", "permission"),
    [
        ("open(x)", READ),
        ("open(x, 'w')", WRITE),
        ("open('a', opener=f)", RUN_CODE),
        ("x.write_text('a')", WRITE),
        ("x.read_text()", READ),
        ("x.open('w')", WRITE),
        ("x.rename('a')", WRITE),
        ("requests.get(x)", NETWORK),
        ("pickle.load(f)", RUN_CODE),
        ("getattr(os, x)", RUN_CODE),
        ("setattr(os, 'getcwd', f)", RUN_CODE),
        ("getattr(x, y)()", RUN_CODE),
        ("numpy.load('a', allow_pickle=True)", RUN_CODE),
        ("df.query('@f(a)')", RUN_CODE),
        ("df.query(x)", RUN_CODE),
        ("importlib.import_module(x)", RUN_CODE),
        ("os.chdir(x)", RUN_CODE),
        ("get_ipython().anything()", RUN_CODE),
        ("get_ipython().system(x)", RUN_CODE),
    ],
)
def test_what_cannot_be_seen_is_a_doubt(text: str, permission: str, place: Place) -> None:
    found = Looked(text, place).found.all()

    assert any(one.permission == permission and one.least is Verdict.ASK for one in found)


def test_code_in_texts_is_handed_on_to_be_judged(place: Place) -> None:
    looked = Looked("eval('1')\nget_ipython().run_line_magic('time', '2')\nexec(x)", place)

    assert looked.codes == ["1", "2"]
    assert [permission for permission, _ in looked.needs] == [RUN_CODE]


def test_a_function_that_is_timed_is_seen_already(place: Place) -> None:
    assert Looked("timeit.timeit(lambda: 1)", place).needs == []


def test_where_modules_are_looked_for_counts_if_it_is_outside(place: Place) -> None:
    assert Looked("sys.path.insert(0, 'src')", place).needs == []
    assert Looked("sys.path.append('/etc')", place).needs == [(EXTERNAL, "/etc")]


def test_what_magics_come_down_to_is_judged_like_that(place: Place) -> None:
    looked = Looked("", place)
    node = ast.parse("")
    for action in (
        Action(Deed.NOTHING),
        Action(Deed.WRITE, "a"),
        Action(Deed.PYTHON, "1"),
        Action(Deed.OPAQUE, "nobody knows"),
    ):
        looked.calls.act(action, node)

    assert looked.needs == [(WRITE, "a"), (RUN_CODE, "code")]
    assert looked.codes == ["1"]


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("from hearth_tools import db\ndb.execute(sql='drop')", False),
        ("from hearth_tools.files import write_file\nwrite_file(path='/etc/x')", False),
        ("import hearth_tools\nhearth_tools.files.write_file(path='/etc/x')", False),
        ("from hearth_tools import db as d\nawait d.execute.aio(sql='drop')", False),
        ("from hearth_tools import db\ndb.execute(sql=open('/etc/x').read())", True),
        ("from hearth_tools import db\ndb.connect().execute(sql='drop')", True),
        ("from hearth_tools_of_mine import db\ndb.execute(sql='drop')", True),
        ("db.execute(sql='drop')", True),
        ("from hearth_inside import tool_asking\ntool_asking.Talk(0).ask({})", True),
    ],
)
def test_a_tool_of_a_server_is_judged_when_it_is_called_and_not_before(
    text: str, place: Place, *, is_asked: bool
) -> None:
    assert bool(Looked(text, place).needs) is is_asked
