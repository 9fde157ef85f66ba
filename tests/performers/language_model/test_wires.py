"""Every dialect has its codec, and none is imported before somebody needs it."""

import subprocess
import sys

import pytest
from tests.performers.language_model.held import CLAUDE

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Dialect
from hearth.core.vocabulary.messages import UserMessage
from hearth.performers.language_model.wires import WireEncoding, codec_for

CODECS = ("anthropic", "responses", "chat")


@pytest.mark.parametrize("dialect", [one for one in Dialect if one is not Dialect.SCRIPTED])
def test_a_dialect_is_spoken_by_its_own_codec(dialect: Dialect) -> None:
    codec = codec_for(dialect)
    assert codec.dialect is dialect
    assert codec_for(dialect) is codec


def test_the_scripted_model_has_no_wire() -> None:
    with pytest.raises(ValueError, match="over no wire"):
        codec_for(Dialect.SCRIPTED)


def test_messages_are_encoded_as_the_codec_does() -> None:
    codec, message = codec_for(Dialect.ANTHROPIC), UserMessage(BlockId("b1"), "hello")
    encoding = WireEncoding(codec)
    assert encoding.encode(message, CLAUDE, marked=False) == codec.piece(message, CLAUDE)
    assert encoding.encode(message, CLAUDE, marked=True) == codec.piece(
        message, CLAUDE, marked=True
    )
    assert encoding.witness() is None


def test_a_daemon_that_asks_nobody_imports_neither_codecs_nor_a_client() -> None:
    code = (
        "import sys; import hearth.performers.language_model.performer;"
        "print([one for one in sys.modules if one.startswith('httpx2') or "
        f"one.rpartition('.')[2] in {CODECS} and 'language_model' in one])"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
