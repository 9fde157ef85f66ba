"""What the calls of a piece of code do that needs permission."""

import ast
import re
from collections.abc import Callable
from typing import Final, assert_never

from hearth.core.vocabulary.permitting import EXTERNAL, READ, WRITE
from hearth.performers.judging.python_arguments import Given, is_plainly_text
from hearth.performers.judging.python_commands import Shell
from hearth.performers.judging.python_effects import Effect, Kind
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_held import held_method
from hearth.performers.judging.python_known import effects_of, is_known_module, is_pythons_own
from hearth.performers.judging.python_magics import (
    Action,
    Deed,
    cell_magic,
    line_magic,
    shell_line,
)
from hearth.performers.judging.python_method_calls import MethodCalls, look_at_getter, may_write
from hearth.performers.judging.python_methods import REACHING, WHERE_FROM, writes_itself
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_paths import found_below
from hearth.performers.judging.python_programs import Programs
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    CLASS,
    Bound,
    Known,
    Origin,
    PathAt,
    Several,
    Value,
    Values,
    texts,
)

_HOST_NAMES: Final = ("url", "host", "hostname", "base_url", "uri", "address", "endpoint_url")
_PATH_READS: Final = frozenset({"read_text", "read_bytes", "iterdir", "walk"})
_PATH_MOVES: Final = frozenset({"rename", "replace", "symlink_to", "hardlink_to", "link_to"})
_NAMES_OF_FAILURES: Final = ("Error", "Exception", "Timeout", "Warning")
_ELSEWHERE: Final = frozenset({"dir_fd", "src_dir_fd", "dst_dir_fd", "root_dir"})
_HIDDEN: Final = ("builtins.globals().", "builtins.locals().", "sys.modules.")
_BY_NAME_ONLY: Final = 99
_FLAGS: Final = {
    "numpy.load": (2, "allow_pickle", "what it loads can run code of its own"),
    "fileinput.input": (1, "inplace", "it changes the files"),
    "fileinput.FileInput": (1, "inplace", "it changes the files"),
    "os.walk": (3, "followlinks", "links may lead anywhere"),
    "os.fwalk": (3, "follow_symlinks", "links may lead anywhere"),
    "argparse.ArgumentParser": (_BY_NAME_ONLY, "fromfile_prefix_chars", "it reads files"),
    **dict.fromkeys(
        ("inspect.signature", "inspect.Signature.from_callable"),
        (_BY_NAME_ONLY, "eval_str", "it runs the texts of annotations"),
    ),
}
_UNSET: Final = (None, (Known(value=False),), (Known(value=None),))
_TOOL: Final = re.compile(r"hearth_tools\.[A-Za-z]\w*\.[A-Za-z]\w*(?:\.aio)?")
"""A tool of an MCP server, found under the name of its module. What is called so in a project's own
module of that name is its own function, as those of its other modules are."""
_SHELL_LINE: Final = "a shell line in Python code"


