"""An answer comes from a provider, whatever it sends, or it is said why it does not."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from tests.performers.language_model.held import CLAUDE, GPT, KEY, LOCAL, Held, S, keys_for

from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import Answer, Heard, WireTrouble
from hearth.performers.language_model.reading import Reading
from hearth.performers.language_model.requesting import Reply, Requesting
from hearth.performers.language_model.tape import Draft, Tapes
from hearth.performers.language_model.voices import LOCAL_PATIENCE, WireVoice, joined
from hearth.performers.language_model.wires import codec_for

STREAM = b"""event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",\
"model":"claude","content":[],"stop_reason":null,"stop_sequence":null,\
"usage":{"input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},\
"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

"""
each_wire = pytest.mark.parametrize("choice", [CLAUDE, GPT, LOCAL])
EVENTS = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass
class Wired(Requesting):
    """A network on which everything comes as it is told."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(EVENTS))
    chunks: Sequence[bytes | WireTrouble] = (STREAM,)
    sent: list[tuple[str, dict[str, str], bytes, float | None]] = field(default_factory=list)
    read: int = 0
    idle: float = 90.0

    @asynccontextmanager
    async def post(  # type: ignore[override] # a plain dictionary is a mapping
        self, url: str, headers: dict[str, str], body: bytes, *, idle: float | None = None
    ) -> AsyncIterator[Reply]:
        self.sent.append((url, headers, body, idle))
        yield Reply(self.status, self.headers, self._chunks())

    async def _chunks(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            self.read += 1
            if isinstance(chunk, WireTrouble):
                raise chunk
            yield chunk


class Ear:
    """Listens."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.heard: list[Heard] = []
        self.answer: Answer | None = None

    def began(self) -> None:
        self.told.append("began")

    def hear(self, heard: Sequence[Heard]) -> None:
        self.told.append("heard")
        self.heard += heard

    def done(self, answer: Answer) -> None:
        self.told.append("done")
        self.answer = answer


async def drafted(choice: ModelChoice) -> Draft:
    held = Held()
    held.choice = choice
    held.begin()
    held.user("hello")
    reading = Reading(held.read, held.fetch)
    codec = codec_for(choice.dialect)
    voice = WireVoice(S, codec, keys_for(), Wired())
    return await Tapes(reading).draft(S, held.ask(), voice.encoding)


async def answer_on(wired: Wired, choice: ModelChoice = CLAUDE) -> Ear:
    ear = Ear()
    keys = keys_for("http://there.example/v1/")
    voice = WireVoice(S, codec_for(choice.dialect), keys, wired)
    await voice.answer(await drafted(choice), ear)
    await keys.close()
    return ear


async def test_a_request_is_its_opening_its_messages_and_its_closing() -> None:
    wired = Wired()
    ear = await answer_on(wired)
    codec = codec_for(CLAUDE.dialect)
    draft = await drafted(CLAUDE)
    ((url, headers, body, idle),) = wired.sent
    assert url == "http://there.example/v1/messages"
    assert headers == codec.headers(KEY)
    assert body == draft.body
    assert body.startswith(codec.opening(draft.opening))
    assert body.endswith(codec.closing())
    assert idle == 90.0
    assert ear.told == ["began", "heard", "done"]


async def test_ones_own_machine_is_given_more_time() -> None:
    wired = Wired(
        chunks=(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',)
    )
    await answer_on(wired, LOCAL)
    assert wired.sent[0][3] == 90.0 * LOCAL_PATIENCE
    assert wired.sent[0][0] == "http://there.example/v1/chat/completions"


async def test_a_complete_answer_is_told_before_the_stream_ends_and_then_read_out() -> None:
    wired = Wired(chunks=(STREAM, b": nothing more\n\n", b""))
    ear = await answer_on(wired)
    assert ear.answer is not None
    assert wired.read == 3
    broken = Wired(chunks=(STREAM, WireTrouble(Trouble.NETWORK, "cut off")))
    assert (await answer_on(broken)).answer == ear.answer


@pytest.mark.parametrize("cut", [0, 200, 500, len(STREAM) - 40])
async def test_an_answer_that_ends_early_is_none(cut: int) -> None:
    ear = Ear()
    keys = keys_for("http://there.example")
    voice = WireVoice(S, codec_for(CLAUDE.dialect), keys, Wired(chunks=(STREAM[:cut],)))
    with pytest.raises(WireTrouble) as caught:
        await voice.answer(await drafted(CLAUDE), ear)
    assert caught.value.trouble is Trouble.NETWORK
    assert ear.answer is None
    await keys.close()


@each_wire
@pytest.mark.parametrize("kind", ["text/plain", "text/event-stream"])
async def test_words_in_place_of_a_stream_are_shown_and_worth_another_attempt(
    kind: str, choice: ModelChoice
) -> None:
    wired = Wired(headers={"content-type": kind}, chunks=(b"Nobody may go out\n", b"today.\n"))
    with pytest.raises(WireTrouble) as caught:
        await answer_on(wired, choice)
    assert caught.value.trouble is Trouble.MALFORMED
    assert "begins with: Nobody may go out today." in caught.value.message


@each_wire
@pytest.mark.parametrize(
    ("status", "kind", "body", "trouble"),
    [
        (200, "text/html", b"<html>sign in</html>", Trouble.MALFORMED),
        (200, "application/json", b'{"error":{"type":"overloaded_error"}}', Trouble.OVERLOADED),
        (200, "application/json", b'{"id":"an answer at once"}', Trouble.MALFORMED),
        (302, "text/html", b"", Trouble.REJECTED),
        (401, "application/json", b"{}", Trouble.CREDENTIALS),
        (502, "text/html", b"<html>", Trouble.SERVER),
    ],
)
async def test_what_is_no_stream_is_told_for_what_it_is(
    status: int, kind: str, body: bytes, trouble: Trouble, choice: ModelChoice
) -> None:
    wired = Wired(status=status, headers={"content-type": kind, "retry-after": "3"}, chunks=(body,))
    with pytest.raises(WireTrouble) as caught:
        await answer_on(wired, choice)
    assert (caught.value.trouble, caught.value.status) == (trouble, status)


async def test_what_was_written_can_be_kept_at_any_time() -> None:
    seen: list[object] = []
    keys = keys_for("http://there.example")
    voice = WireVoice(S, codec_for(CLAUDE.dialect), keys, Wired(chunks=(STREAM[:600], b"")))
    seen.append(voice.partial())
    with pytest.raises(WireTrouble):
        await voice.answer(await drafted(CLAUDE), Ear())
    seen.append([one.text for one in voice.partial()])
    assert seen == [(), ["Yes."]]
    assert voice.secrets == (KEY,)
    await keys.close()


async def test_a_stream_that_never_ends_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(Wired):
        async def _chunks(self) -> AsyncIterator[bytes]:
            yield STREAM
            await asyncio.Event().wait()

    monkeypatch.setattr("hearth.performers.language_model.voices.DRAINING", 0.01)
    assert (await answer_on(Endless())).answer is not None


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://a.example", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/v1", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/v1/", "/responses", "https://a.example/v1/responses"),
        ("https://a.example/api", "/v1/messages", "https://a.example/api/v1/messages"),
    ],
)
def test_an_address_and_a_path_are_joined_as_people_mean_it(base: str, path: str, url: str) -> None:
    assert joined(base, path) == url
