import ast
import os
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXTERNAL, NETWORK, READ, WRITE, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_needs import MOST_NEEDS, NO_HOST, RUN_CODE, Needs
from hearth.performers.judging.python_values import (
    ANYTHING,
    Known,
    Origin,
    PathAt,
    Several,
    Value,
)

NODE = ast.parse("use(  it )").body[0]


@pytest.fixture
def needs(tmp_path: Path) -> Needs:
    root = os.path.realpath(tmp_path)
    (Path(root) / "src").mkdir()
    return Needs("use(  it )", Place(root, root))


def test_a_known_path_is_judged_as_a_path(needs: Needs) -> None:
    needs.path((Known("a"), PathAt("b"), Known(b"c")), WRITE, NODE, "why")

    assert [(one.permission, one.target) for one in needs.all()] == [
        (WRITE, "a"),
        (WRITE, "b"),
        (WRITE, "c"),
    ]
    assert needs.changes


def test_a_path_that_is_not_known_can_only_be_allowed_once(needs: Needs) -> None:
    needs.path(ANYTHING, READ, NODE, "why")
    (need,) = needs.all()

    assert (need.permission, need.target, need.least) == (READ, "use( it )", Verdict.ASK)
    assert need.why == "why: which path cannot be seen from here"
    assert not needs.changes


@pytest.mark.parametrize("value", [Known(1), Known(None), Origin("io.StringIO()"), Several(())])
def test_what_is_no_path_needs_nothing(needs: Needs, value: Value) -> None:
    needs.path((value,), READ, NODE, "why")

    assert needs.all() == ()


def test_an_address_is_no_path(needs: Needs) -> None:
    needs.read_any((Known("https://a.example:8443/x"), Known("b")), NODE, "why")

    assert [(one.permission, one.target) for one in needs.all()] == [
        (NETWORK, "a.example:8443"),
        (READ, "b"),
    ]


def test_a_host_can_be_granted_and_an_unknown_one_cannot(needs: Needs) -> None:
    needs.host((Known("http://a.example/x"),), NODE, "why")
    needs.host((Several(((Known("b"),), (Known(80),))),), NODE, "why")
    needs.host((), NODE, "why")
    known, pair, unknown = needs.all()

    assert (known.target, known.least, known.pattern) == ("a.example", Verdict.ALLOW, "a.example")
    assert pair.target == "b:80"
    assert (unknown.target, unknown.least, unknown.pattern) == (NO_HOST, Verdict.ASK, "")


def test_an_address_that_is_none_is_an_unknown_host(needs: Needs) -> None:
    needs.host((Known("http://[x/"),), NODE, "why")

    assert needs.all()[0].target == NO_HOST


def test_going_to_a_folder_below_changes_nothing_that_is_judged_later(needs: Needs) -> None:
    needs.folder((Known("src"),), NODE)
    assert needs.all() == ()

    for elsewhere in (Known(".."), Known(".git"), PathAt(None), Known("/")):
        needs.folder((elsewhere,), NODE)
    assert {one.permission for one in needs.all()} == {RUN_CODE, EXTERNAL}
    assert all(one.least is Verdict.ASK for one in needs.all() if one.permission == RUN_CODE)


def test_too_many_needs_end_in_one_that_asks_and_denials_come_first(needs: Needs) -> None:
    for number in range(MOST_NEEDS * 2):
        needs.path((Known(str(number)),), WRITE, NODE, "why")
    needs.path((Known(".git/config"),), WRITE, NODE, "why")
    found = needs.all()

    assert len(found) == MOST_NEEDS + 1
    assert found[0].least is Verdict.DENY
    assert found[-1].permission == RUN_CODE


def test_a_shell_that_is_given_nothing_does_nothing(needs: Needs) -> None:
    needs.command("  ", "why")

    assert needs.all() == ()


def test_code_that_is_shown_is_short_and_of_one_line(needs: Needs) -> None:
    long = Needs(f"f({'x' * 500})", needs.place)
    node = ast.parse(f"f({'x' * 500})").body[0]

    assert len(long.shown(node)) <= 121
    assert needs.shown(ast.parse("")) == "code"
    assert Needs("f(\n1)", needs.place).shown(ast.parse("f(\n1)").body[0]) == "f("
