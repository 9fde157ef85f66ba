"""Prepares a turn: which model, told what, with which tools and within which limits."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

from hearth.core.rules.tooling import ADD_KNOWLEDGE
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.lines import Instruction, ModelChoice, Prefix, TurnLimits
from hearth.core.vocabulary.modelling import PrefixFailed, PrefixPrepared, PreparePrefix
from hearth.core.vocabulary.performing import Stage
from hearth.performers.prefix.choosing import NoModel, choose
from hearth.performers.prefix.knowledge import Knowledge, KnowledgeUnusable, told
from hearth.performers.prefix.system_text import joined, manifest, system_text
from hearth.performers.tools.registry import Offered, Registry
from hearth.performers.tools.tool import Scene, directory_of, project_of
from hearth.settings.agents import AgentSettings
from hearth.settings.instructions import InstructionFile, find_instructions

LiveNames: TypeAlias = Callable[[SessionId], Awaitable[tuple[str, ...]]]
"""What lives in a session's interpreter, each as `name: type`."""

PATIENCE: Final = 5.0
"""Seconds that the interpreter has to tell its names; a turn goes on without them."""
MOST_SESSIONS: Final = 500

_said = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Known:
    """What was found where the session works."""

    settings: AgentSettings
    files: tuple[InstructionFile, ...]
    offered: Offered
    knowledge: str
    warnings: tuple[str, ...]


class Prefixes:
    """Carries out PreparePrefix.

    `settings` says what holds in a directory ("" for a session without a project), `tools` what
    agents may call there. Both are asked in a thread. Long results of tools are kept below
    `spill_folder`; without one they are not kept.
    """

    effects: frozenset[type[fx.Effect]] = frozenset({PreparePrefix})

    def __init__(
        self,
        settings: Callable[[str], AgentSettings],
        tools: Registry,
        live_names: LiveNames | None = None,
        *,
        spill_folder: str = "",
        patience: float = PATIENCE,
    ) -> None:
        self._settings = settings
        self._tools = tools
        self._live_names = live_names
        self._spill_folder = spill_folder
        self._patience = patience
        self._warned: OrderedDict[SessionId, set[str]] = OrderedDict()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Prepare a turn. Never raises: what is missing is told as the reason."""
        if not isinstance(effect, PreparePrefix):
            stage.report(r.EffectFailed(effect, "this is no turn to prepare"))
            return
        try:
            prepared = await self._prepared(session, effect)
        except NoModel as missing:
            stage.report(PrefixFailed(effect.turn, str(missing)))
        except Exception as defect:  # noqa: BLE001 - a performer never raises
            _said.exception("a turn of %s could not be prepared", session)
            why = f"the turn could not be prepared: {type(defect).__name__}: {defect}"
            stage.report(PrefixFailed(effect.turn, why))
        else:
            stage.report(prepared)

    async def close(self) -> None:
        """Nothing is held between two turns but which warnings were told."""

    async def _prepared(self, session: SessionId, effect: PreparePrefix) -> PrefixPrepared:
        scene, settings = await asyncio.to_thread(self._place, session, effect)
        choice = choose(effect.model or settings.model, effect.effort, settings)
        scene = replace(scene, agent=choice.name)
        prepared = await self._tools.prepare(scene)
        known = await asyncio.to_thread(self._look, scene, settings, project_of(effect.config))
        names = await self._names(session) if effect.with_names else ()
        return PrefixPrepared(
            turn=effect.turn,
            choice=choice,
            prefix=_prefix(choice, known, names),
            limits=self._limits(known),
            warnings=self._untold(session, (*known.warnings, *prepared)),
        )

    def _place(self, session: SessionId, effect: PreparePrefix) -> tuple[Scene, AgentSettings]:
        """Where the session works, and what holds there. May wait for the disk."""
        project = project_of(effect.config)
        settings = self._settings(project)
        root = settings.root if project else ""
        return Scene(session, directory_of(effect.config), root), settings

    def _look(self, scene: Scene, settings: AgentSettings, project: str) -> _Known:
        """Read whatever is needed. May wait for the disk."""
        files = find_instructions(Path(project)) if project else ()
        warnings = list(_warnings(files, settings))
        knowledge = ""
        if scene.root and settings.remembers:
            try:
                knowledge = told(Knowledge(Path(scene.root)).notes(), settings.injection_budget)
            except KnowledgeUnusable as error:
                warnings.append(f"what agents noted about this project cannot be read: {error}")
        return _Known(
            settings=settings,
            files=files if settings.trusted else (),
            offered=self._tools.offered(scene),
            knowledge=knowledge,
            warnings=tuple(warnings),
        )

    async def _names(self, session: SessionId) -> tuple[str, ...]:
        if self._live_names is None:
            return ()
        try:
            async with asyncio.timeout(self._patience):
                return await self._live_names(session)
        except Exception as error:  # noqa: BLE001 - the names are a help; a turn can do without
            _said.warning("the names of %s cannot be told: %r", session, error)
            return ()

    def _limits(self, known: _Known) -> TurnLimits:
        settings = known.settings
        return TurnLimits(
            max_steps=settings.max_steps,
            max_retries=settings.max_retries,
            compaction=settings.compaction,
            reserve_tokens=settings.reserve_tokens,
            keep_recent_tokens=settings.keep_recent_tokens,
            spill_folder=self._spill_folder,
            # Nobody is reminded of what cannot be done.
            nudge_interval=settings.nudge_interval if ADD_KNOWLEDGE in known.offered.names else 0,
        )

    def _untold(self, session: SessionId, warnings: tuple[str, ...]) -> tuple[str, ...]:
        """The warnings that this session has not been told yet: once is enough."""
        before = self._warned.setdefault(session, set())
        self._warned.move_to_end(session)
        if len(self._warned) > MOST_SESSIONS:
            self._warned.popitem(last=False)
        new = tuple(one for one in warnings if one not in before)
        # What is well again may be told anew when it is not.
        before.clear()
        before.update(warnings)
        return new


def _prefix(choice: ModelChoice, known: _Known, names: tuple[str, ...]) -> Prefix:
    """The bytes before all messages.

    The digest is over what must not wait: when it changes, a new prefix begins and the provider's
    cache with it. What is noted and which names live is told whenever a prefix begins, and is no
    reason to begin one.
    """
    lasting = system_text(known.settings, known.files, known.offered.switched_off)
    whole = f"{lasting}\0{known.offered.declarations}\0{choice.name}\0{choice.dialect}"
    return Prefix(
        system=joined(lasting, known.knowledge, manifest(names)),
        tools=known.offered.declarations,
        read_only=known.offered.read_only,
        digest=sha256(whole.encode("utf-8", "replace")).hexdigest(),
        instructions=tuple(
            Instruction(one.path, one.sha256, one.size, one.truncated) for one in known.files
        ),
        switched_off=known.offered.switched_off,
    )


def _warnings(files: tuple[InstructionFile, ...], settings: AgentSettings) -> Iterator[str]:
    if files and not settings.trusted:
        names = ", ".join(one.path for one in files)
        verb = "is" if len(files) == 1 else "are"
        yield (
            f"{names} {verb} not told to the agent, because the project in {settings.root} is not "
            "trusted yet; `hearth trust` trusts it"
        )
        return
    for one in files:
        if one.truncated:
            yield f"{one.path} is too long: the agent is told its first part only"
