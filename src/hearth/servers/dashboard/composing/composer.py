"""Where people write: code for the interpreter, words for the agent.

What is typed is the browser's: `form#composer` is the same for the whole life of a page and no
patch touches it. What the session allows stands beside it in `div#composer-state`, which is sent
anew whenever that changes; static/composer.js reads it.
"""

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance
from hearth.servers.dashboard.actions import local
from hearth.servers.dashboard.composing.offers import is_queueing, why_not_edit, why_not_run
from hearth.servers.dashboard.composing.standings import short
from hearth.servers.dashboard.html import (
    Html,
    button,
    div,
    fieldset,
    form,
    input_,
    joined,
    kbd,
    label,
    legend,
    pre,
    span,
    textarea,
)


def composer(session: SessionId, status: Status, talk: Talk) -> Html:
    """`div#composer-state` and `form#composer`, as a page begins with them."""
    return joined(composer_state(status, talk), _form(session))


def composer_state(status: Status, talk: Talk) -> Html:
    """`div#composer-state`: what can be written now, and what becomes of it."""
    not_run = why_not_run(status)
    run_note, ask_note = _run_note(status, not_run), _ask_note(talk)
    return div(
        span(run_note, class_="note note-run"),
        span(ask_note, class_="note note-ask"),
        id_="composer-state",
        class_="composer-state",
        role="status",
        data_session=status.session,
        data_can_run="0" if not_run else "1",
        data_why_run=not_run or None,
        data_can_ask="1",
        data_queues_run="1" if is_queueing(status) else "0",
        data_queues_ask="1" if talk.turn is not None else "0",
        data_can_complete=_flag(status, Affordance.GET_COMPLETIONS),
        data_can_inspect=_flag(status, Affordance.INSPECT),
        data_cell=status.current.cell if status.current is not None else None,
        data_turn=talk.turn,
        data_prompt=talk.line.prompt or None,
        data_why_edit=why_not_edit(talk) or None,
        data_language=status.language or "python",
    )


def _flag(status: Status, wanted: Affordance) -> str:
    return "1" if wanted in status.available else "0"


def _run_note(status: Status, not_run: str) -> str:
    if not_run:
        return f"Code cannot run now: {not_run}."
    if status.current is not None and status.current.question is not None:
        return f"{status.current.cell} waits for an answer; what you run waits behind it."
    if status.current is not None:
        ahead = f" and {status.waiting} more" if status.waiting else ""
        return f"{status.current.cell} is running{ahead}: what you run waits behind it."
    if is_queueing(status):
        return "The interpreter is being started: what you run waits for it."
    return ""


def _ask_note(talk: Talk) -> str:
    if talk.approvals:
        asked = short(talk.approvals[0].name, 60) or "go on"
        return f"The agent waits for your answer ({asked}); what you send comes after it."
    if talk.turn is not None:
        return "The agent is working: what you send waits for its next step."
    return ""


def _form(session: SessionId) -> Html:
    return form(
        div(_modes(), _keys(), class_="composer-top row"),
        _editor(),
        div(
            span("", id_="composer-said", class_="composer-said muted grow", role="status"),
            button(
                "Run", id_="composer-send", type_="submit", class_="btn btn-primary composer-send"
            ),
            class_="composer-foot row",
        ),
        id_="composer",
        class_="composer",
        aria_label="Write",
        autocomplete="off",
        novalidate=True,
        data_ignore_morph=True,
        data_session=session,
        data_mode="code",
        **local("compose", on="submit"),
    )


def _modes() -> Html:
    return fieldset(
        legend("What you write", class_="sr"),
        _mode("code", "Code", checked=True),
        _mode("ask", "Ask", checked=False),
        class_="modes",
    )


def _mode(value: str, words: str, *, checked: bool) -> Html:
    return label(
        input_(
            type_="radio",
            name="mode",
            value=value,
            id_=f"mode-{value}",
            class_="sr",
            checked=checked,
        ),
        span(words, class_="mode-word"),
        class_="mode",
        for_=f"mode-{value}",
    )


def _keys() -> Html:
    return span(
        span(
            kbd("Shift"), kbd("Enter"), " runs ", kbd("Tab"), " completes ", class_="keys keys-code"
        ),
        span(kbd("Enter"), " sends ", kbd("↑"), " edits the last ", class_="keys keys-ask"),
        span(kbd("Ctrl"), kbd("/"), " switches", class_="keys"),
        class_="composer-keys muted",
        aria_hidden="true",
    )


def _editor() -> Html:
    """A field over what it says in colours, and what the session knows about it."""
    return div(
        div(
            pre(id_="composer-paint", class_="composer-paint", aria_hidden="true"),
            textarea(
                id_="composer-text",
                class_="composer-text",
                name="text",
                rows=1,
                aria_label="Code to run",
                aria_autocomplete="list",
                aria_controls="composer-list",
                aria_describedby="composer-said",
                autocapitalize="off",
                autocomplete="off",
                autocorrect="off",
                spellcheck="false",
                enterkeyhint="send",
                placeholder="Python, in the live session",
            ),
            class_="composer-scroll",
        ),
        div(
            id_="composer-list",
            class_="composer-list",
            role="listbox",
            aria_label="Completions",
            tabindex=0,
            hidden=True,
        ),
        div(id_="composer-tip", class_="composer-tip", role="tooltip", hidden=True),
        class_="composer-editor",
    )
