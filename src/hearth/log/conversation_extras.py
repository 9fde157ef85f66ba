"""What only hearth knows of a conversation's file, under `hearth` in its lines, and back.

Other programs find nothing in it that they would act on, and may leave it out: whatever is missing
or odd counts as not said.
"""

import msgspec
from msgspec.structs import replace

from hearth.core.views.conversation_rows import Row
from hearth.core.vocabulary.blocks import ErrorBlock, NoticeBlock
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.prompting import Effort
from hearth.log.conversation_format import Header, Json


def extra_of(said: Json) -> Json:
    """What hearth wrote for itself."""
    extra = said.get("hearth")
    return extra if isinstance(extra, dict) else {}


def about(row: Row) -> Json:
    """Where a block belongs, and whose it is."""
    author = msgspec.to_builtins(row.author)
    return {"hearth": {"turn": row.turn, "step": row.step, "author": author}}


def author_of(extra: Json, actor: Actor, name: str) -> Origin:
    """Who said it; where that is not told, who usually does."""
    try:
        return msgspec.convert(extra.get("author"), Origin)
    except msgspec.ValidationError:
        return Origin(actor, name, Door.CLI if actor is Actor.PERSON else Door.ENGINE)


def aside(block: ErrorBlock | NoticeBlock) -> Json:
    """What is for people alone."""
    return {"hearth": {"block": msgspec.to_builtins(block)}}


def aside_of(extra: Json) -> ErrorBlock | NoticeBlock | None:
    """The reverse of `aside`; None if there is none."""
    try:
        return msgspec.convert(extra.get("block"), ErrorBlock | NoticeBlock)
    except msgspec.ValidationError:
        return None


def effort_of(extra: Json) -> Effort | None:
    """How hard a model was told to think; None if it was not."""
    try:
        return Effort(extra.get("effort", ""))
    except ValueError:
        return None


def config_of(header: Header) -> SessionConfig:
    """How the session was set up."""
    try:
        config = msgspec.convert(header.hearth.get("config", {}), SessionConfig)
    except msgspec.ValidationError:
        return SessionConfig(directory=header.cwd)
    # Its name is an entry; what it was forked from is part of the file.
    return replace(config, directory=header.cwd, name="", forked_from=None)
