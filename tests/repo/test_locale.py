"""What the machine's locale says about text must not matter."""

import ast
from collections.abc import Iterator

from tests.repo.tree import SRC, parsed, python_files, report, shown


def test_text_is_read_and_written_in_a_named_encoding() -> None:
    report(
        [f"{shown(path)}:{line}" for path in python_files(SRC) for line in _guesses(parsed(path))],
        'say encoding="utf-8"; the locale of another machine says something else',
    )


def test_the_gate_sees_where_an_encoding_is_guessed() -> None:
    for code in (
        "p.read_text()",
        "p.write_text('x')",
        "open('x')",
        "open('x', 'w')",
        "p.open('a')",
        "p.open(mode='r+')",
        "run(x, text=True)",
    ):
        assert list(_guesses(ast.parse(code))), code
    for code in (
        "p.read_text('utf-8')",
        "p.write_text('x', 'utf-8')",
        "p.read_text(encoding='utf-8')",
        "open('x', 'rb')",
        "p.open('wb')",
        "open('x', encoding='utf-8')",
        "run(x, text=True, encoding='utf-8')",
        "run(x, text=False)",
        "await log.open()",
        "os.open('name', 0)",
    ):
        assert not list(_guesses(ast.parse(code))), code


def _guesses(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or any(one.arg == "encoding" for one in node.keywords):
            continue
        match node:
            case ast.Call(func=ast.Attribute(attr="read_text"), args=[]):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr="write_text"), args=[_]):
                yield node.lineno
            case ast.Call(func=ast.Name(id="open"), args=[_, *rest]):
                if not any(_is_binary(one) for one in [*rest, *_modes(node)]):
                    yield node.lineno
            case ast.Call(func=ast.Attribute(attr="open"), args=args):
                # Many things are opened; a mode tells that it is a file.
                modes = [one for one in [*args, *_modes(node)] if _is_mode(one)]
                if modes and not any(map(_is_binary, modes)):
                    yield node.lineno
            case _:
                if any(one.arg == "text" and _is_true(one.value) for one in node.keywords):
                    yield node.lineno


def _modes(call: ast.Call) -> list[ast.expr]:
    return [one.value for one in call.keywords if one.arg == "mode"]


def _is_mode(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in {"r", "w", "a", "x", "r+", "w+", "a+"}


def _is_binary(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and "b" in str(node.value)


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
