"""The prompt: always there, whatever runs; everything else is shown above it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Final, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, to_formatted_text
from prompt_toolkit.history import DummyHistory, History
from prompt_toolkit.input import Input
from prompt_toolkit.lexers import DynamicLexer, Lexer
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from hearth.clients.repl.commands import is_command
from hearth.clients.repl.completing import SessionCompleter
from hearth.clients.repl.entered import Answered, Left, Typed
from hearth.clients.repl.hinting import Hints
from hearth.clients.repl.host import Question
from hearth.clients.repl.keyboard import Keyboard
from hearth.clients.repl.keys import Speaking, bindings
from hearth.clients.repl.messages import is_bare, is_message
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.standing import Standing, toolbar
from hearth.clients.repl.suggesting import Suggesting
from hearth.clients.repl.tailing import tail
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion as Proposal

PROMPT: Final = ">>> "
SPEAKING: Final = "ask "
"""The prompt of a line that is for the agent."""
CONTINUED: Final = "... "
TICK: Final = 0.5
"""Seconds between two looks at the clock while a cell runs."""
ROOM_FOR_MENU: Final = 6

_STYLE: Final = Style.from_dict(
    {
        "prompt": "ansigreen bold",
        "speaking": "ansimagenta bold",
        "bottom-toolbar": "noreverse ansibrightblack",
        "hint": "ansicyan",
        "completion-menu.completion": "bg:ansibrightblack ansiwhite",
        "completion-menu.completion.current": "bg:ansicyan ansiblack",
        "completion-menu.meta.completion": "bg:ansibrightblack ansiwhite",
        "completion-menu.meta.completion.current": "bg:ansicyan ansiblack",
        "auto-suggestion": "ansibrightblack",
    }
)


class Controls(Protocol):
    """What the prompt shows, and what its keys do."""

    def standing(self) -> Standing:
        """How the session stands."""

    def live(self) -> str:
        """The line that a cell is just writing."""

    def is_python(self) -> bool:
        """Whether what is typed is Python."""

    def session_names(self) -> Sequence[str]:
        """The sessions that are known."""

    def epoch(self) -> object:
        """Another one whenever the names of the session may be others."""

    def interrupt(self, *, is_empty: bool = True) -> bool:
        """Stop what runs; False if nothing does, or what is typed is rather to be cleared."""

    async def complete(self, code: str, cursor: int) -> Sequence[Proposal]:
        """What could stand at the cursor."""

    async def inspect(self, code: str, cursor: int) -> Inspection | None:
        """What stands there."""


class _Put(Exception):
    """The prompt gives way to another."""


class _Ended(Exception):
    """A signal came."""


class Terminal:
    """Reads what is typed, and writes above it."""

    def __init__(  # noqa: PLR0913 - what a terminal is made of, by name
        self,
        controls: Controls,
        history: History,
        paint: Paint,
        *,
        vi: bool = False,
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        self._controls = controls
        self._paint = paint
        self._source = source
        self._lexer: Lexer | None = None
        self._speaking = Speaking()
        self._draft = ""
        self._question: Question | None = None
        self._is_over = False
        self._writing = asyncio.Lock()
        self._ticking: asyncio.Task[None] | None = None
        completer = SessionCompleter(
            controls.complete, controls.session_names, controls.epoch, self._queued
        )
        self._hints = Hints(controls.inspect, self.refresh)
        colours = None if paint.colour else ColorDepth.DEPTH_1_BIT
        self._session: PromptSession[str] = PromptSession(
            self._message,
            multiline=True,
            editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
            lexer=DynamicLexer(self._lexer_now),
            completer=completer,
            complete_while_typing=False,  # see `Suggesting`: not at every key
            reserve_space_for_menu=ROOM_FOR_MENU,
            auto_suggest=AutoSuggestFromHistory() if paint.colour else None,
            history=history,
            style=_STYLE,
            color_depth=colours,
            include_default_pygments_style=True,
            prompt_continuation=CONTINUED,
            bottom_toolbar=self._toolbar,
            key_bindings=bindings(controls.is_python, self._interrupt, self._speaking),
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".py",
            input=source,
            output=target,
        )
        self._session.default_buffer.on_text_changed += lambda buffer: self._hints.look(
            "" if self._speaks() else buffer.document.text_before_cursor
        )
        self._suggesting = Suggesting(completer.knows, lambda: self._session.app.is_running)
        self._session.default_buffer.on_text_insert += self._suggesting.typed
        self._asking: PromptSession[str] = PromptSession(
            history=DummyHistory(),  # an answer may be a password
            color_depth=colours,
            style=_STYLE,
            key_bindings=bindings(None, self._interrupt),
            input=source,
            output=target,
        )

    # -- reading ----------------------------------------------------------------------------------

    async def read(self) -> Typed | Answered | Left:
        """What the person does next. Who answers a question comes back to what they had typed."""
        while not self._is_over:
            question = self._question
            try:
                if question is None:
                    begin = self._draft or self._speaking.beginning
                    text = await self._prompted(self._session, default=begin)
                    self._draft = ""
                    return Typed(text)
                began = asyncio.get_running_loop().time()
                text_or_none = await self._answer_to(question)
                took = asyncio.get_running_loop().time() - began
                return Answered(question, text_or_none, took)
            except _Put:
                continue
            except EOFError:
                return Left()
            except _Ended:
                break
        return Left()

    async def _answer_to(self, question: Question) -> str | None:
        try:
            return await self._prompted(
                self._asking,
                message=clean(question.prompt, colour=False),
                is_password=question.password,
            )
        except EOFError:
            return None
        finally:
            if self._question is question:
                self._question = None

    async def _prompted(self, session: PromptSession[str], **said: object) -> str:
        session.app.erase_when_done = False
        prompting: Callable[..., Awaitable[str]] = session.prompt_async
        return await prompting(handle_sigint=False, set_exception_handler=False, **said)

    def end(self) -> None:
        """Let go of the terminal: nothing more is read."""
        self._is_over = True
        self._put_aside(_Ended())

    def highlight(self, lexer: Lexer) -> None:
        """From now on, code is shown in colours."""
        if self._paint.colour:
            self._lexer = lexer
            self.refresh()

    # -- what is shown ----------------------------------------------------------------------------

    async def write(self, text: str) -> None:
        """Show whole lines above the prompt. Fit for the terminal already: nothing is escaped."""
        async with self._writing:
            with self._source.held() if isinstance(self._source, Keyboard) else nullcontext():
                await run_in_terminal(lambda: self._put(text))

    def refresh(self) -> None:
        """Draw the prompt anew, and go on doing so while a cell runs."""
        for session in (self._session, self._asking):
            if session.app.is_running:
                session.app.invalidate()
        if self._ticking is None and self._is_running():
            self._ticking = asyncio.get_running_loop().create_task(self._tick())

    def ask(self, question: Question | None) -> None:
        """Put a question to the person; None when it is no longer open.

        One that hearth asks waits until they have entered what they are typing: what is meant for
        the prompt must not answer it.
        """
        is_typing = self._session.app.is_running
        self._question = question
        if is_typing and question is None:
            return  # it was not put yet
        if is_typing and question is not None:
            typed = self._session.default_buffer.text
            if question.about and not is_bare(typed):
                return
            self._draft = typed
        self._put_aside(_Put())

    def close(self) -> None:
        """End what was begun here."""
        self._suggesting.close()
        self._hints.close()
        if self._ticking is not None:
            self._ticking.cancel()

    def _put_aside(self, why: Exception) -> None:
        for session in (self._session, self._asking):
            if session.app.is_running and not session.app.is_done:
                session.app.erase_when_done = isinstance(why, _Put)
                session.app.exit(exception=why)

    def _put(self, text: str) -> None:
        output = self._session.output
        output.enable_autowrap()
        output.write_raw(f"{text}\n")
        try:
            output.flush()
        except OSError:
            self.end()  # the terminal is gone, and the person with it

    def _is_running(self) -> bool:
        now = self._controls.standing().now
        return now is not None and (now.running is not None or now.turn is not None)

    def _lexer_now(self) -> Lexer | None:
        """Only code is shown in colours."""
        text = self._session.default_buffer.text
        is_line = is_command(text) and "\n" not in text  # variants that are tried are code
        return None if is_message(text) or is_line else self._lexer

    def _queued(self) -> Sequence[str]:
        """The messages that wait for the agent."""
        now = self._controls.standing().now
        return () if now is None else [one.message for one in now.talk.queue]

    def _speaks(self) -> bool:
        """Whether what is typed is for the agent."""
        return is_message(self._session.default_buffer.text)

    async def _tick(self) -> None:
        while self._is_running():
            await asyncio.sleep(TICK)
            for session in (self._session, self._asking):
                session.app.invalidate()
        self._ticking = None

    def _message(self) -> AnyFormattedText:
        live = "" if self._session.app.is_done else self._controls.live()
        width = self._session.output.get_size().columns - 1
        above = [*to_formatted_text(ANSI(tail(live, width))), ("", "\n")] if live else []
        sign = ("class:speaking", SPEAKING) if self._speaks() else ("class:prompt", PROMPT)
        return [*above, sign]

    def _toolbar(self) -> AnyFormattedText:
        line = toolbar(self._controls.standing(), datetime.now(UTC), self._paint)
        hint = self._hints.text
        return [*([("class:hint", f"{hint}\n")] if hint else []), ("", line)]

    def _interrupt(self, is_empty: bool) -> bool:  # noqa: FBT001 - a key's one answer
        return self._controls.interrupt(is_empty=is_empty)
