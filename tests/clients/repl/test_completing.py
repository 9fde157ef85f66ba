"""Completion asks the session once per word, and puts the label where it belongs."""

from collections.abc import Sequence

import pytest
from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.document import Document

from hearth.clients.repl.completing import SessionCompleter, shown
from hearth.core.vocabulary.content import Completion as Proposal
from hearth.core.vocabulary.content import CompletionKind

APPEND = Proposal("append", CompletionKind.METHOD, "method (object, /)")
APPLY = Proposal("apply", CompletionKind.FUNCTION)


class Asked:
    """A session that answers always the same, and remembers what it was asked."""

    def __init__(self, *proposals: Proposal) -> None:
        self.proposals = proposals
        self.asked: list[tuple[str, int]] = []
        self.epoch = 1

    async def __call__(self, code: str, cursor: int) -> Sequence[Proposal]:
        self.asked.append((code, cursor))
        return self.proposals

    def completer(self) -> SessionCompleter:
        return SessionCompleter(self, lambda: ("loom", "yarn"), lambda: self.epoch)


async def found(
    completer: SessionCompleter, text: str, *, typing: bool = False
) -> list[Completion]:
    event = CompleteEvent(text_inserted=typing, completion_requested=not typing)
    return [one async for one in completer.get_completions_async(Document(text), event)]


async def test_proposals_come_with_their_kind() -> None:
    session = Asked(APPEND)
    (one,) = await found(session.completer(), "xs.ap")
    assert (one.text, one.start_position) == ("append", -2)
    assert one.display_meta_text == "method (object, /)"
    assert session.asked == [("xs.ap", 5)]
    assert shown(APPLY, "ap").display_meta_text == "function"
    pop = Proposal("pop", CompletionKind.METHOD, "builtin_function_or_method (x)")
    assert shown(pop, "x.").display_meta_text == "method (x)"
    xs = Proposal("xs", CompletionKind.VARIABLE, "list")
    assert shown(xs, "x").display_meta_text == "variable list"


async def test_a_word_that_grows_is_not_asked_about_again() -> None:
    session = Asked(APPEND, APPLY)
    completer = session.completer()
    assert len(await found(completer, "xs.ap")) == 2
    assert [one.text for one in await found(completer, "xs.appe")] == ["append"]
    assert completer.knows("xs.appen")
    assert len(session.asked) == 1
    assert not completer.knows("ys.ap")
    await found(completer, "ys.ap")
    assert len(session.asked) == 2
    assert not completer.knows("ys.a")


async def test_an_answer_no_longer_holds_once_a_cell_has_run() -> None:
    session = Asked(APPEND)
    completer = session.completer()
    await found(completer, "xs.ap")
    session.epoch = 2
    await found(completer, "xs.app")
    assert len(session.asked) == 2


async def test_an_answer_that_may_be_cut_is_not_kept() -> None:
    session = Asked(*[Proposal(f"name{n}") for n in range(450)])
    completer = session.completer()
    await found(completer, "na")
    await found(completer, "nam")
    assert len(session.asked) == 2


@pytest.mark.parametrize("text", ["", "1", "x = ", "f(", "a", "'", "x = 12"])
async def test_while_typing_nobody_is_asked_about_little(text: str) -> None:
    session = Asked(APPEND)
    assert await found(session.completer(), text, typing=True) == []
    assert session.asked == []
    await found(session.completer(), text)
    assert session.asked


@pytest.mark.parametrize("text", ["xs.", "xs.a", "pr", "x = imp"])
async def test_while_typing_names_and_attributes_are_asked_about(text: str) -> None:
    session = Asked(APPEND)
    await found(session.completer(), text, typing=True)
    assert session.asked == [(text, len(text))]


async def test_commands_are_completed_here() -> None:
    session = Asked(APPEND)
    completer = session.completer()
    assert [one.text for one in await found(completer, ".sw")] == ["switch"]
    assert [one.text for one in await found(completer, ".switch y")] == ["yarn"]
    assert await found(completer, ".rename y") == []
    assert session.asked == []
    assert [one.text for one in completer.get_completions(Document(".who"), CompleteEvent())] == [
        "who"
    ]


@pytest.mark.parametrize(
    ("label", "before", "replaced"),
    [
        ("append", "xs.ap", 2),
        ("Append", "xs.ap", 2),
        ("a=", "f(", 0),
        ("%timeit", "%ti", 3),
        ("data/file.csv", "open('data/fi", 7),
        ("__init__", "x.", 0),
    ],
)
def test_a_label_replaces_what_it_stands_for(label: str, before: str, replaced: int) -> None:
    assert shown(Proposal(label), before).start_position == -replaced


def test_a_label_cannot_reach_the_terminal() -> None:
    evil = shown(Proposal("a\x1b[2J", CompletionKind.OTHER, "b\x1b[2J\n"), "a")
    assert "\x1b" not in evil.text + evil.display_meta_text


async def test_what_commands_take_is_completed() -> None:
    session = Asked(APPEND)
    completer = SessionCompleter(
        session, lambda: ("loom", "yarn"), lambda: session.epoch, lambda: ("m1", "m2")
    )
    assert [one.text for one in await found(completer, ".session l")] == ["loom"]
    assert [one.text for one in await found(completer, ":switch y")] == ["yarn"]
    assert [one.text for one in await found(completer, ".unqueue ")] == ["m1", "m2"]
    assert [one.text for one in await found(completer, ".set effort m")] == [
        "effort medium",
        "effort max",
    ]
    assert [one.text for one in await found(completer, ".set en")] == [
        "enabled_mcp_servers all",
        "enabled_mcp_servers none",
    ]


async def test_what_is_said_to_the_agent_is_not_completed() -> None:
    session = Asked(APPEND)
    completer = session.completer()
    assert await found(completer, "> the xs.ap") == []
    assert await found(completer, ">\nxs.ap") == []
    assert session.asked == []
    assert completer.knows("> x")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (".undo ", ["on", "agents", "off"]),
        (":undo a", ["agents"]),
        (".branch --r", ["--replay"]),
        (".compare l", ["loom"]),
        (".rewind only", ["only-files"]),
        (".rewind b", ["back"]),
        (".rewind b17 ", ["conversation", "interpreter", "files", "all", "only-files"]),
        (".rewind b17 a", ["all"]),
        (".rewind all ", []),
        (".ke", ["keep"]),
    ],
)
async def test_what_is_taken_back_tried_and_compared_is_offered(
    typed: str, offered: list[str]
) -> None:
    session = Asked()
    assert [one.text for one in await found(session.completer(), typed)] == offered
    assert session.asked == []


async def test_the_variant_at_the_cursor_is_what_the_session_is_asked_about() -> None:
    session = Asked(APPEND)
    (one,) = await found(session.completer(), ".try\nx = 1\n---\nxs.ap")
    assert one.text == "append"
    assert session.asked == [("xs.ap", 5)]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (".try xs.ap", ("xs.ap", 5)),
        (":try len(xs) --- xs.ap", (" xs.ap", 6)),
    ],
)
async def test_code_behind_the_command_that_tries_it_is_completed(
    typed: str, asked: tuple[str, int]
) -> None:
    session = Asked(APPEND)
    completer = session.completer()
    (one,) = await found(completer, typed)
    assert (one.text, one.start_position) == ("append", -2)
    assert session.asked == [asked]
    assert completer.knows(f"{typed}p")
    assert not completer.knows(":try ys.po")
