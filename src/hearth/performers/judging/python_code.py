"""What a piece of Python needs permission for, read from its tree.

This decides when a person is asked. It does not contain anything: a name that an earlier cell or
a project's module bound to something dangerous cannot be seen from here (such bindings are asked
about when they are made), and what libraries do inside is not looked at. Containment is the
sandbox's job.
"""

import ast
import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from types import MappingProxyType
from typing import Final

import msgspec

from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_calls import Calls
from hearth.performers.judging.python_classes import look_at_class
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_held import look_at_held
from hearth.performers.judging.python_known import LIVE
from hearth.performers.judging.python_lasting import look_at_lasting
from hearth.performers.judging.python_magics import as_python, automagic, is_ipython, is_prompted
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import RUN_CODE, Needs
from hearth.performers.judging.python_notes import Notes
from hearth.performers.judging.python_pure import only_computes
from hearth.performers.judging.python_reach import Reach
from hearth.performers.tools.tool import Wanted

MOST_CHARACTERS: Final = 200_000

_DEEPEST: Final = 3
_GIVING: Final = (ast.Name, ast.Attribute, ast.Call)
_BUILTINS: Final = frozenset(dir(builtins))
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_COOKIE: Final = re.compile(r"[ \t\f]*#.*?coding[:=](?![ \t]*utf-?8\b)", re.IGNORECASE)
"""By such a line, bytes and files of Python become another text than they seem to be."""
_NEWER: Final = re.compile(
    r"""\b(?:[fFtT][rR]?|[rR][fFtT])['"]"""  # texts with code in them, which newer ones nest
    r"|\btype\b(?!\s*\()"
    r"|\b(?:def|class)\b[\s\\]+\w+[\s\\]*\["
    r"|\bexcept\b|\blazy\b"
    r"|[\[({][\s\\]*\*"
)
"""What a later Python may take that ours does not."""


def python_wants(code: str, place: Place, known: Mapping[str, str] = _NOTHING) -> Wanted:
    """What running this code takes. Never raises; bounded in time and depth.

    `known` says of names that live in the interpreter what they are, as a dotted name.
    """
    needs, computes = _judged(code, _Around(place, known))
    return Wanted(needs, may_change=not computes)


@dataclass(frozen=True)
class _Around:
    """What is around a piece of code."""

    place: Place
    known: Mapping[str, str]
    depth: int = 0
    bound: set[str] = field(default_factory=set)
    """The names that the code leaves behind."""

    def inner(self, names: Mapping[str, str] = _NOTHING) -> "_Around":
        """What is around code that is in this code."""
        return _Around(self.place, {**self.known, **names}, self.depth + 1)


def _judged(code: str, around: _Around) -> tuple[tuple[Need, ...], bool]:
    """What it needs, and whether it surely changes no file."""
    try:
        if around.depth and any(map(_COOKIE.match, code.split("\n", 2)[:2])):
            raise ValueError("it says itself how its characters are to be read")  # noqa: TRY301 - as below
        if around.depth > _DEEPEST or len(code) > MOST_CHARACTERS:
            raise ValueError("there is too much of it, or too much code within code")  # noqa: TRY301 - all that cannot be read ends alike
        return _looked_through(code, around)
    except SyntaxError as error:
        if _NEWER.search(code):
            doubt = f"this Python cannot read it, a newer one might ({error.msg})"
            return (_doubt(doubt),), False
        if around.depth:
            return (_doubt(f"the code in it cannot be read ({error.msg})"),), False
        return (), True  # it cannot run
    except (ValueError, RecursionError, MemoryError) as error:
        return (_doubt(f"it cannot be read: {str(error) or 'it is nested too deeply'}"),), False


def _looked_through(code: str, around: _Around) -> tuple[tuple[Need, ...], bool]:
    tree = _tree_of(code)
    if is_prompted(code) or (tree is None and is_ipython(code)):
        turned = as_python(code)
        if tree is None:
            return _looked_at(code, _read(turned), around)
        if turned.strip() != code.strip():
            # Which of the two it is depends on who runs it.
            one = _looked_at(turned, _read(turned), around)
            other = _looked_at(code, (code, tree), around)
            return (*one[0], *other[0]), one[1] and other[1]
    return _looked_at(code, (code, tree) if tree is not None else _read(dedent(code)), around)


def _tree_of(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


def _read(code: str) -> tuple[str, ast.Module]:
    """Code with its tree, which is empty if all of it is one magic. SyntaxError."""
    tree = _tree_of(code)
    if tree is None:
        tree = ast.parse(code if automagic(code) is None else "")
    return code, tree


def _looked_at(
    source: str, code: tuple[str, ast.Module], around: _Around
) -> tuple[tuple[Need, ...], bool]:
    """Look through code in which nothing is left that is not Python, but for words that are magic.

    `source` is what people see of it.
    """
    text, tree = code
    needs = Needs(source, around.place)
    magic = automagic(text)
    read = Code(tree)
    around.bound.update(read.module.bindings)
    folding = Folding(read, around.place, around.known)

    def judge_code(inner: str, node: ast.AST) -> None:
        names = folding.origins_at(node)
        within = around.inner(names)
        found, _ = _judged(inner, within)
        needs.add(*(_within(need, needs.shown(node)) for need in found))
        if not within.bound.isdisjoint({*names, *read.module.bindings, *LIVE, *_BUILTINS}):
            needs.doubt(node, "the code in it changes names that are used outside of it")

    calls = Calls(needs, folding, judge_code)
    reach = Reach(needs, folding)
    if magic is not None:
        calls.act(magic, tree)
    noted = Notes(folding, needs)
    for spot in read.spots:
        if isinstance(spot.node, ast.Call):
            calls.look_at(spot.node)
        reach.look_at(spot)
        if isinstance(spot.node, _GIVING):
            look_at_class(spot, folding, needs)
            look_at_held(spot, folding, needs)
        noted.look_at(spot)
    for annotation in noted.texts:
        if _tree_of(annotation) is not None:
            needs.add(*_judged(annotation, around.inner())[0])
    look_at_lasting(read, folding, needs)
    if folding.too_deep:
        needs.add(_doubt("it is nested too deeply to be looked through"))
    found = needs.all()
    return found, magic is None and not needs.changes and only_computes(read, folding)


def _within(need: Need, shown: str) -> Need:
    return msgspec.structs.replace(need, why=f"{need.why} (in {shown})" if need.why else shown)


def _doubt(why: str) -> Need:
    return Need(RUN_CODE, "code", "", Verdict.ASK, Verdict.ASK, why)
