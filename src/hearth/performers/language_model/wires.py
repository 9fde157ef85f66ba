"""Which codec speaks which dialect. Each is imported when the first conversation needs it."""

from functools import cache
from typing import assert_never

from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.messages import Message
from hearth.performers.language_model.codec import Codec, Opening
from hearth.performers.language_model.tape import Witness


@cache
def codec_for(dialect: Dialect) -> Codec:
    """The codec of a dialect. The scripted model has none: ValueError."""
    # A daemon in which nobody speaks with a model, or with one provider alone, imports no more.
    match dialect:
        case Dialect.ANTHROPIC:
            from hearth.performers.language_model.anthropic import (  # noqa: PLC0415 - as above
                AnthropicCodec,
            )

            return AnthropicCodec()
        case Dialect.RESPONSES:
            from hearth.performers.language_model.responses import (  # noqa: PLC0415 - as above
                ResponsesCodec,
            )

            return ResponsesCodec()
        case Dialect.CHAT:
            from hearth.performers.language_model.chat import ChatCodec  # noqa: PLC0415 - as above

            return ChatCodec()
        case Dialect.SCRIPTED:
            raise ValueError("the scripted model speaks over no wire")
        case _:
            assert_never(dialect)


class WireEncoding:
    """Encodes messages as a codec does."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def opening(self, opening: Opening) -> bytes:
        """What stands before the first message."""
        return self._codec.opening(opening)

    def closing(self) -> bytes:
        """What stands behind the last message."""
        return self._codec.closing()

    def encode(self, message: Message, choice: ModelChoice, *, marked: bool) -> bytes:
        """A message as its piece of a request."""
        return self._codec.piece(message, choice, marked=marked)

    def witness(self) -> Witness | None:
        """Nobody: the bytes are all that is needed."""
        return None
