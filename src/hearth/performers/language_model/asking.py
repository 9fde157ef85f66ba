"""One request to a model, from the log to the one report about it."""

import asyncio
import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Final

from hearth.core.rules.tooling import ADD_KNOWLEDGE
from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.modelling import (
    AskModel,
    ModelAnswered,
    ModelFailed,
    ModelStopped,
    SummaryMade,
    Trouble,
)
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.reports import Report
from hearth.performers.language_model.codec import Answer, Heard, WireTrouble
from hearth.performers.language_model.key_texts import KeyMissing
from hearth.performers.language_model.reading import LogDamaged, LogUnreadable
from hearth.performers.language_model.redacting import without
from hearth.performers.language_model.summing_up import SummaryDraft, summary_draft
from hearth.performers.language_model.tape import Draft, NothingToSay, Tapes
from hearth.performers.language_model.telling import Telling
from hearth.performers.language_model.voices import Request, Voice

MOST_NOTES: Final = 20
"""On the occasion of one summary."""

_said = logging.getLogger(__name__)


class Asking:
    """Carries one request out. Reports exactly once, whatever happens."""

    def __init__(  # noqa: PLR0913 - what it is about, whom it speaks to, and by what
        self,
        session: SessionId,
        ask: AskModel,
        stage: Stage,
        tapes: Tapes,
        voice: Voice,
        *,
        clock: Callable[[], float],
    ) -> None:
        self.reported = False
        self._session = session
        self._ask = ask
        self._stage = stage
        self._tapes = tapes
        self._voice = voice
        self._clock = clock
        # The loop calls back once this task waits for the network again: by then all that came
        # in one read is heard.
        later = asyncio.get_running_loop().call_soon
        self._telling = Telling(stage, ask.turn, ask.step, later)
        self._request: Request | None = None
        self._since = 0.0

    async def run(self) -> None:
        """Read, send, listen. Never raises but when it is cancelled: whoever does that reports."""
        try:
            self._request = await self._drafted()
            self._since = self._clock()
            await self._voice.answer(self._request, self)
            if not self.reported:
                self._fail(Trouble.MALFORMED, "the answer never came to its end")
        except WireTrouble as trouble:
            self._fail(trouble.trouble, trouble.message, trouble.status, trouble.retry_after)
        except KeyMissing as missing:
            self._fail(Trouble.CREDENTIALS, missing.message)
        except LogDamaged as damaged:
            self._fail(Trouble.REJECTED, str(damaged))
        except LogUnreadable as unreadable:
            self._fail(Trouble.UNREADABLE, str(unreadable))
        except NothingToSay as nothing:
            self._fail(Trouble.REJECTED, str(nothing))
        except Exception as defect:  # noqa: BLE001 - a performer never raises, whatever happens
            # Told with its traceback, but not by the logger's own means: a message may have a key.
            self._say("".join(traceback.format_exception(defect)))
            began = self._request is not None
            kind = Trouble.MALFORMED if began else Trouble.REJECTED
            self._fail(kind, f"{type(defect).__name__}: {defect}")

    def stop(self) -> None:
        """Report what was written by now, unless all is told; the caller cancels `run`."""
        written = () if self._ask.purpose == "summary" else self._voice.partial()
        self._report(ModelStopped(self._ask.request, written))

    # -- what the voice tells -------------------------------------------------------------------

    def began(self) -> None:
        """The provider took the request: the next one is compared with it."""
        if isinstance(self._request, Draft):
            self._request.tape.sent(self._request.hashes)

    def hear(self, heard: Sequence[Heard]) -> None:
        """Show it to whoever follows. A summary is not part of what is said."""
        if not self.reported and self._ask.purpose == "answer":
            self._telling.hear(heard)

    def done(self, answer: Answer) -> None:
        """Report it."""
        request, asked = self._request, self._ask.request
        match request:
            case Draft():
                report = ModelAnswered(
                    asked,
                    answer.written,
                    answer.stop,
                    answer.usage,
                    request.note,
                    self._clock() - self._since,
                )
                self._report(report)
            case SummaryDraft():
                self._summed_up(request, answer)
            case None:
                raise AssertionError("nothing was asked")

    async def _drafted(self) -> Request:
        tapes, encoding = self._tapes, self._voice.encoding
        if self._ask.purpose == "summary":
            return await summary_draft(tapes.reading, self._session, self._ask, encoding)
        return await tapes.draft(self._session, self._ask, encoding)

    def _summed_up(self, request: SummaryDraft, answer: Answer) -> None:
        # Nothing is done by someone who was asked to sum up; they may have something remembered.
        notes = tuple(one.text for one in answer.written if one.name == ADD_KNOWLEDGE)[:MOST_NOTES]
        texts = [str(one.text) for one in answer.written if not one.name and not one.thinking]
        summary = "\n\n".join(texts).strip()
        if answer.stop is StopReason.REFUSAL:
            self._fail(Trouble.REJECTED, "the model would not sum the conversation up")
        elif not summary:
            self._fail(Trouble.MALFORMED, "the model wrote no summary")
        else:
            made = SummaryMade(self._ask.request, summary, request.keeps, answer.usage, notes)
            self._report(made)

    def _fail(
        self,
        trouble: Trouble,
        message: str,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        if self.reported:
            return
        whole = without(f"{self._ask.choice.name}: {message}", self._voice.secrets)
        self._say(whole)
        self._report(ModelFailed(self._ask.request, trouble, whole, status, retry_after))

    def _say(self, text: str) -> None:
        hidden = without(text, self._voice.secrets)
        _said.warning("%s of %s: %s", self._ask.request, self._session, hidden)

    def _report(self, report: Report) -> None:
        if self.reported:
            return
        self.reported = True
        if isinstance(report, ModelFailed):
            self._telling.forget()
        else:
            self._telling.tell()
        self._stage.report(report)
