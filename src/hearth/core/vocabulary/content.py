"""What cells show and what is said about code: outputs, diagnostics, completions, blobs."""

from enum import StrEnum
from typing import Literal, TypeAlias

from hearth.core.vocabulary.wire import Part, Word


class Blob(Part, frozen=True):
    """A reference to content too large for an event: fetch it by its hash."""

    sha256: str
    size: int
    media_type: str = "text/plain"
    head: str = ""
    """The first characters, so that a list can show something without fetching."""


Text: TypeAlias = str | Blob
"""Text in full, or where to find it."""


class StreamText(Word, frozen=True):
    """What code wrote to stdout or stderr, in one piece."""

    stream: Literal["stdout", "stderr"]
    text: Text


class RichData(Word, frozen=True):
    """One displayed object in several representations, by MIME type; binary ones as base64."""

    bundle: dict[str, Text]
    is_result: bool = False
    """True for the value of the cell's last expression."""


Output: TypeAlias = StreamText | RichData
Outputs: TypeAlias = tuple[Output, ...] | Blob
"""All outputs of a cell in order; as a blob (JSON) when they are too many for an event."""


class Severity(StrEnum):
    """How much a diagnostic matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HIDDEN = "hidden"


class Diagnostic(Part, frozen=True):
    """One finding about code. Lines count from 1, columns from 0; the end is exclusive."""

    message: str
    severity: Severity
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    rule: str = ""


class CompletionKind(StrEnum):
    """What a completion would insert."""

    KEYWORD = "keyword"
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    PATH = "path"
    OTHER = "other"


class Completion(Part, frozen=True):
    """One proposal for what comes at the cursor."""

    label: str
    kind: CompletionKind = CompletionKind.OTHER
    detail: str = ""
