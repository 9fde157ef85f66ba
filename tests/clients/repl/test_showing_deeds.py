"""All of what an agent asks for, and of what it did to files, can be seen."""

from pathlib import Path

import pytest
from tests.clients.repl.agenting import Part
from tests.clients.repl.talking import room, said, without_store
from tests.clients.repl.telling_of import told

from hearth.clients.repl import showing_deeds
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import ChangeKind, FileChange, FilesChanged
from hearth.core.vocabulary.ids import CallId, TurnId

LONG = "make\\n" * 60
CHANGE = FileChange(
    "/loom/a.py", ChangeKind.CREATED, None, "", Blob("0" * 64, 9, "text/plain", "+1")
)


async def test_all_of_a_folded_command_is_shown(tmp_path: Path) -> None:
    call = ("run_shell", f'{{"command": "{LONG}last"}}')
    async with room(tmp_path, parts=[Part(calls=(call,))]) as here:
        assert "a1 does not wait" in await said(here, ".show a1")
        await here.talk.say("> go")
        shown = await here.screen.until(".show a1 shows all")
        assert "  last\n" not in shown
        whole = await said(here, ".show a1")
        assert "  last\n" in whole
        assert "shows all" not in whole


async def test_a_diff_that_is_kept_elsewhere_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        event = FilesChanged(TurnId("t1"), CallId("k1"), (CHANGE,))

        async def at(*_: object) -> object:
            return told(event)

        async def fetch(_: str) -> bytes:
            return "\n".join(f"+{one}" for one in range(90)).encode()

        monkeypatch.setattr(showing_deeds, "event_at", at)
        monkeypatch.setattr(here.host, "fetch", fetch)
        shown = await said(here, ".show f7")
        assert shown.startswith("  A a.py\n  +0\n")
        assert shown.endswith("  +89\n")


async def test_where_no_files_were_changed_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        assert "no files were changed at f1" in await said(here, ".show f1")
        assert "no files were changed at f999" in await said(here, ".show f999")
        without_store(here, monkeypatch)
        assert "the disk is full" in await said(here, ".show f1")
