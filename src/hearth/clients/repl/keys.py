"""What the keys do that are not the editor's own."""

from collections.abc import Callable

from prompt_toolkit.application import get_app
from prompt_toolkit.document import Document
from prompt_toolkit.filters import (
    Condition,
    emacs_insert_mode,
    has_completions,
    has_selection,
    is_searching,
    vi_insert_mode,
)
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from hearth.clients.repl.commands import is_command
from hearth.clients.repl.completeness import INDENT, Verdict, next_indent, verdict
from hearth.clients.repl.messages import SIGN, is_bare, is_message, is_over
from hearth.clients.repl.trial import is_over as is_tried
from hearth.clients.repl.trial import is_trial


class Speaking:
    """Whether lines begin as messages to the agent, until told otherwise."""

    def __init__(self) -> None:
        self.is_on = False

    @property
    def beginning(self) -> str:
        """What stands on a new line."""
        return SIGN if self.is_on else ""

    def toggled(self, document: Document) -> Document:
        """The line as the other of the two; those after it are the same."""
        text, cursor = document.text, document.cursor_position
        self.is_on = not is_message(text)
        if self.is_on:
            return Document(SIGN + text, cursor + len(SIGN))
        left = text.lstrip().removeprefix(SIGN.strip()).removeprefix(" ")
        return Document(left, max(0, cursor - (len(text) - len(left))))


def bindings(
    is_python: Callable[[], bool] | None,
    interrupt: Callable[[bool], bool],
    speaking: Speaking | None = None,
) -> KeyBindings:
    """The keys of the prompt; without `is_python`, those of a question's one line.

    `interrupt` stops what runs, told whether nothing is typed; where it does not, Ctrl-C clears
    the line.
    """
    keys = KeyBindings()
    begins = speaking or Speaking()

    @keys.add("c-c")
    @keys.add("<sigint>")
    def stop(event: KeyPressEvent) -> None:
        if not interrupt(is_bare(event.current_buffer.text)):
            event.current_buffer.reset(Document(begins.beginning))

    if is_python is not None:
        _typing(keys, is_python)
        _speaking(keys, begins)
    return keys


def _speaking(keys: KeyBindings, speaking: Speaking) -> None:
    """How one speaks to the agent line after line, and gets out of it again."""
    is_new = Condition(lambda: speaking.is_on and is_bare(get_app().current_buffer.text))

    @keys.add("c-t")
    def toggle(event: KeyPressEvent) -> None:
        event.current_buffer.document = speaking.toggled(event.current_buffer.document)

    @keys.add(".", filter=is_new & (emacs_insert_mode | vi_insert_mode))
    @keys.add(":", filter=is_new & (emacs_insert_mode | vi_insert_mode))
    def command(event: KeyPressEvent) -> None:
        event.current_buffer.document = Document()
        event.current_buffer.insert_text(event.data)

    @keys.add("c-d", filter=is_new)
    def leave(event: KeyPressEvent) -> None:
        event.app.exit(exception=EOFError)


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
        if is_message(text):
            may_run = is_over(text)
        elif is_trial(text):
            may_run = is_tried(text, python=is_python())
        else:
            may_run = is_command(text) or verdict(text, python=is_python()) is Verdict.RUN
        if may_run and (is_last or "\n" not in text):
            buffer.validate_and_handle()
        elif is_message(text):
            buffer.insert_text("\n")
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
