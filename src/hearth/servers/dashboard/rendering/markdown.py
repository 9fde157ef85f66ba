"""What a model wrote as markup: Markdown without pictures and without HTML, sanitised once more.

Nothing in it can run, load or be taken for a part of the page: no ids, no styles, no `data-`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.html import Html, code, div, pre, span, text
from hearth.servers.dashboard.rendering.bounding import MOST
from hearth.servers.dashboard.rendering.chunking import Chunk, chunks
from hearth.servers.dashboard.rendering.highlighting import ROLES, highlighted, language
from hearth.servers.dashboard.rendering.visible import fit

_DEEPEST: Final = 20
_CUT: Final = MOST // 4
_TAGS: Final = frozenset(
    [
        "p",
        "br",
        "hr",
        "em",
        "strong",
        "s",
        "del",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "a",
        "span",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
_ADDRESSES: Final = frozenset({"http", "https", "mailto"})


class _Renderer(RendererHTML):
    """Markup of our own for code and pictures."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Code between marks, with colours; it may not be closed yet."""
        del options
        token = tokens[idx]
        grows = bool(env.get("is_open")) and idx == len(tokens) - 1
        return self._code(token.content, language(token.info), grows=grows)

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Code that is set in."""
        del options, env
        return self._code(tokens[idx].content, "")

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """No picture: what it is called and where it would come from, as text."""
        token = tokens[idx]
        alt = self.renderInlineAsText(token.children, options, env) if token.children else ""
        return text(f"{alt} ({token.attrGet('src')})")

    @staticmethod
    def _code(words: str, name: str, *, grows: bool = False) -> str:
        return pre(code(highlighted(words.removesuffix("\n"), name, grows=grows)), class_="code")


def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": False, "typographer": False, "maxNesting": _DEEPEST}
    made = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    return made.enable(["table", "strikethrough"])


def _linked(tag: str, name: str, value: str) -> str | None:
    """What stands in an attribute, if it may."""
    if (tag, name) == ("a", "href"):
        return value if value.partition(":")[0].lower() in _ADDRESSES else None
    return value


_PARSER: Final = _parser()
_CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={"a": {"href"}, "ol": {"start"}},
    attribute_filter=_linked,
    url_schemes=set(_ADDRESSES),
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={
        "a": {"target": "_blank"},
        # What is wider than its room is scrolled, also by keyboard.
        "pre": {"tabindex": "0"},
        "table": {"tabindex": "0"},
    },
    allowed_classes={"span": set(ROLES), "pre": {"code"}},
)


@lru_cache(maxsize=512)
def rendered(chunk: Chunk) -> Html:
    """One chunk as markup."""
    env: dict[str, Any] = {"is_open": chunk.is_open}
    return Html(_CLEANER.clean(_PARSER.render(fit(chunk.text), env)))


def pieces(name: str, words: str, start: int = 0) -> tuple[Piece, ...]:
    """A text as pieces, each a chunk; of one that is too long, the end of it.

    `start` characters stand before it. The beginning of a long text goes a good deal at a time, so
    that what is left has the same ids and is the same for a while.
    """
    cut = _cut(words, start)
    made = []
    prefix = f"{name}-m{start + cut}-" if cut else f"{name}-m"
    if cut:
        about = span(f"… {cut:,} characters before this are not shown here", class_="muted")
        made.append(Piece(f"{name}-cut", div(about, id_=f"{name}-cut")))
    for number, one in enumerate(chunks(words[cut:])):
        called = f"{prefix}{number}"
        made.append(Piece(called, div(rendered(one), id_=called, class_="md")))
    return tuple(made)


def _cut(words: str, start: int) -> int:
    """So many characters are left out at the beginning, up to a blank line if there is one."""
    if len(words) <= MOST:
        return 0
    end = start + len(words)
    least = -(-(end - MOST) // _CUT) * _CUT - start
    blank = words.find("\n\n", least, least + _CUT)
    return blank + 2 if blank >= 0 else least


def as_block(words: str) -> Html:
    """A whole text as one element; for short ones that do not grow."""
    return div(*(rendered(one) for one in chunks(words)), class_="md")
