"""How each person has the dashboard."""

import asyncio
import logging
from pathlib import Path

import msgspec
import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar import desks as module
from hearth.servers.dashboard.sidebar.desks import MOST_PEOPLE, MOST_SEEN, Desk, Desks

A = SessionId("session-aaaaaa")


def files(home: Path) -> list[bytes]:
    return [one.read_bytes() for one in home.iterdir()]


@pytest.mark.promise("DP-UI-07", "DP-UI-08", "DP-UI-16")
async def test_another_device_and_another_daemon_show_the_same(tmp_path: Path) -> None:
    desks = Desks(tmp_path)
    await desks.change("ann", theme="dark", order=("b", "a"), collapsed=True, panel="usage")
    assert desks.of("ben") == Desk()
    again = Desks(tmp_path).of("ann")
    assert (again.theme, again.order, again.panel) == ("dark", ("b", "a"), "usage")
    assert again.collapsed
    assert again == desks.of("ann")


@pytest.mark.promise("DP-UI-07")
@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[]", b'{"ann":{"theme":"pink"}}', b'{"ann":{"order":[1]}}']
)
async def test_a_broken_file_gives_the_usual_desk_and_is_kept(
    content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "dashboard.json").write_bytes(content)
    desks = Desks(tmp_path)
    assert desks.of("ann") == Desk()
    assert files(tmp_path) == [content]
    assert "cannot be used" in caplog.text
    await desks.change("ann", theme="dark")
    assert Desks(tmp_path).of("ann").theme == "dark"
    assert (tmp_path / "dashboard.broken-1.json").read_bytes() == content


async def test_what_a_newer_hearth_added_is_read_over(tmp_path: Path) -> None:
    (tmp_path / "dashboard.json").write_text('{"ann":{"theme":"dark","hat":"red"}}', "utf-8")
    assert Desks(tmp_path).of("ann") == Desk(theme="dark")


@pytest.mark.promise("DP-UI-07")
async def test_a_disk_that_cannot_be_written_is_told_once_and_changes_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desks = Desks(tmp_path / "gone")
    with caplog.at_level(logging.WARNING):
        assert (await desks.change("ann", theme="dark")).theme == "dark"
        await desks.change("ann", theme="light")
    assert desks.of("ann").theme == "light"
    assert caplog.text.count("is not kept") == 1


@pytest.mark.parametrize(
    "changes",
    [{"theme": "pink"}, {"panel": "../x"}, {"panel_width": -1}, {"order": ("",)}, {"hat": 1}],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    changes: dict[str, object], tmp_path: Path
) -> None:
    desks = Desks(tmp_path)
    told: list[str] = []
    desks.watch(told.append)
    with pytest.raises(msgspec.ValidationError):
        await desks.change("ann", **changes)
    assert desks.of("ann") == Desk()
    assert not told
    assert not files(tmp_path)


async def test_whoever_watches_hears_of_changes_and_of_nothing_else(tmp_path: Path) -> None:
    desks = Desks(tmp_path)
    told: list[str] = []
    unwatch = desks.watch(told.append)
    await desks.change("ann", theme="dark")
    await desks.change("ann", theme="dark")
    desks.note_seen("ann", A, 1.0)
    assert told == ["ann"]
    unwatch()
    await desks.change("ann", theme="light")
    assert told == ["ann"]
    await desks.close()


async def test_many_changes_at_once_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []
    monkeypatch.setattr(module, "write_whole", lambda _, content: written.append(content))
    desks = Desks(tmp_path)
    await asyncio.gather(*(desks.change("ann", panel_width=one) for one in range(1, 50)))
    assert 1 <= len(written) <= 3
    assert msgspec.json.decode(written[-1]) == {"ann": {"panel_width": 49}}


async def test_what_was_seen_is_written_at_leisure_or_at_the_end(tmp_path: Path) -> None:
    desks = Desks(tmp_path)
    desks.note_seen("ann", A, 5.0)
    desks.note_seen("ann", A, 4.0)
    desks.note_active("ann", A)
    assert desks.of("ann").seen == {A: 5.0}
    assert not files(tmp_path)
    await desks.close()
    again = Desks(tmp_path).of("ann")
    assert (again.seen, again.active) == ({A: 5.0}, A)


async def test_nothing_grows_without_end(tmp_path: Path) -> None:
    desks = Desks(tmp_path)
    for number in range(MOST_SEEN + 5):
        desks.note_seen("ann", SessionId(f"s{number}"), float(number + 1))
    assert len(desks.of("ann").seen) == MOST_SEEN
    assert "s0" not in desks.of("ann").seen
    await desks.close()
    for number in range(MOST_PEOPLE + 1):
        await desks.change(f"p{number}", theme="dark")
    assert desks.of("ann") == Desk()
    assert desks.of("p0") == Desk()
    assert desks.of("p1").theme == "dark"
