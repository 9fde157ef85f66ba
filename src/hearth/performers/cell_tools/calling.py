"""Has tools called for code in interpreters: judged, run, cleaned of secrets, and told of."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from hearth.core.rules.cell_calls import Caller, Said, allowed_once, said_to
from hearth.core.vocabulary.ids import CallId, CellId, SessionId
from hearth.core.vocabulary.judging import JudgeCall
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.performers.cell_tools import answers
from hearth.performers.cell_tools.answers import FAILED, NOT_ALLOWED, NOT_AVAILABLE, Definition
from hearth.performers.tools.tool import Keep, Scene, Tool, directory_of, root_of, unkept

LONGEST_TOLD: Final = 1000
"""Of what a tool was given, in the log."""
STOPPED: Final = "nobody waited for it any more; what it did until then is not undone"

_said = logging.getLogger(__name__)


class Servers(Protocol):
    """The MCP servers of sessions."""

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Have what they offer known, within bounds; sentences of what is wrong."""

    def catalogue(self, scene: Scene) -> Mapping[str, Sequence[Definition]]:
        """What each of them offers, as far as it is known. May wait for the disk."""

    def tool(self, name: str, scene: Scene) -> Tool | None:
        """A tool as agents have it, by its full name. May wait for the disk."""


class Finding(Protocol):
    """What was found out about a call."""

    @property
    def judged(self) -> tuple[Judged, ...]:
        """What it needs, and what rules and grants say to that."""

    @property
    def problem(self) -> str:
        """Why it cannot be run at all, whoever allows it."""


Judge: TypeAlias = Callable[[SessionId, JudgeCall], Finding]
"""What rules and grants for always say to a call. May wait for the disk."""
Whose: TypeAlias = Callable[[SessionId, CellId | None, bool], Caller | None]
"""Who calls from this cell, in an interpreter that is contained or not; None: no such session."""
Fetch: TypeAlias = Callable[[str], Awaitable[bytes]]


