"""What the answers of all providers have in common: frames, ends, complaints, and no stream."""

from abc import ABC, abstractmethod
from typing import Any, Final

import msgspec

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import Answer, Heard, WireTrouble
from hearth.performers.language_model.failures import readable, told, told_in, trouble_of
from hearth.performers.language_model.sent_back import NOT_JSON, native_item
from hearth.performers.language_model.server_sent import Frame, Frames, begins_a_stream

DONE: Final = b"[DONE]"
"""How many streams say that nothing follows; the one frame that is not JSON."""

_KEPT_HEAD: Final = 4096
"""Bytes that are remembered of an answer until it proves to be a stream."""
_SHOWN: Final = 200
_LOWEST_ERROR: Final = 400
_HIGHEST_ERROR: Final = 599


class EventReader(ABC):
    """Takes a stream apart into frames, and knows how it may end. What they mean, others know."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._answer: Answer | None = None
        self._head: bytes | None = b""

    @property
    def answer(self) -> Answer | None:
        """The answer, once the stream said that it is complete."""
        return self._answer

    def feed(self, data: bytes) -> list[Heard]:
        """What these bytes say."""
        if self._head is not None:
            self._head = (self._head + data)[:_KEPT_HEAD]
        heard: list[Heard] = []
        for frame in self._frames.feed(data):
            self._take(frame, heard)
        return heard

    def finish(self) -> Answer:
        """The stream has ended."""
        if self._answer is None:
            for frame in self._frames.finish():
                # Else the connection broke within it, which is no fault of the protocol.
                if frame.data == DONE or is_json(frame.data):
                    self._take(frame, [])
        if self._answer is None:
            self._answer = self._ended()
        if self._answer is not None:
            return self._answer
        if self._head and not begins_a_stream(self._head):
            raise not_a_stream(self._head)
        raise WireTrouble(Trouble.NETWORK, "the answer broke off before it was complete")

    def _take(self, frame: Frame, heard: list[Heard]) -> None:
        self._head = None
        if self._answer is None:
            self._read(frame, heard)

    @abstractmethod
    def _read(self, frame: Frame, heard: list[Heard]) -> None:
        """Understand a frame; set the answer once it is complete."""

    def _ended(self) -> Answer | None:
        """Nothing follows: the answer, if it is complete all the same."""
        return None


def is_json(data: bytes) -> bool:
    """Whether bytes are JSON that has come whole."""
    try:
        msgspec.json.decode(data)
    except NOT_JSON:
        return False
    return True


def complained(error: Any) -> WireTrouble:
    """What an error means that came in the middle of a stream, or in its place."""
    code, message = told_in(error)
    inner = error.get("error", error) if isinstance(error, dict) else {}
    status = _status(inner.get("code")) if isinstance(inner, dict) else None
    trouble = trouble_of(status, code, message)
    said = message or f"the provider broke its answer off with an error{_named(code)}"
    return WireTrouble(trouble, said, status)


def _status(code: Any) -> int | None:
    """Some servers repeat the status of HTTP as the code of the error."""
    number = int(code) if isinstance(code, str) and code.isdecimal() else code
    is_status = isinstance(number, int) and _LOWEST_ERROR <= number <= _HIGHEST_ERROR
    return number if is_status else None


def _named(code: str) -> str:
    return f" ({code})" if code else ""


def malformed(why: str) -> WireTrouble:
    """The stream is not what its protocol says."""
    return WireTrouble(Trouble.MALFORMED, f"the answer of the provider is malformed: {why}")


def not_a_stream(
    body: bytes, status: int | None = None, retry_after: float | None = None
) -> WireTrouble:
    """Something else came than a stream: an error under a good status, or a page of a proxy."""
    error = native_item(body)
    if error is not None and error.get("error"):
        found = complained(error)
    else:
        shown = told(body).message or readable(body.decode("utf-8", "replace"))
        found = malformed(f"it is no stream of events, but begins with: {shown[:_SHOWN]}")
    return WireTrouble(found.trouble, found.message, found.status or status, retry_after)
