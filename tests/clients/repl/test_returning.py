"""`.rewind` shows what each way of going back would change, and does only what is chosen."""

from pathlib import Path

import pytest
from tests.clients.repl.talking import Room, room, said
from tests.clients.repl.test_rewinding import answered, put

from hearth.clients.repl.returning import ASKS, CHOICES, Meant, meant
from hearth.core.vocabulary.undoing import RewindScope


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("", Meant("b9")),
        ("b7", Meant("b7")),
        ("all", Meant("b9", "all")),
        ("b7 interpreter yes", Meant("b7", "interpreter", is_sure=True)),
        ("only-files", Meant("b9", "only-files")),
        ("back", Meant("", "back")),
        ("undo yes", Meant("", "undo", is_sure=True)),
        ("yes", Meant("b9", is_sure=True)),
        ("b1 b2", None),
        ("x", None),
        ("b7 everything", None),
    ],
)
def test_what_is_typed_behind_it(typed: str, understood: Meant | None) -> None:
    assert meant(typed, "b9") == understood


async def choose(here: Room, typed: str) -> None:
    await put(here)
    question = here.screen.asked[-1]
    assert question is not None
    await here.talk.decide(question.about, typed, 5.0)


async def test_each_way_is_offered_with_what_it_would_change(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert "nothing was said yet" in await said(here, ".rewind")
        block = await answered(here)
        await said(here, ".undo on")
        await here.talk.run("x = 1")
        shown = await said(here, ".rewind")
        assert shown.startswith(f"the session would be what it was at {block}\n  conversation  1 ")
        assert "  interpreter   without c1, a copy that is kept takes its place\n" in shown
        assert "  files         1 file\n    changes back  a.py  +2 -1\n" in shown
        assert CHOICES in shown
        await put(here)
        question = here.screen.asked[-1]
        assert question is not None
        assert question.prompt == ASKS
        await choose(here, "")
        await here.screen.until("nothing was changed")
        assert all(one.preview for one in here.judge.rewinds)


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("c", RewindScope()),
        ("i", RewindScope(interpreter=True)),
        ("files", RewindScope(files=True)),
        ("a", RewindScope(interpreter=True, files=True)),
    ],
)
async def test_what_is_chosen_is_done_and_can_be_undone(
    tmp_path: Path, typed: str, scope: RewindScope
) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        await said(here, ".undo on")
        await here.talk.run("x = 1")
        await said(here, f".rewind {block}")
        await choose(here, typed)
        shown = await here.screen.until(f"the session is back at {block}")
        assert ".rewind back undoes it" in shown
        assert ("c1 was taken back" in shown) is scope.interpreter
        assert any(not one.preview for one in here.judge.rewinds) is scope.files
        await said(here, ".rewind back yes")
        shown = await here.screen.until("the session is as it was before going back")
        assert ("c1 is there again" in shown) is scope.interpreter


async def test_only_files_go_back_alone(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        await said(here, f".rewind {block}")
        await choose(here, "o")
        shown = await here.screen.until("1 file went back; .rewind undo undoes it")
        assert "the session is back" not in shown


async def test_without_a_terminal_what_is_wanted_must_be_said(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        here.talk.may_ask = False
        shown = await said(here, f".rewind {block}")
        assert f"nothing was changed; .rewind {block} all yes does it; or conversation" in shown
        assert "yes to what" in await said(here, f".rewind {block} yes")
        assert f".rewind {block} files yes does it\n" in await said(here, f".rewind {block} files")
        await said(here, f".rewind {block} conversation yes")
        await here.screen.until(f"the session is back at {block}")


async def test_what_cannot_be_gone_back_to_is_said(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        block = await answered(here)
        assert "x is nothing to go back to\n  say .rewind b17" in await said(here, ".rewind x")
        assert "there is no block 'b99999'" in await said(here, ".rewind b99999 all")
        assert "was not taken back yet" in await said(here, ".rewind back")
        await said(here, f".rewind {block} conversation yes")
        await here.screen.until(f"the session is back at {block}")
        again = await said(here, f".rewind {block} conversation")
        assert again == f"the session is as it was at {block}\n"