@dataclass(slots=True)
class Used:
    """What is told of one call."""

    name: str
    verdict: Verdict = Verdict.DENY
    arguments: str = ""
    by: str = ""
    error: str = ""
    ask: str = ""
    """What a person was asked, if one was."""
    began: float = field(default_factory=time.monotonic)

    @property
    def duration(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self.began


@dataclass(frozen=True, slots=True)
class Answered:
    """What a person said to a call."""

    allowed: bool
    why: str = ""


Ask: TypeAlias = Callable[[Used, str, tuple[Judged, ...]], Awaitable[Answered]]
"""Asks a person about a call with these arguments, and waits for the answer."""


@dataclass(frozen=True, slots=True)
class Calling:
    """Where a question comes from."""

    session: SessionId
    cell: CellId | None
    """The cell that says that it asks."""
    contained: bool
    tell: Callable[[Used], None]
    """Is told of each call, before its answer is sent."""
    ask: Ask


class ToolsInCells:
    """Answers what code asks about tools. It never raises."""

    def __init__(  # noqa: PLR0913 - each is a part of its own, by keyword
        self,
        servers: Servers,
        *,
        judge: Judge,
        whose: Whose,
        clean: Callable[[str], str],
        fetch: Fetch,
        keep: Keep = unkept,
    ) -> None:
        """`clean` takes out what nobody may see; pictures are kept and then fetched."""
        self._servers = servers
        self._judge = judge
        self._whose = whose
        self._clean = clean
        self._fetch = fetch
        self._keep = keep

    async def answer(self, calling: Calling, question: Mapping[str, Any]) -> bytes:
        """Answer one question: which tools there are, or what one comes to."""
        caller = self._whose(calling.session, calling.cell, calling.contained)
        if caller is None:
            return answers.problem(NOT_AVAILABLE, "this interpreter belongs to no session")
        match question:
            case {"ask": "catalogue"}:
                return await self._catalogue(calling, caller)
            case {
                "ask": "call",
                "server": str(server),
                "tool": str(tool),
                "arguments": dict(arguments),
            }:
                used = Used(f"{server}__{tool}"[:200])
                try:
                    return await self._call(calling, caller, used, (server, tool, arguments))
                except asyncio.CancelledError:
                    used.error = STOPPED
                    raise
                finally:
                    calling.tell(used)
            case _:
                text = "a question asks for the catalogue, or for a call of a tool of a server"
                return answers.problem(NOT_AVAILABLE, text)

    async def _catalogue(self, calling: Calling, caller: Caller) -> bytes:
        try:
            scene = await asyncio.to_thread(self._scene, calling, caller)
            problems = await self._servers.prepare(scene)
            return await asyncio.to_thread(
                lambda: answers.listed(self._servers.catalogue(scene), problems, self._clean)
            )
        except Exception as defect:  # noqa: BLE001 - code gets an answer, whatever happens
            _said.exception("the tools of %s could not be listed", calling.session)
            return answers.problem(NOT_AVAILABLE, f"they cannot be listed: {_what(defect)}")

    async def _call(
        self,
        calling: Calling,
        caller: Caller,
        used: Used,
        wanted: tuple[str, str, dict[str, Any]],
    ) -> bytes:
        server, tool, arguments = wanted
        try:
            scene = await asyncio.to_thread(self._scene, calling, caller)
            used.error = await self._unknown(scene, server, tool)
            if used.error:
                return answers.problem(NOT_AVAILABLE, used.error)
            found = await self._allowed(calling, caller, used, arguments)
            if isinstance(found, str):
                used.error = found
                return answers.problem(FAILED, found)
            said, needs = found
            used.verdict, used.by = said.verdict, said.by
            if said.verdict is not Verdict.ALLOW:
                used.error = _why_not(used.name, said, caller)
                return answers.problem(NOT_ALLOWED, used.error)
            scene = replace(scene, needs=needs)
            callee = await asyncio.to_thread(self._servers.tool, used.name, scene)
            if callee is None:
                used.error = _missing(server, tool, {server: ()}, ())
                return answers.problem(NOT_AVAILABLE, used.error)
            outcome = await callee.run(arguments, scene)
            if outcome.is_error:
                used.error = outcome.text[:LONGEST_TOLD]
            pictures = [(one.media_type, await self._fetch(one.sha256)) for one in outcome.pictures]
            return await asyncio.to_thread(answers.given, outcome, pictures, self._clean)
        except Exception as defect:  # noqa: BLE001 - code gets an answer, whatever happens
            _said.exception("%s of %s could not be called from code", used.name, calling.session)
            used.error = f"{used.name} could not be called: {_what(defect)}"
            return answers.problem(FAILED, used.error)

    async def _unknown(self, scene: Scene, server: str, tool: str) -> str:
        """Why there is no such tool; "" if there is one. What is not known yet is looked for."""
        known = await asyncio.to_thread(self._servers.catalogue, scene)
        if _has(known, server, tool):
            return ""
        problems = await self._servers.prepare(scene)
        known = await asyncio.to_thread(self._servers.catalogue, scene)
        return "" if _has(known, server, tool) else _missing(server, tool, known, problems)

    def _scene(self, calling: Calling, caller: Caller) -> Scene:
        """Where the tool is run. May wait for the disk."""
        config = caller.config
        return Scene(
            calling.session,
            directory_of(config),
            root_of(config),
            agent=caller.agent,
            keep=self._keep,
        )

    async def _allowed(
        self, calling: Calling, caller: Caller, used: Used, arguments: dict[str, Any]
    ) -> tuple[Said, tuple[Need, ...]] | str:
        """What is said to the call, by rules or by a person, and to what of it.

        Or why it cannot be run at all.
        """
        written = msgspec.json.encode(arguments).decode()
        shown = await asyncio.to_thread(self._clean, written)
        used.arguments = shown if len(shown) <= LONGEST_TOLD else f"{shown[: LONGEST_TOLD - 1]}…"
        found = await asyncio.to_thread(self._judged, calling, caller, used, written)
        if found.problem:
            return found.problem
        said = said_to(caller, found.judged)
        if said.verdict is not Verdict.ASK or not caller.can_ask:
            return said, _needs(found)
        answer = await calling.ask(used, written, found.judged)
        if not answer.allowed:
            return Said(Verdict.DENY, answer.why or said.by), ()
        # Hours may have passed: it is run only if it needs what the person was shown.
        again = await asyncio.to_thread(self._judged, calling, caller, used, written)
        if again.problem:
            return again.problem
        now = self._whose(calling.session, calling.cell, calling.contained) or caller
        return said_to(allowed_once(now, found.judged), again.judged), _needs(again)

    def _judged(self, calling: Calling, caller: Caller, used: Used, written: str) -> Finding:
        """What rules and grants for always say to the call. May wait for the disk."""
        effect = JudgeCall(
            call=CallId(""),
            name=used.name,
            arguments=written,
            config=caller.config,
            agent=caller.agent,
            keep=False,
        )
        return self._judge(calling.session, effect)


def _needs(found: Finding) -> tuple[Need, ...]:
    return tuple(one.need for one in found.judged)


def _has(known: Mapping[str, Sequence[Definition]], server: str, tool: str) -> bool:
    return any(one.name == tool for one in known.get(server, ()))


def _missing(
    server: str, tool: str, known: Mapping[str, Sequence[Definition]], problems: Sequence[str]
) -> str:
    if server in known:
        return f"{server} has no tool {tool[:100]!r} now"
    told = "".join(f"; {one}" for one in problems)
    return f"no MCP server {server[:100]!r} is set up for this session now{told}"


def _why_not(name: str, said: Said, caller: Caller) -> str:
    """For whoever reads the exception: what is asked for, and how it is got."""
    if said.verdict is Verdict.DENY:
        return f"{name} was not run, because it is not allowed: {said.by}"
    ways = 'a person can allow it by a rule ("permissions" in hearth.jsonc)'
    if caller.agent:
        ways = f"call the tool {name} itself, which asks; or {ways}"
    return (
        f"{name} was not run: a person must allow it first, and nobody can be asked for this "
        f"cell. It needs: {said.by}. What helps: {ways}"
    )


def _what(defect: Exception) -> str:
    return f"{type(defect).__name__}: {defect}"[:500]
