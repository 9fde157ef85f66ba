"""The second reading of a command line, by tree-sitter, which has to find the same."""

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

KINDS: Final = frozenset(
    {
        "program", "list", "pipeline", "command", "command_name", "redirected_statement",
        "file_redirect", "heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content",
        "heredoc_end", "herestring_redirect", "file_descriptor", "negated_command", "subshell",
        "compound_statement", "if_statement", "elif_clause", "else_clause", "while_statement",
        "for_statement", "do_group", "case_statement", "case_item", "declaration_command",
        "unset_command", "test_command", "unary_expression", "binary_expression",
        "parenthesized_expression", "test_operator", "variable_assignment", "variable_assignments",
        "variable_name", "special_variable_name", "word", "string", "string_content", "raw_string",
        "ansi_c_string", "concatenation", "simple_expansion", "expansion", "command_substitution",
        "process_substitution", "arithmetic_expansion", "number", "brace_expression", "comment",
        "extglob_pattern", "regex",
    }
)  # fmt: skip
"""The forms that may be in a line; whatever else there is asks."""

_WORDS: Final = frozenset(
    {
        "word", "string", "raw_string", "ansi_c_string", "concatenation", "simple_expansion",
        "expansion", "command_substitution", "process_substitution", "arithmetic_expansion",
        "number", "brace_expression", "variable_assignment", "extglob_pattern", "variable_name",
    }
)  # fmt: skip
_NAMED: Final = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
_LEAVES_ARE_WORDS: Final = frozenset(
    {"test_command", "unary_expression", "binary_expression", "parenthesized_expression"}
)
MOST_NODES: Final = 50_000

_WIDE: Final = re.compile(r"[\u0100-\U0010ffff]")
"""What the grammar looks up in a table of 256: beyond it, and far beyond the process dies."""
_STAND_INS: Final = {2: "ÿ", 3: "ÿ.", 4: "ÿÿ"}
"""Letters that no name has, as these are to bash, by how many bytes they take."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What tree-sitter sees in a line."""

    doubt: str
    """The first thing in it that is not known; "" if there is none."""
    words: frozenset[tuple[int, int]]
    names: frozenset[tuple[int, int]]
    documents: frozenset[int]
    """Where the lines stand that end here-documents."""
    commands: tuple[str, ...]
    """The commands as they are written."""


def witness(line: str) -> Seen:
    """Read a line."""
    readable = line if line.isascii() else _WIDE.sub(_stand_in, line)
    return _Walk(line.encode()).seen(_parser().parse(readable.encode()).root_node)


def _stand_in(wide: re.Match[str]) -> str:
    return _STAND_INS[len(wide[0].encode())]


_OF_THREAD: Final = threading.local()
"""A parser is for one thread at a time, and making one takes a third of what parsing takes."""


def _parser() -> "Parser":
    parser: Parser | None = getattr(_OF_THREAD, "parser", None)
    if parser is None:
        parser = _OF_THREAD.parser = _new_parser()
    return parser


def _new_parser() -> "Parser":
    # Only those who run commands need it, and it takes milliseconds to load.
    import tree_sitter_bash  # noqa: PLC0415 - loaded when first needed
    from tree_sitter import Language, Parser  # noqa: PLC0415 - loaded when first needed

    return Parser(Language(tree_sitter_bash.language()))


class _Walk:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._doubt = ""
        self._words: set[tuple[int, int]] = set()
        self._names: set[tuple[int, int]] = set()
        self._documents: set[int] = set()
        self._commands: list[str] = []

    def seen(self, root: "Node") -> Seen:
        """Look at every node that matters once; deep trees need no deep stack."""
        if root.has_error:
            self._doubt = "it cannot be parsed"
        left: list[tuple[Node, bool, bool]] = [(root, False, False)]
        count = 0
        while left:
            node, is_in_word, leaves_are_words = left.pop()
            count += 1
            if count > MOST_NODES:
                self._doubt = self._doubt or "it is too long to be looked at"
                break
            kind = node.type
            if node.is_named:
                self._look(node, kind)
            if not is_in_word and (kind in _WORDS or (leaves_are_words and not node.child_count)):
                self._words.add((node.start_byte, node.end_byte))
                is_in_word = True
            if kind in _LEAVES:
                continue
            if kind == "heredoc_body":
                is_in_word = True
            elif kind in _OPENS:
                is_in_word = leaves_are_words = False
            elif kind in _LEAVES_ARE_WORDS:
                leaves_are_words = True
            # Signs between words say nothing, except where they are words themselves.
            children = node.children if leaves_are_words else node.named_children
            left.extend((child, is_in_word, leaves_are_words) for child in children)
        return Seen(
            self._doubt,
            frozenset(self._words),
            frozenset(self._names),
            frozenset(self._documents),
            tuple(reversed(self._commands)),
        )

    def _look(self, node: "Node", kind: str) -> None:
        if kind not in KINDS:
            self._doubt = self._doubt or _unknown(kind)
        elif kind == "heredoc_end":
            self._documents.add(node.start_byte)
        elif kind in _NAMED:
            named = node if kind == "command_name" else node.children[0]
            self._names.add((named.start_byte, named.end_byte))
            self._words.add((named.start_byte, named.end_byte))
            if kind != "command_name":
                self._commands.append(self._text(node))
        elif kind == "command":
            self._commands.append(self._text(node))

    def _text(self, node: "Node") -> str:
        return self._source[node.start_byte : node.end_byte].decode(errors="replace")


_LEAVES: Final = frozenset(
    {
        "word",
        "raw_string",
        "string_content",
        "number",
        "variable_name",
        "file_descriptor",
        "comment",
    }
)
_OPENS: Final = frozenset({"command_substitution", "process_substitution"})


def _unknown(kind: str) -> str:
    return "it cannot be parsed" if kind == "ERROR" else f"{kind.replace('_', ' ')!r} is not known"
