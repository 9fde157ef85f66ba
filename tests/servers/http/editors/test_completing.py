"""Proposals go to those who asked for them."""

from tests.servers.http.editors.happening import S, happened

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.core.vocabulary.progress import WarmUpStep
from hearth.servers.http.editors.completing import Completed

APPEND = Completion("append", CompletionKind.METHOD)


async def test_what_others_asked_for_is_not_shown() -> None:
    shown = Completed(S, lambda cause: cause == "mine")
    assert not await shown.happened(happened(e.CompletionsReturned((APPEND,)), "yours"))
    assert shown.now["items"] == []
    assert await shown.happened(happened(e.CompletionsReturned((APPEND,)), "mine"))
    assert (shown.now["request"], shown.now["items"]) == (
        "mine",
        [{"label": "append", "kind": "method"}],
    )


async def test_a_question_that_is_given_up_is_told() -> None:
    shown = Completed(S, lambda _: True)
    assert not await shown.happened(happened(e.QuestionAbandoned("no"), "something else"))
    assert not await shown.happened(happened(e.CompletionsRequested("x", 1), "mine"))
    assert await shown.happened(happened(e.QuestionAbandoned("gone"), "mine"))
    assert (shown.now["items"], shown.now["abandoned"]) == ([], "gone")
    assert not shown.shown(WarmUpStep("x"))
