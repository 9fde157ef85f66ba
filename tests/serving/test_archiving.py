"""Sessions as files, in one folder of the home."""

import json
from pathlib import Path

import msgspec
import pytest
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.wire import WIRE
from hearth.log.archive_format import Exported
from hearth.servers.mcp.outside import ArchiveTrouble
from hearth.serving import archiving
from hearth.serving.archiving import SessionArchives

S = SessionId("session-aaaaaa")


def text(path: str) -> str:
    return Path(path).read_text()


def modes(path: str) -> tuple[int, int]:
    file = Path(path)
    return file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777


def move_and_link(path: Path, elsewhere: Path) -> None:
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


async def begun(daemon: Served) -> SessionArchives:
    await daemon.begin()
    return SessionArchives(daemon.home, daemon.log)


async def test_what_is_written_is_for_this_user_alone(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        archives = await begun(daemon)
        made = await archives.export(S)
        assert modes(made.path) == (0o600, 0o700)
        assert made.size == len(text(made.path))
        assert await archives.content(made.file, made.size) == text(made.path)
        assert await archives.content(made.file, made.size - 1) is None
        with pytest.raises(ArchiveTrouble, match="no session"):
            await archives.export(SessionId("nope"))


async def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        archives = await begun(daemon)
        (daemon.home / archiving.FOLDER).write_text("no folder")
        for work in (archives.export(S), archives.take_content("{}", SessionId("session-new"))):
            with pytest.raises(ArchiveTrouble, match="cannot be written to") as wrong:
                await work
            assert wrong.value.kind == "store_unavailable"


@pytest.mark.parametrize("name", ["", "..", "../x.jsonl", "a/b.jsonl", ".hidden.jsonl", "x.txt"])
async def test_only_names_of_the_folder_are_taken(tmp_path: Path, name: str) -> None:
    async with served(tmp_path) as daemon:
        archives = await begun(daemon)
        with pytest.raises(ArchiveTrouble, match="no name of an export"):
            await archives.take(name, SessionId("session-new"))


async def test_a_link_to_elsewhere_is_not_followed(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        archives = await begun(daemon)
        made = await archives.export(S)
        move_and_link(Path(made.path), tmp_path / "elsewhere.jsonl")
        with pytest.raises(ArchiveTrouble, match="no plain file"):
            await archives.take(made.file, SessionId("session-new"))


@pytest.mark.parametrize(
    ("event", "is_refused"),
    [
        ('{"type":"approval_answered","approval":"a1","grants":[{"permission":"execute"}]}', True),
        ('{"type" : "approval_answered", "grants" : [ {"permission" : "execute"} ] }', True),
        ('{"type":"approval_answered","approval":"a1","answer":"once","grants":[]}', False),
        ('{"type":"approval_answered","approval":"a1","answer":"once"}', False),
        ('{"type":"servers_chosen","servers":["github"]}', True),
        ('{"type":"cell_started","cell":"c1","code":"\\"grants\\":[{"}', False),
    ],
)
async def test_nobody_brings_in_what_a_person_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str, *, is_refused: bool
) -> None:
    tag = json.loads(event)["type"]
    entry = Exported(1, tag, {"event": msgspec.Raw(event.encode())})
    monkeypatch.setattr(archiving, "Archive", lambda _path: [entry])
    async with served(tmp_path) as daemon:
        archives = await begun(daemon)
        made = await archives.export(S)
        before = await daemon.events()
        if not is_refused:
            assert await archives.take(made.file, SessionId("session-new"))
            return
        with pytest.raises(ArchiveTrouble, match="a person allowed") as wrong:
            await archives.take(made.file, SessionId("session-new"))
        assert wrong.value.kind == "not_allowed"
        assert await daemon.events() == before


def test_what_gives_something_is_known_by_the_names_it_has() -> None:
    assert set(archiving.GIVING) <= {one.name for one in WIRE.values()}
