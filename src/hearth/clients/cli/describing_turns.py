"""The events of a conversation in one line each, for people."""

from __future__ import annotations

from hearth.clients.agents.diff_text import SIGNS, counted, files
from hearth.clients.agents.task_text import task_line
from hearth.clients.cli.ask_notes import refused
from hearth.clients.cli.kept_texts import beginning_of, size_of
from hearth.clients.cli.tool_lines import call_line, result_line

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Callable
    from typing import Any, Final

PLAIN: Final = {
    "message_queued": "{message}: {text}",
    "message_delivered": "{message} in {turn}",
    "message_withdrawn": "{message}: {reason}",
    "turn_started": "{turn} {model}",
    "turn_cancel_requested": "{turn}",
    "prefix_started": "{model}: {reason}",
    "model_asked": "{turn} step {step}, attempt {attempt}",
    "retry_scheduled": "{turn} step {step}, attempt {attempt} in {delay} s: {why}",
    "tool_started": "{name} {call}",
    "approval_requested": "{approval}: {why}",
    "approval_answered": "{approval}: {answer}. {text}",
    "model_changed": "{model} {effort}",
    "branch_requested": "to {to}",
    "branch_switched": "{reason}",
    "edit_requested": "{block}: {text}",
    "lookup_failed": "{block}: {why}",
    "conversation_forked": "from {block} of {source}",
    "compaction_started": "{turn}: {reason}",
    "compaction_failed": "{turn}: {why}",
    "conversation_compacted": "{turn}: {summary}",
    "files_kept": "before {call}",
    "rewind_requested": "to {to}",
    "rewind_failed": "{why}",
}
"""What is told of an event, by its fields; of those that are not there nothing."""


class _Fields(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


def described_turn(kind: str, event: dict[str, Any]) -> str | None:
    """What matters most of an event; None if it is not of a conversation."""
    if kind in _DESCRIBED:
        return _DESCRIBED[kind](event)
    if kind in PLAIN:
        fields = _Fields({key: _text(value) for key, value in event.items()})
        return PLAIN[kind].format_map(fields).strip(" .:")
    return None


def _prepared(event: dict[str, Any]) -> str:
    choice = event.get("choice", {})
    return f"{event.get('turn')} {choice.get('provider')}:{choice.get('model')}"


def _stepped(event: dict[str, Any]) -> str:
    return f"{event.get('turn')} step {event.get('step')}: {_tokens(event)}"


def _finished(event: dict[str, Any]) -> str:
    why = f": {event['why']}" if event.get("why") else ""
    return f"{event.get('turn')} {event.get('end')}{why}, {_tokens(event)}"


def _task(event: dict[str, Any]) -> str:
    return task_line(event.get("task") or {})[1]


def _servers(event: dict[str, Any]) -> str:
    servers = event.get("servers")
    return "as the settings say" if servers is None else ", ".join(map(str, servers)) or "none"


def _recorded(event: dict[str, Any]) -> str:
    return str(event.get("problem") or f"what {event.get('approval')} allows for always is kept")


def _block(event: dict[str, Any]) -> str:
    content = event.get("content", {})
    match content.get("type"):
        case "tool_call_block":
            said = call_line(str(content.get("name")), _text(content.get("arguments")))
        case "tool_result_block":
            result = content.get("result")
            line = result_line(content, beginning_of(result), size_of(result))
            said = f"{content.get('name')} {line}"
        case "thinking_block":
            said = f"thinks: {_text(content.get('text'))}"
        case _:
            said = _text(content.get("text") or content.get("message"))
    return f"{event.get('block')} {event.get('role')}: {said}"


def _files(event: dict[str, Any]) -> str:
    """Which files, and how much of them."""
    changes = event.get("changes") or ()
    said = [
        f"{SIGNS.get(str(one.get('kind')), '?')} {one.get('path')} {counted(one)}".rstrip()
        for one in changes
    ]
    return f"{files(len(changes) + int(event.get('left_out') or 0))}: {', '.join(said)}"


def _tokens(event: dict[str, Any]) -> str:
    usage = event.get("usage") or {}
    sent = sum(int(usage.get(one, 0)) for one in ("fresh", "cache_read", "cache_write"))
    return f"{sent} tokens in, {int(usage.get('output', 0))} out"


def _text(value: Any) -> str:
    """A value in words, or the beginning of a text that is kept elsewhere."""
    if isinstance(value, dict):
        return str(value.get("head", ""))
    return "" if value is None else str(value)


def _called(event: dict[str, Any]) -> str:
    """A tool that code called: what it is, what it was given, and what went wrong."""
    ended = str(event.get("error", "")) or f"in {float(event.get('duration', 0)):.3g} s"
    return f"{event.get('name', '?')} {beginning_of(event.get('arguments'))[:30]}: {ended}"


_DESCRIBED: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "block_sealed": _block,
    "turn_prepared": _prepared,
    "step_finished": _stepped,
    "turn_finished": _finished,
    "tool_refused": refused,
    "cell_tool_called": _called,
    "grant_recorded": _recorded,
    "task_changed": _task,
    "servers_chosen": _servers,
    "files_changed": _files,
    "files_compared": _files,
    "files_rewound": _files,
}
