"""What the keys do that are not the editor's own."""

from collections.abc import Callable

from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition, has_completions, has_selection, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from hearth.clients.repl.commands import is_command
from hearth.clients.repl.completeness import INDENT, Verdict, next_indent, verdict


def bindings(is_python: Callable[[], bool] | None, interrupt: Callable[[], bool]) -> KeyBindings:
    """The keys of the prompt; without `is_python`, those of a question's one line.

    `interrupt` stops what runs; where nothing of one's own runs, Ctrl-C clears the line.
    """
    keys = KeyBindings()

    @keys.add("c-c")
    @keys.add("<sigint>")
    def stop(event: KeyPressEvent) -> None:
        if not interrupt():
            event.current_buffer.reset()

    if is_python is not None:
        _typing(keys, is_python)
    return keys


def _typing(keys: KeyBindings, is_python: Callable[[], bool]) -> None:
    at_indent = Condition(_is_at_indent)

    @keys.add("enter", filter=~is_searching)
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        state = buffer.complete_state
        if state is not None and state.current_completion is not None:
            buffer.complete_state = None  # taken; the next Enter runs it
            return
        document = buffer.document
        text = document.text
        is_last = not document.text_after_cursor.strip()
        may_run = is_command(text) or verdict(text, python=is_python()) is Verdict.RUN
        if may_run and (is_last or "\n" not in text):
            buffer.validate_and_handle()
        else:
            indent = next_indent(document.text_before_cursor, python=is_python())
            buffer.insert_text(f"\n{indent}")

    @keys.add("tab", filter=at_indent & ~has_completions)
    def indent(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(INDENT)

    @keys.add("backspace", filter=at_indent & ~has_selection & ~is_searching)
    def dedent(event: KeyPressEvent) -> None:
        before = event.current_buffer.document.current_line_before_cursor
        whole = before.endswith(INDENT) and len(before) % len(INDENT) == 0
        event.current_buffer.delete_before_cursor(len(INDENT) if whole else 1)


def _is_at_indent() -> bool:
    """Whether only spaces stand before the cursor on its line."""
    document = get_app().current_buffer.document
    before = document.current_line_before_cursor
    return not before.strip() and (bool(before) or "\n" in document.text)
