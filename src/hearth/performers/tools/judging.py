"""Finds out what a call needs and what rules and grants say to it. Nothing is run here."""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from msgspec.structs import replace

from hearth.core.rules.recording import NOT_STORED
from hearth.core.rules.tooling import KEEP_VARIANT, TRY_CODE, UNDO_CODE
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import CallJudged, GrantStored, JudgeCall, StoreGrant
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import Grant, Judged, Kept, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Scene, Wanted, directory_of, root_of
from hearth.settings.permissions import PermissionSettings

MOST_SESSIONS: Final = 500
PATIENCE: Final = 2.0
"""Seconds that a judgement waits for one before it, which may hang on a disk that is gone."""

Settings: TypeAlias = Callable[[str, str], PermissionSettings]
"""What holds in a directory for an agent. May wait for the disk."""
Places: TypeAlias = Callable[[Scene], Place]
JudgeCode: TypeAlias = Callable[[str, SessionConfig, Place], Wanted]
"""What it takes to run code in the interpreter of a session."""

_said = logging.getLogger(__name__)


class Grants(Protocol):
    """What people allowed for always."""

    def for_root(self, root: str) -> tuple[Grant, ...]:
        """What holds in a project."""

    def allow(self, effect: StoreGrant, session: SessionId, root: str) -> None:
        """Remember what was allowed. OSError, ValueError."""


class Keeps(Protocol):
    """Keeps the files of a project as they are."""

    async def keep(self, root: str) -> Kept:
        """Keep them now; the error says why that cannot be done."""

    def left_out(self, root: str) -> tuple[str, ...]:
        """What of them could not be kept the last time, in sentences."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a call before files are kept."""

    judged: tuple[Judged, ...] = ()
    may_change: bool = False
    problem: str = ""
    root: str = ""


