"""Types, by the real ty; what happens when it does not answer, by pretended ones."""

import asyncio
import os
import signal
import sys
import venv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.performers.interpreter.checking import pretended_server as pretended

from hearth.core.vocabulary.content import Severity
from hearth.performers.interpreter.checking import ty
from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.interpreter.checking.ty import Document, Place, TypeServers

DOG = "class Dog:\n    def __init__(self, name: str) -> None: ...\n"


@pytest.fixture
async def servers() -> AsyncIterator[TypeServers]:
    # Patience for a busy machine: that a server starts quickly is not what is tested here.
    servers = TypeServers(patience=60)
    yield servers
    await servers.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(sys.executable, str(tmp_path))


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_only_the_last_cell_is_reported_with_its_own_lines(
    servers: TypeServers, place: Place
) -> None:
    cells = ("wrong: int = ''\n", DOG, "'é𝒳', Dog(1, 2)\nawait nothing\n%time 1\n")
    found = await servers.findings(place, Document(cells))
    many = next(one for one in found if one.rule == "too-many-positional-arguments")
    assert many.severity is Severity.ERROR
    assert (many.start_line, many.start_column, many.end_column) == (1, 13, 14)
    assert "Dog.__init__" in many.message
    assert not [one for one in found if one.rule == "invalid-assignment"]


async def test_a_message_is_one_paragraph(servers: TypeServers, place: Place) -> None:
    (found,) = await servers.findings(place, Document(("import no_such_module\n",)))
    assert "no_such_module" in found.message
    assert "\n" not in found.message


async def test_modules_of_the_interpreter_are_known_and_no_others(
    servers: TypeServers, place: Place, tmp_path: Path
) -> None:
    document = Document(("import msgspec\nmsgspec.nope\n",))
    (found,) = await servers.findings(place, document)
    assert "nope" in found.message
    venv.create(tmp_path / "empty", with_pip=False)
    empty = place._replace(python=str(tmp_path / "empty" / "bin" / "python"))
    (found,) = await servers.findings(empty, document)
    assert "Cannot resolve imported module `msgspec`" in found.message
    assert len(servers.running()) == 2


async def test_a_changed_file_of_the_project_is_seen_by_the_next_check(
    servers: TypeServers, place: Place, tmp_path: Path
) -> None:
    document = Document(("import mine\nmine.f(1, 2)\n",))
    (found,) = await servers.findings(place, document)
    assert "Cannot resolve" in found.message
    (tmp_path / "mine.py").write_text("def f(a, b): ...\n")
    assert await servers.findings(place, document) == ()
    (tmp_path / "mine.py").write_text("def f(a): ...\n")
    (found,) = await servers.findings(place, document)
    assert found.rule == "too-many-positional-arguments"
    assert files_in(tmp_path) == {"mine.py"}


async def test_a_file_is_checked_with_its_new_content_and_stays_as_it_is(
    servers: TypeServers, place: Place, tmp_path: Path
) -> None:
    (file := tmp_path / "mine.py").write_text("x = 1\n")
    (found,) = await servers.findings(place, Document(("x: int = ''\n",), file))
    assert found.rule == "invalid-assignment"
    assert file.read_text() == "x = 1\n"
    assert await servers.findings(place, Document(("import mine\nmine.x + 1\n",))) == ()


async def test_a_server_that_was_killed_is_started_again(
    servers: TypeServers, place: Place
) -> None:
    await servers.findings(place, Document(("1",)))
    (first,) = servers.running()
    os.kill(first.pid, signal.SIGKILL)
    await first.ended.wait()
    await servers.findings(place, Document(("1",)))
    (second,) = servers.running()
    assert second.pid != first.pid


async def test_a_server_that_nobody_uses_goes_away(place: Place) -> None:
    servers = TypeServers(patience=60, idle=0.001)
    async with servers._use(place) as used:
        assert used.going is None
    await used.server.ended.wait()
    assert servers.running() == ()
    await servers.close()


async def test_the_one_that_was_used_longest_ago_makes_room(
    servers: TypeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ty, "MOST_SERVERS", 2)
    places = []
    for name in "abc":
        (tmp_path / name).mkdir()
        places.append(Place(sys.executable, str(tmp_path / name)))
    for which in (0, 1, 0, 2):
        await servers.findings(places[which], Document(("1",)))
    assert set(servers._servers) == {places[0], places[2]}


async def test_many_questions_at_once_share_one_server(servers: TypeServers, place: Place) -> None:
    asked = [servers.findings(place, Document((f"x{n}: int = ''\n",))) for n in range(8)]
    found = await asyncio.gather(*asked)
    assert [len(one) for one in found] == [1] * 8
    assert len(servers.running()) == 1


async def test_a_slow_server_is_waited_for_once_more_then_replaced(
    place: Place, tmp_path: Path
) -> None:
    program = pretended.written(tmp_path, pretended.SILENT)
    servers = TypeServers(patience=60, program=program)
    try:
        async with servers._use(place):
            pass
        servers._patience = 0.01
        (first,) = servers.running()
        with pytest.raises(Unavailable, match=r"did not answer within 0\.01 seconds"):
            await servers.findings(place, Document(("1",)))
        assert servers.running() == (first,)
        with pytest.raises(Unavailable, match="did not answer"):
            await servers.findings(place, Document(("1",)))
        assert first not in servers.running()
        await first.ended.wait()
    finally:
        await servers.close()


async def test_a_server_that_dies_at_a_question_is_told(place: Place, tmp_path: Path) -> None:
    servers = TypeServers(patience=60, program=pretended.written(tmp_path, pretended.DYING))
    try:
        with pytest.raises(Unavailable, match="the server ended"):
            await servers.findings(place, Document(("1",)))
    finally:
        await servers.close()


async def test_a_server_that_refuses_to_begin_is_not_kept(place: Place, tmp_path: Path) -> None:
    servers = TypeServers(patience=60, program=pretended.written(tmp_path, pretended.REFUSING))
    try:
        with pytest.raises(Unavailable, match="no thanks"):
            await servers.findings(place, Document(("1",)))
        assert servers.running() == ()
    finally:
        await servers.close()
