"""What an agent's turn shows: text for people, the log's own lines for programs.

The answer goes to stdout, everything beside it to stderr. In a terminal the answer is shown while
it is written; in a pipe as it is stored, so that nothing of an attempt that failed is in it.
"""

from __future__ import annotations

import sys

from hearth.clients.cli.answer_text import AnswerText
from hearth.clients.cli.ask_notes import diffs, noted
from hearth.clients.cli.kept_texts import beginning_of, size_of, whole
from hearth.clients.cli.live_output import MOST_LINES, LiveOutput
from hearth.clients.cli.markdown import harmless
from hearth.clients.cli.showing import DIM, RED, YELLOW, clean, first_line, painted, tell
from hearth.clients.cli.spinning import EACH, Spinner
from hearth.clients.cli.styled import styled
from hearth.clients.cli.tool_lines import SHELL, WRITING, call_line, result_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.kept_texts import Fetch

THOUGHT: Final = 76
"""Characters that are shown of what a model thinks."""
AT_ONCE: Final = 0.05
"""Seconds that are not worth telling."""
WAITS: Final = {
    "message_delivered": "the agent has heard it",
    "compaction_started": "making the conversation shorter",
    "turn_cancel_requested": "stopping",
}
"""What is waited for from an event on."""


class ForPrograms:
    """One JSON object per line, just as it came; or nothing at all."""

    def __init__(self, *, is_silent: bool = False) -> None:
        self.is_asking = False
        """What programs read stands elsewhere than the question."""
        self._is_silent = is_silent

    def event(self, envelope: dict[str, Any], raw: str) -> None:
        """This is in the log."""
        del envelope
        self._write(raw)

    def progress(self, progress: dict[str, Any], raw: str) -> None:
        """This is going on."""
        del progress
        self._write(raw)

    def tell(self, text: str) -> None:
        """A sentence beside it."""
        tell(text)

    def tick(self) -> float | None:
        """Nothing turns here."""
        return None

    def pause(self) -> None:
        """Nothing turns here."""

    def close(self) -> None:
        """Nothing comes any more."""

    def _write(self, raw: str) -> None:
        if raw and not self._is_silent:
            sys.stdout.write(raw + "\n")
            sys.stdout.flush()