class Calls:
    """Goes through calls, one at a time."""

    def __init__(
        self, needs: Needs, folding: Folding, judge_code: Callable[[str, ast.AST], None]
    ) -> None:
        self._needs = needs
        self._folding = folding
        self._judge_code = judge_code
        self._programs = Programs(needs, folding)
        self._methods = MethodCalls(needs, folding, self._effect)

    def look_at(self, call: ast.Call) -> None:
        """Find out what one call does."""
        for callee in self._folding.values(call.func):
            match callee:
                case Origin(name=name) if _TOOL.fullmatch(name) is not None:
                    pass  # it is judged by itself when it is called, with what it is then given
                case Origin(name=name):
                    self._named(name, call)
                case Bound(base=PathAt() as base, name=name):
                    self._path_method(base, name, call)
                case Bound(base=Known()):
                    pass  # the methods of texts and numbers do nothing outside
                case Bound(name=name):
                    self._methods.look_at(callee, name, call)
                case _:
                    pass

    def _named(self, name: str, call: ast.Call) -> None:
        if name == CLASS.name:
            self._needs.doubt(call, "it calls the class of something: nobody sees what that makes")
            return
        if name.startswith(CHOSEN.name):
            self._needs.doubt(call, "it calls something under a name that nobody knows")
            return
        if name.startswith("get_ipython()."):
            self._ipython(name.removeprefix("get_ipython()."), call)
            return
        effects = effects_of(name)
        if not effects and (held := held_method(name)) is not None:
            self._needs.doubt(call, f"it changes {held} for everything that is run later")
        if name in {"glob.glob", "glob.iglob"}:
            self._globbed(name, call)
            effects = ()
        for effect in effects:
            self._effect(effect, name, call)
        if effects and any(one.arg in _ELSEWHERE for one in call.keywords):
            self._needs.doubt(call, "the path begins somewhere else")
        if not effects and ("()" in name or not is_pythons_own(name)):
            self._methods.look_at(Origin(name), name.rpartition(".")[2], call)
        self._special(name, call)
        if (name.startswith(_HIDDEN) or ".__dict__." in name) and (
            name.rpartition(".")[2] not in {"keys", "__len__", "__contains__"}
        ):
            self._needs.doubt(call, "it reaches for names that nobody sees")

    def _special(self, name: str, call: ast.Call) -> None:
        """What some functions do only if they are told to."""
        if name in _FLAGS:
            at, flag, why = _FLAGS[name]
            if Given(call, self._folding).argument(at, flag) not in _UNSET:
                self._needs.doubt(call, why)
        elif name == "operator.attrgetter":
            look_at_getter(call, self._needs, self._folding)
        elif name in {"builtins.getattr", "builtins.setattr", "builtins.delattr"}:
            self._by_name(name, call)

    def _globbed(self, name: str, call: ast.Call) -> None:
        patterns = Given(call, self._folding).argument(0, "pathname") or ANYTHING
        recursive = Given(call, self._folding).keyword("recursive") not in _UNSET
        for found in found_below(PathAt(""), patterns, is_deep=recursive):
            self._needs.path((found,), READ, call, f"{name} in Python code")
        if any(one.arg in _ELSEWHERE for one in call.keywords):
            self._needs.doubt(call, "the path begins somewhere else")

    def _by_name(self, function: str, call: ast.Call) -> None:
        bases = self._folding.values(call.args[0]) if call.args else ANYTHING
        names = Given(call, self._folding).argument(1, "name")
        modules = [base for base in bases if isinstance(base, Origin) and "()" not in base.name]
        if function != "builtins.getattr" and modules:
            self._needs.doubt(call, f"it changes {modules[0].name} for everything else")
        elif modules and (names is None or texts(names) is None):
            self._needs.doubt(call, "it takes something under a name that nobody knows")
        for one in (texts(names) if names is not None else None) or ():
            if one in REACHING or (one in WHERE_FROM and function != "builtins.getattr"):
                self._needs.doubt(call, f"{one} reaches what the code was not given")

    def _effect(self, effect: Effect, name: str, call: ast.Call) -> None:  # noqa: C901, PLR0912 - one case per kind
        values = Given(call, self._folding).argument(effect.at, effect.name)
        why = f"{name.removeprefix('builtins.')} in Python code"
        match effect.kind:
            case Kind.OPEN:
                self._open(effect, values, call, why)
            case Kind.READ:
                self._needs.path(values or (Known("."),), READ, call, why)
            case Kind.READ_ANY:
                self._needs.read_any(values or ANYTHING, call, why)
            case Kind.SHOW:
                node = call.args[0] if call.args and effect.at == 0 else None
                if values is not None and not (node is not None and is_plainly_text(node)):
                    self._needs.read_any(values, call, why)
            case Kind.WRITE:
                if values is not None and not _is_in_memory(values):
                    self._needs.path(values, WRITE, call, why)
            case Kind.SHELL:
                self._programs.shell(values, call, why)
            case Kind.PROGRAM:
                self._programs.program(values, call, why)
            case Kind.ARGUMENTS:
                self._programs.start(
                    Several(tuple(map(self._folding.values, call.args))), call, why
                )
            case Kind.NETWORK:
                self._network(name, call, why)
            case Kind.RUN:
                self._run(values, call, effect)
            case Kind.IMPORT:
                names = texts(values) if values is not None else None
                if names is None or not all(map(is_known_module, names)):
                    self._needs.doubt(call, "what the module does that it loads cannot be seen")
            case Kind.OPAQUE:
                self._needs.doubt(call, effect.why)
            case Kind.FOLDER:
                self._needs.folder(values or ANYTHING, call)
            case Kind.SEARCH:
                self._needs.path(values or ANYTHING, EXTERNAL, call, "modules are looked for there")
            case _:
                assert_never(effect.kind)

    def _open(self, effect: Effect, values: Values | None, call: ast.Call, why: str) -> None:
        modes = Given(call, self._folding).argument(effect.mode, "mode")
        if Given(call, self._folding).keyword("opener") not in {None, (Known(None),)}:
            self._needs.doubt(call, "another function opens it")
        writes = modes is not None and may_write(modes)
        if values is not None:
            self._needs.path(values, WRITE if writes else READ, call, why)

    def _network(self, name: str, call: ast.Call, why: str) -> None:
        last = name.rpartition(".")[2]
        if last.endswith(_NAMES_OF_FAILURES):
            return
        given = [self._folding.values(one) for one in call.args]
        given += [
            self._folding.values(one.value) for one in call.keywords if one.arg in _HOST_NAMES
        ]
        for values in given:
            if values and all(_is_host(value, is_first=values is given[0]) for value in values):
                self._needs.host(values, call, why)
                return
        if "()" not in name:  # what is done with an answer was asked for with the question
            self._needs.host((), call, why)

    def _run(self, values: Values | None, call: ast.Call, effect: Effect) -> None:
        node = call.args[effect.at] if effect.at < len(call.args) else None
        if isinstance(node, ast.Lambda) or (values is None and effect.at > 0):
            return
        codes = texts(values) if values is not None else None
        if codes is None:
            self._needs.doubt(call, "the code that it runs cannot be seen from here")
        for code in codes or ():
            self._judge_code(code, call)

    def _path_method(self, base: PathAt, name: str, call: ast.Call) -> None:
        why = f"Path.{name} in Python code"
        if name in {"glob", "rglob"}:
            patterns = Given(call, self._folding).argument(0, "pattern")
            for found in found_below(base, patterns or ANYTHING, is_deep=name == "rglob"):
                self._needs.path((found,), READ, call, why)
        elif name in _PATH_READS:
            self._needs.path((base,), READ, call, why)
        elif name == "open":
            modes = Given(call, self._folding).argument(0, "mode")
            writes = modes is not None and may_write(modes)
            self._needs.path((base,), WRITE if writes else READ, call, why)
        elif writes_itself(name) or name in _PATH_MOVES:
            self._needs.path((base,), WRITE, call, why)
            if name in _PATH_MOVES:
                permission = WRITE if name in {"rename", "replace"} else READ
                self._needs.path(
                    Given(call, self._folding).argument(0, "target") or (), permission, call, why
                )

    def _ipython(self, method: str, call: ast.Call) -> None:
        given = [texts(self._folding.values(one)) for one in call.args]
        known = [one[0] for one in given if one is not None and len(one) == 1]
        if len(known) != len(call.args) or call.keywords:
            self._needs.doubt(call, "what IPython is told cannot be seen from here")
            return
        match method, known:
            case "system" | "getoutput", [text]:
                self.act(shell_line(text), call)
            case "run_line_magic", [name, line, *_]:
                self.act(line_magic(name, line), call)
            case "run_cell_magic", [name, line, body]:
                self.act(cell_magic(name, line, body), call)
            case "run_cell" | "ex" | "ev", [code]:
                self._judge_code(code, call)
            case _:
                self._needs.doubt(call, "what IPython does then cannot be seen from here")

    def act(self, action: Action, node: ast.AST) -> None:
        """What a magic comes down to."""
        match action.deed:
            case Deed.NOTHING:
                pass
            case Deed.SHELL:
                self._needs.command(action.text, _SHELL_LINE, shell=Shell.ANY)
            case Deed.BASH:
                self._needs.command(action.text, _SHELL_LINE)
            case Deed.SH:
                self._needs.command(action.text, _SHELL_LINE, shell=Shell.SH)
            case Deed.READ:
                self._needs.path((Known(action.text),), READ, node, "a magic reads it")
            case Deed.PYTHON:
                self._judge_code(action.text, node)
            case Deed.WRITE:
                self._needs.path((Known(action.text),), WRITE, node, "a magic writes it")
            case Deed.FOLDER:
                self._needs.folder((Known(action.text),), node)
            case Deed.OPAQUE:
                self._needs.doubt(node, action.text)
            case _:
                assert_never(action.deed)


def _is_in_memory(values: Values) -> bool:
    return all((isinstance(one, Known) and one.value in {None, ":memory:", ""}) for one in values)


def _is_host(value: Value, *, is_first: bool) -> bool:
    match value:
        case Known(value=str(text)):
            return "://" in text or (is_first and "." in text) or text == "localhost"
        case Several(items=((Known(value=str()),), (Known(value=int()),))):
            return True
        case _:
            return False