class Judging:
    """Carries out JudgeCall and StoreGrant."""

    effects: frozenset[type[fx.Effect]] = frozenset({JudgeCall, StoreGrant})

    def __init__(  # noqa: PLR0913 - each is a part of its own, by keyword
        self,
        registry: Registry,
        settings: Settings,
        *,
        places: Places,
        grants: Grants,
        files: Keeps,
        code: Mapping[str, JudgeCode],
    ) -> None:
        """`code` judges the tools of the session itself that run code, by their names."""
        self._registry = registry
        self._settings = settings
        self._places = places
        self._grants = grants
        self._files = files
        self._code = code
        self._storing = asyncio.Lock()
        self._newest: dict[SessionId, asyncio.Event] = {}
        """Set once the newest call that is judged was reported."""
        self._told: OrderedDict[SessionId, str] = OrderedDict()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Judge a call, or remember a grant. Never raises."""
        match effect:
            case JudgeCall():
                await self._judge_in_order(session, effect, stage)
            case StoreGrant():
                stage.report(await self._stored(session, effect))
            case _:
                stage.report(r.EffectFailed(effect, "this is no call to be judged"))

    async def close(self) -> None:
        """Nothing is held."""

    async def _judge_in_order(self, session: SessionId, effect: JudgeCall, stage: Stage) -> None:
        """Judge beside others, and report behind those that came before: so people are asked."""
        before, done = self._newest.get(session), asyncio.Event()
        self._newest[session] = done
        try:
            report = await self._report(session, effect)
            if before is not None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(before.wait(), PATIENCE)
            stage.report(report)
        finally:
            done.set()
            if self._newest.get(session) is done:
                del self._newest[session]

    async def _stored(self, session: SessionId, effect: StoreGrant) -> GrantStored:
        async with self._storing:
            try:
                await asyncio.to_thread(
                    lambda: self._grants.allow(effect, session, root_of(effect.config))
                )
            except Exception as error:  # noqa: BLE001 - a performer never raises
                # The call goes on, for it was allowed; the next one of its kind is asked for again.
                _said.exception("what was allowed for always could not be stored")
                return GrantStored(effect.approval, f"{NOT_STORED}: {error}")
        return GrantStored(effect.approval)

    async def _report(self, session: SessionId, effect: JudgeCall) -> CallJudged:
        async with self._storing:
            pass  # what was allowed before counts
        report = await self._judge(session, effect)
        is_code = effect.name in self._code and not report.problem
        return replace(
            report,
            keep=effect.keep and report.keep,
            arguments=effect.arguments if is_code else "",
        )

    async def _judge(self, session: SessionId, effect: JudgeCall) -> CallJudged:
        try:
            found = await asyncio.to_thread(self.found, session, effect)
        except Exception as defect:  # noqa: BLE001 - what cannot be judged is not run
            _said.exception("%s of %s could not be judged", effect.name, session)
            why = f"{type(defect).__name__}: {defect}"[:500]
            return CallJudged(effect.call, problem=f"Not run: it cannot be judged: {why}")
        if found.problem:
            return CallJudged(effect.call, problem=found.problem)
        denied = any(one.verdict is Verdict.DENY for one in found.judged)
        if not found.may_change or not effect.keep or denied or not found.root:
            return CallJudged(effect.call, found.judged)
        if effect.none_granted and any(one.verdict is Verdict.ASK for one in found.judged):
            return CallJudged(effect.call, found.judged, keep=False)  # whoever is asked comes first
        return await self._kept(session, effect, found)

    async def _kept(self, session: SessionId, effect: JudgeCall, found: Found) -> CallJudged:
        try:
            kept = await self._files.keep(found.root)
        except Exception as error:  # noqa: BLE001 - the call goes on; people are told
            notice = f"the files of the project are not kept before this change: {error}"
            return CallJudged(effect.call, found.judged, notice=self._untold(session, notice))
        notice = self._untold(session, " ".join(self._files.left_out(found.root)))
        return CallJudged(effect.call, found.judged, kept, notice=notice)

    def _untold(self, session: SessionId, notice: str) -> str:
        """The notice, unless it is what this session was told last."""
        if self._told.get(session, "") == notice:
            return ""
        self._told[session] = notice
        self._told.move_to_end(session)
        if len(self._told) > MOST_SESSIONS:
            self._told.popitem(last=False)
        return notice

    def found(self, session: SessionId, effect: JudgeCall) -> Found:
        """What the call needs and what is said to it. Waits for the disk."""
        config = effect.config
        root = root_of(config)
        scene = Scene(session, directory_of(config), root, call=effect.call, agent=effect.agent)
        try:
            wanted = self._wanted(effect, scene)
        except NotValid as wrong:
            text = f"The arguments of {effect.name} are not valid: {wrong}. Nothing was run."
            return Found(problem=text)
        if wanted.problem:
            return Found(problem=wanted.problem)
        settings = self._settings(scene.directory if root else "", effect.agent)
        grants = self._grants.for_root(root)
        judged = tuple(settings.judged(need, grants) for need in wanted.needs)
        return Found(judged, wanted.may_change, "", root)

    def _wanted(self, effect: JudgeCall, scene: Scene) -> Wanted:
        if isinstance(effect.arguments, Blob):
            raise NotValid("they are too long")
        if not self._registry.may_be_called(effect.name, scene):
            names = ", ".join(self._registry.offered(scene).names)
            return Wanted(problem=f"There is no tool {effect.name[:100]} here. There are: {names}.")
        if effect.name in _FREE:
            return Wanted()
        if (judge_code := self._code.get(effect.name)) is not None:
            place = self._places(scene)
            if effect.name == TRY_CODE:
                variants = parsed(effect.arguments, _VARIANTS)["variants"]
                return _all_of([judge_code(one, effect.config, place) for one in variants])
            arguments = parsed(effect.arguments, _CODE)
            return judge_code(arguments["code"], effect.config, place)
        tool = self._registry.tool(effect.name, scene)
        if tool is None:
            return Wanted(problem=f"Not run: nobody here can judge {effect.name}.")
        return tool.wants(parsed(effect.arguments, tool.input_schema), scene)


_CODE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "time_limit": {"type": "number"},
        "on_error": {"type": "string", "enum": ["keep", "undo"]},
    },
    "required": ["code"],
    "additionalProperties": False,
}
_VARIANTS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "variants": {"type": "array", "items": {"type": "string"}},
        "time_limit": {"type": "number"},
    },
    "required": ["variants"],
    "additionalProperties": False,
}
_FREE: Final = frozenset({KEEP_VARIANT, UNDO_CODE})
"""What needs nobody's permission: it chooses among what was allowed, and takes back."""


def _all_of(wanted: list[Wanted]) -> Wanted:
    """What several pieces of code need together."""
    problem = next((one.problem for one in wanted if one.problem), "")
    needs = tuple(dict.fromkeys(need for one in wanted for need in one.needs))
    return Wanted(needs, any(one.may_change for one in wanted), problem)