class ForPeople:
    """Text as it comes, one line for each tool, and what else a person should know."""

    def __init__(
        self, fetch: Fetch, key: str = "", *, root: str = "", is_whole: bool = False
    ) -> None:
        """`fetch` gives the text that is kept under a hash; `key` the cause of what was asked.

        Files are called as in `root`. What is long is folded, unless all of it is wanted.
        """
        self.spinner = Spinner()
        self.is_asking = False
        """Whether a question stands in the last line: behind it, a new one begins."""
        self._root = root
        self._is_whole = is_whole
        self._live = LiveOutput(self._tell_output, 0 if is_whole else MOST_LINES)
        self._refused: set[str] = set()
        """Calls that a rule forbids: that was told with the rule."""
        self._below = ""
        """The call under whose line what it did to files stands, and nothing else yet."""
        self._was_task_told = False
        self._fetch = fetch
        self._key = key
        self._answer = AnswerText(self.spinner)
        self._thought = ""
        self._was_thought = False
        """Whether a line for what was thought in this answer is there."""
        self._calls: dict[str, str] = {}

    def event(self, envelope: dict[str, Any], raw: str) -> None:
        """This is in the log."""
        del raw
        event = envelope.get("event", {})
        kind = str(event.get("type"))
        if kind in WAITS:
            self.spinner.begin(WAITS[kind])
        match kind:
            case "model_asked":
                self._forget()
                is_answer = event.get("purpose") != "summary"
                self.spinner.begin("thinking" if is_answer else "summarising")
            case "retry_scheduled":
                self._again(event)
            case "block_sealed":
                self._block(event, envelope)
            case "tool_started":
                name = harmless(str(event.get("name", "")))
                self.spinner.begin(self._calls.get(str(event.get("call")), name))
            case "turn_finished":
                self.close()
            case "files_changed":
                self._changed(event)
            case _:
                if kind == "tool_refused":
                    self._refused.add(str(event.get("call")))
                self._was_task_told = self._was_task_told or kind == "task_changed"
                for line in styled(noted(kind, event, envelope), sys.stderr, ""):
                    self.tell(line)

    def progress(self, progress: dict[str, Any], raw: str) -> None:
        """This is going on."""
        del raw
        match progress.get("type"):
            case "text_delta":
                self._written(progress)
            case "thinking_delta":
                self._answer.pause()
                self._thought += str(progress.get("text", ""))
                self._wait(f"thinking: {_newest(self._thought)}")
            case "tool_call_forming":
                self._answer.pause()
                self._wait(f"writing a call of {progress.get('name', 'a tool')}")
            case "tool_output" if self.spinner.is_seen:
                call = str(progress.get("call"))
                self._live.heard(call, self._head(call), str(progress.get("text", "")))
            case "progress_dropped":
                self._answer.miss()
            case _:
                pass

    def tell(self, text: str) -> None:
        """A line beside the answer."""
        self._live.interrupted()
        self._tell(text)

    def _tell(self, text: str) -> None:
        self._answer.end_line()
        self.spinner.clear()
        self._leave_question()
        self._below = ""
        tell(text)

    def _leave_question(self) -> None:
        if self.is_asking:
            self.is_asking = False
            tell("")

    def _tell_output(self, line: str) -> None:
        self._tell(painted(DIM, line, sys.stderr))

    def tick(self) -> float | None:
        """Turn what turns; the seconds until it wants to be turned again, if it does."""
        if not self.spinner.is_turning or (self._answer.is_live and self._answer.is_open_line):
            return None
        self.spinner.turn()
        return EACH

    def pause(self) -> None:
        """Somebody is asked: nothing turns meanwhile, and what comes says again what it is."""
        self.spinner.stop()
        self._answer.forget()
        self._live.interrupted()

    def close(self) -> None:
        """Nothing comes any more."""
        self.pause()

    # -- what is being written ------------------------------------------------------------------

    def _written(self, delta: dict[str, Any]) -> None:
        if not self._answer.is_live:
            self._wait("writing")
        elif news := self._answer.news_in(delta):
            self._think()
            self.spinner.stop()
            self._leave_question()
            self._answer.show(delta, news)

    def _again(self, event: dict[str, Any]) -> None:
        """Nothing of this attempt counts."""
        was_shown = self._answer.was_shown
        self._forget()
        what = "the answer broke off and is asked for again" if was_shown else "asking again"
        delay = float(event.get("delay", 0))
        when = f" in {delay:.2g} s" if delay >= AT_ONCE else ""
        why = clean(str(event.get("why", ""))) or "no answer came"
        attempt = f"attempt {event.get('attempt', '?')}"
        self.tell(painted(YELLOW, f"{why}; {what}{when} ({attempt})", sys.stderr))
        self.spinner.begin("waiting for the next attempt")

    def _forget(self) -> None:
        self._answer.forget()
        self._thought, self._was_thought = "", False

    def _think(self) -> None:
        """One short line for all that was thought."""
        if self._thought.strip() and self.spinner.is_seen:
            self.tell(painted(DIM, f"· {first_line(self._thought, THOUGHT)}", sys.stderr))
            self._was_thought = True
        self._thought = ""

    # -- what is stored -------------------------------------------------------------------------

    def _block(self, event: dict[str, Any], envelope: dict[str, Any]) -> None:
        content = event.get("content", {})
        match content.get("type"):
            case "text_block" if event.get("role") == "assistant":
                self._think()
                self._leave_question()
                self._answer.complete(whole(content.get("text"), self._fetch))
            case "text_block" if envelope.get("cause") != self._key:
                who = envelope.get("origin", {}).get("name") or "somebody"
                said = first_line(beginning_of(content.get("text")), THOUGHT)
                self.tell(painted(DIM, f"{clean(who)} says: {said}", sys.stderr))
            case "thinking_block":
                # It was heard while it was thought, unless we came late.
                if not self._was_thought:
                    self._thought = self._thought or beginning_of(content.get("text"))
                self._think()
            case "tool_call_block":
                call = call_line(str(content.get("name")), beginning_of(content.get("arguments")))
                self._calls[str(content.get("call"))] = call
            case "tool_result_block":
                self._returned(content)
            case "error_block":
                status = f" (status {content['status']})" if content.get("status") else ""
                why = clean(whole(content.get("message"), self._fetch))
                self.tell(f"{error_word()} {why}{status}")
            case "notice_block":
                self.tell(painted(YELLOW, f"note: {clean(str(content.get('text')))}", sys.stderr))
            case _:
                pass

    def _returned(self, content: dict[str, Any]) -> None:
        call, result = str(content.get("call")), content.get("result")
        head = self._head(call, str(content.get("name", "")))
        is_below = self._live.ended(call, head) or self._below == call
        is_error = bool(content.get("is_error"))
        was_task_told, self._was_task_told = self._was_task_told, False
        if call in self._refused or (was_task_told and not is_error):
            return
        # What says most about these stands at the end of their results.
        is_last = content.get("name") in SHELL | WRITING
        text = whole(result, self._fetch) if is_last else beginning_of(result)
        line = result_line(content, text, size_of(result))
        colour = RED if is_error else DIM
        self._tell(painted(colour, f"  {line}" if is_below else f"{head} {line}", sys.stderr))
        self._live.interrupted()

    def _head(self, call: str, name: str = "") -> str:
        return f"▸ {self._calls.get(call, name)}"

    def _changed(self, event: dict[str, Any]) -> None:
        """What a tool did to files; where nobody looks, only to which."""
        call = str(event.get("call"))
        self.tell(painted(DIM, self._head(call, "a tool"), sys.stderr))
        for lines in diffs(event, self._root, self._fetch, is_whole=self._is_whole):
            shown = lines if self.spinner.is_seen or self._is_whole else lines[:1]
            for line in styled(shown, sys.stderr):
                self.tell(line)
        self._below = call

    def _wait(self, for_what: str) -> None:
        self.spinner.say(harmless(for_what))


def error_word() -> str:
    """How a line begins that says what is wrong."""
    return painted(RED, "Error:", sys.stderr)


def _newest(text: str) -> str:
    """The last line that says something."""
    return text.rstrip().rpartition("\n")[2].strip()
