"""Asks models, and stops asking them."""

import asyncio
import time
from collections.abc import Callable

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import RequestId, SessionId
from hearth.core.vocabulary.lines import Dialect
from hearth.core.vocabulary.modelling import (
    AskModel,
    ModelFailed,
    ModelStopped,
    StopAsking,
    Trouble,
)
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.reports import EffectFailed
from hearth.performers.language_model.asking import Asking
from hearth.performers.language_model.codec import Codec
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.reading import Fetch, Read, Reading
from hearth.performers.language_model.requesting import Requesting
from hearth.performers.language_model.scripted import Pause, ScriptedVoice
from hearth.performers.language_model.tape import Tapes
from hearth.performers.language_model.voices import Voice, WireVoice
from hearth.performers.language_model.wires import codec_for


class Models:
    """Carries out AskModel and StopAsking. One report for each request, and it never raises."""

    effects: frozenset[type[Effect]] = frozenset({AskModel, StopAsking})

    def __init__(  # noqa: PLR0913 - three it needs, and by keyword what tests bring
        self,
        read: Read,
        fetch: Fetch,
        keys: Keys,
        *,
        clock: Callable[[], float] | None = None,
        requesting: Requesting | None = None,
        codecs: Callable[[Dialect], Codec] = codec_for,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """`clock` counts seconds, from whenever; `pause` is how the scripted model waits."""
        self._keys = keys
        self._tapes = Tapes(Reading(read, fetch))
        self._clock = clock or time.monotonic
        self._requesting = requesting or Requesting()
        self._codecs = codecs
        self._pause = pause
        self._asking: dict[tuple[SessionId, RequestId], tuple[Asking, asyncio.Task[None]]] = {}

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Begin a request, or give one up. Returns at once; the report comes when it comes."""
        match effect:
            case AskModel():
                self._begin(session, effect, stage)
            case StopAsking():
                self._stop(session, effect, stage)
            case _:
                stage.report(EffectFailed(effect, "nobody here can do this"))

    async def warm(self) -> None:
        """Do what the first request would wait for, when there is time."""
        await self._requesting.warm()

    async def close(self) -> None:
        """Give up every request without a word, and close all connections."""
        tasks = [task for _, task in self._asking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._requesting.close()
        await self._keys.close()

    def _begin(self, session: SessionId, ask: AskModel, stage: Stage) -> None:
        try:
            voice = self._voice(session, ask)
        except Exception as defect:  # noqa: BLE001 - a performer never raises, whatever happens
            why = f"{ask.choice.name}: {type(defect).__name__}: {defect}"
            stage.report(ModelFailed(ask.request, Trouble.REJECTED, why))
            return
        asking = Asking(session, ask, stage, self._tapes, voice, clock=self._clock)
        task = asyncio.get_running_loop().create_task(asking.run())
        here = session, ask.request
        self._asking[here] = asking, task
        task.add_done_callback(lambda _: self._forget(here, asking))

    def _stop(self, session: SessionId, stop: StopAsking, stage: Stage) -> None:
        asking, task = self._asking.get((session, stop.request), (None, None))
        if asking is None or task is None or asking.reported:
            stage.report(ModelStopped(stop.request))
            return
        asking.stop()  # before the connection is closed: whoever cancels does not wait for that
        task.cancel()

    def _voice(self, session: SessionId, ask: AskModel) -> Voice:
        if ask.choice.dialect is Dialect.SCRIPTED:
            return ScriptedVoice(ask.choice.model, self._keys.directory(session), self._pause)
        return WireVoice(session, self._codecs(ask.choice.dialect), self._keys, self._requesting)

    def _forget(self, here: tuple[SessionId, RequestId], asking: Asking) -> None:
        if here in self._asking and self._asking[here][0] is asking:
            del self._asking[here]
