"""Code with colours: a few roles as classes, so that a page needs few words for it.

Only languages of a list are known, so that no name that somebody wrote makes us look for one.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType

from hearth.servers.dashboard.html import Html, span, text
from hearth.servers.dashboard.rendering.visible import fit

MOST: Final = 16 * 1024
"""Characters that get colours; what stands behind them is text."""
STEP: Final = 2048
"""What is still being written gets its colours so many characters at a time."""
_MOST_TOKENS: Final = 4000

_ROLES: Final = (
    (Token.Comment.Preproc, "hk"),
    (Token.Comment, "hc"),
    (Token.Keyword.Constant, "hn"),
    (Token.Keyword, "hk"),
    (Token.Operator.Word, "hk"),
    (Token.Name.Tag, "hk"),
    (Token.Name.Decorator, "hf"),
    (Token.Name.Function, "hf"),
    (Token.Name.Class, "hf"),
    (Token.Name.Exception, "he"),
    (Token.Name.Builtin, "hb"),
    (Token.Name.Attribute, "hb"),
    (Token.Name.Variable, "hb"),
    (Token.Literal.String, "hs"),
    (Token.Literal.Number, "hn"),
    (Token.Literal, "hn"),
    (Token.Generic.Deleted, "hd"),
    (Token.Generic.Inserted, "hi"),
    (Token.Generic.Heading, "hf"),
    (Token.Generic.Subheading, "hc"),
)
ROLES: Final = frozenset(role for _, role in _ROLES)
"""The classes that spans of code have."""
_TAGS: Final = {role: tuple(span(Html("\x00"), class_=role).split("\x00")) for role in ROLES}
_LANGUAGES: Final = {
    **dict.fromkeys(("python", "py", "python3", "ipython", "pyi"), "python"),
    **dict.fromkeys(("pycon", "doctest"), "pycon"),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "shell-session"), "bash"),
    **dict.fromkeys(("javascript", "js", "mjs", "jsx"), "javascript"),
    **dict.fromkeys(("typescript", "ts", "tsx"), "typescript"),
    **dict.fromkeys(("json", "json5", "jsonl", "jsonc"), "json"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cpp", "c++", "cc", "hpp", "cxx"), "cpp"),
    **dict.fromkeys(("rust", "rs"), "rust"),
    **dict.fromkeys(("go", "golang"), "go"),
    **dict.fromkeys(("ruby", "rb"), "ruby"),
    **dict.fromkeys(("html", "xhtml"), "html"),
    **dict.fromkeys(("make", "makefile"), "make"),
    **dict.fromkeys(("docker", "dockerfile"), "docker"),
    **dict.fromkeys(("diff", "patch", "udiff"), "diff"),
    **{name: name for name in ("toml", "ini", "css", "sql", "java", "kotlin", "swift", "xml")},
    **{name: name for name in ("lua", "perl", "php", "r", "scala", "haskell", "elixir", "csharp")},
    **{name: name for name in ("nginx", "graphql", "proto", "tex", "pytb", "http")},
}


def language(info: str) -> str:
    """The language that the words behind a fence name, or nothing."""
    words = re.split(r"[\s{},]+", info.strip(" {"), maxsplit=1)
    return _LANGUAGES.get(words[0].lower().lstrip("."), "")


def highlighted(code: str, name: str = "python", *, grows: bool = False) -> Html:
    """Code with colours. One that `grows` has none yet in its last lines, so that it costs less."""
    most = min(len(code), MOST)
    if grows:
        most = min(MOST, len(code) // STEP * STEP)
    if most < len(code):
        most = code.rfind("\n", 0, most) + 1
    if not name or not most:
        return text(fit(code))
    return Html(_coloured(code[:most], name) + text(fit(code[most:])))


@lru_cache(maxsize=256)
def _coloured(code: str, name: str) -> Html:
    made: list[str] = []
    for role, words in _runs(code, name):
        shown = text(fit(words))
        if role:
            before, after = _TAGS[role]
            made += (before, shown, after)
        else:
            made.append(shown)
    return Html("".join(made))


def _runs(code: str, name: str) -> Iterator[tuple[str, str]]:
    """Words and their role; what has the same role is one run."""
    run: list[str] = []
    known, place = "", 0
    for count, (start, kind, words) in enumerate(_lexer(name).get_tokens_unprocessed(code)):
        if count > _MOST_TOKENS:
            break
        place = start + len(words)
        role = _role(kind) if not words.isspace() else known
        if role != known and run:
            yield known, "".join(run)
            run = []
        known = role
        run.append(words)
    if run:
        yield known, "".join(run)
    if place < len(code):
        yield "", code[place:]


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer:
    made: Lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    return made


@lru_cache(maxsize=512)
def _role(kind: _TokenType) -> str:
    return next((role for parent, role in _ROLES if parent in kind.split()), "")
