"""What an agent's turn shows: text for people, the log's own lines for programs.

The answer goes to stdout, everything beside it to stderr. In a terminal the answer is shown while
it is written; in a pipe as it is stored, so that nothing of an attempt that failed is in it.
"""

from __future__ import annotations

import sys

from hearth.clients.cli.answer_text import AnswerText
from hearth.clients.cli.kept_texts import beginning_of, size_of, whole
from hearth.clients.cli.markdown import harmless
from hearth.clients.cli.showing import DIM, RED, YELLOW, clean, first_line, painted, tell
from hearth.clients.cli.spinning import EACH, Spinner
from hearth.clients.cli.tool_lines import call_line, result_line

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

    def close(self) -> None:
        """Nothing comes any more."""

    def _write(self, raw: str) -> None:
        if raw and not self._is_silent:
            sys.stdout.write(raw + "\n")
            sys.stdout.flush()


class ForPeople:
    """Text as it comes, one line for each tool, and what else a person should know."""

    def __init__(self, fetch: Fetch, key: str = "") -> None:
        """`fetch` gives the text that is kept under a hash; `key` the cause of what was asked."""
        self.spinner = Spinner()
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
            case _ if note := _note(kind, event, envelope):
                self.tell(note)
            case _:
                pass

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
            case "progress_dropped":
                self._answer.miss()
            case _:
                pass

    def tell(self, text: str) -> None:
        """A line beside the answer."""
        self._answer.end_line()
        self.spinner.clear()
        tell(text)

    def tick(self) -> float | None:
        """Turn what turns; the seconds until it wants to be turned again, if it does."""
        if not self.spinner.is_turning or (self._answer.is_live and self._answer.is_open_line):
            return None
        self.spinner.turn()
        return EACH

    def close(self) -> None:
        """Nothing comes any more."""
        self.spinner.stop()
        self._answer.forget()

    # -- what is being written ------------------------------------------------------------------

    def _written(self, delta: dict[str, Any]) -> None:
        if not self._answer.is_live:
            self._wait("writing")
        elif news := self._answer.news_in(delta):
            self._think()
            self.spinner.stop()
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
        result = content.get("result")
        call = self._calls.get(str(content.get("call")), str(content.get("name", "")))
        line = f"▸ {call} {result_line(content, beginning_of(result), size_of(result))}"
        self.tell(painted(RED if content.get("is_error") else DIM, line, sys.stderr))

    def _wait(self, for_what: str) -> None:
        self.spinner.say(harmless(for_what))


def _note(kind: str, event: dict[str, Any], envelope: dict[str, Any]) -> str:
    """What a person should know of an event, in one line; empty if it is nothing."""
    match kind:
        case "message_queued":
            return f"waiting: the agent is busy; it hears {event.get('message')} next"
        case "conversation_compacted":
            return "note: a summary stands in the place of what was said long ago"
        case "compaction_failed":
            return f"note: the conversation stays as long as it is: {clean(str(event.get('why')))}"
        case "approval_answered":
            who = clean(str(envelope.get("origin", {}).get("name") or "somebody"))
            return f"{'allowed' if event.get('answer') == 'once' else 'rejected'} by {who}"
        case _:
            return ""


def error_word() -> str:
    """How a line begins that says what is wrong."""
    return painted(RED, "Error:", sys.stderr)


def _newest(text: str) -> str:
    """The last line that says something."""
    return text.rstrip().rpartition("\n")[2].strip()
