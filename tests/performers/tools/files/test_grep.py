import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.performers.tools.files.staging import Desk, takes

from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.tools.files.grep import Grep
from hearth.performers.tools.files.programs import Bounds
from hearth.performers.tools.tool import Outcome, Scene


@pytest.fixture(autouse=True)
def _without_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv(
        "PATH", os.pathsep.join(one for one in folders if not (Path(one) / "rg").exists())
    )


async def grep(desk: Desk, pattern: str, **arguments: Any) -> Outcome:
    async with asyncio.timeout(40):
        return await desk.call(Grep(desk.place), pattern=pattern, **arguments)


def tree(folder: Path, **files: str) -> None:
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_py", ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.promise("DP-TOOL-01", "DP-TOOL-02")
async def test_lines_are_shown_under_their_files_from_here_or_elsewhere(tmp_path: Path) -> None:
    tree(tmp_path, p__a_py="one\ndef two():\n", p__src__b_py="def b():\n    pass\n", q__c="def c")
    desk = Desk(tmp_path / "p")
    told = await grep(desk, r"^def \w+")
    assert told.text == "a.py\n2:def two():\nsrc/b.py\n1:def b():"
    assert told.files == (str(tmp_path / "p" / "a.py"), str(tmp_path / "p" / "src" / "b.py"))
    assert (await grep(desk, "def", path="src")).text == "b.py\n1:def b():"
    assert (await grep(desk, "def", path=str(tmp_path / "q"))).text == "c\n1:def c"
    assert (await grep(desk, "def", path="src/b.py", context=1)).text == (
        "src/b.py\n1:def b():\n2-    pass"
    )


async def test_files_and_counts_can_be_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, a="x\nX\n", b="x\n", c="y\n")
    desk = Desk(tmp_path)
    assert (await grep(desk, "x", show="files")).text == "a\nb"
    counted = await grep(desk, "x", show="count", ignore_case=True)
    assert counted.text == "a: 2\nb: 1"
    assert (await grep(desk, "nothing")).text == "No line matches."
    assert (await grep(desk, "x", glob="b")).text == "b\n1:x"


async def test_only_so_much_is_shown_and_what_there_is_is_said(tmp_path: Path) -> None:
    tree(tmp_path, **{f"f{number}": "match\n" * 10 for number in range(30)})
    desk = Desk(tmp_path)
    told = await grep(desk, "match", limit=15)
    assert told.text.count(":match") == 15
    assert told.text.endswith(
        "There are 300 matches in 30 files: narrow pattern, path or glob, or raise limit."
    )
    tree(tmp_path, wide=f"match {'x' * 5000}\n" * 500)
    wide = await grep(desk, "match", limit=1000)
    assert len(wide.text) < 20_000


async def test_what_may_not_be_read_without_asking_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=secret\n")
    tree(tmp_path, a="KEY\n", own__code="KEY=token\n", ruled="KEY=ruled\n")
    desk = Desk(tmp_path, forbidden=(str(tmp_path / "own"),))
    told = await grep(desk, "KEY")
    assert "a\n1:KEY\n" in told.text
    assert "secret" not in told.text
    assert "token" not in told.text
    assert told.text.endswith("needs permission (read_file asks): .env, own/code.")
    asked = await grep(desk, "KEY", path=".env")
    assert asked.text == ".env\n1:KEY=secret"

    def judge(_scene: Scene, need: Need) -> Verdict:
        return Verdict.DENY if need.target == "ruled" else Verdict.ALLOW

    ruled = await desk.call(Grep(desk.place, judge), pattern="KEY")
    assert "1:KEY=ruled" not in ruled.text
    assert "1:KEY=secret" in ruled.text


async def test_what_cannot_be_searched_is_a_sentence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    desk = Desk(tmp_path)
    for arguments in (
        {"pattern": "x", "path": "missing"},
        {"pattern": "x", "path": "pipe"},
        {"pattern": "x", "path": "/dev/zero"},
        {"pattern": "x", "path": "/proc/self/environ"},
        {"pattern": "x", "path": "n" * 5000},
        {"pattern": "("},
        {"pattern": "a\0b"},
        {"pattern": "x", "glob": "../*"},
    ):
        told = await grep(desk, **arguments)
        assert told.is_error
        assert len(told.text) < 500


async def test_a_hostile_pattern_stops_nobody(tmp_path: Path) -> None:
    tree(tmp_path, a="a" * 5000 + "\n")
    desk = Desk(tmp_path)
    tool = Grep(desk.place, bounds=Bounds(2))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(others())
    told = await desk.call(tool, pattern="(a|a)+(b|c)+$")
    beside.cancel()
    assert told.is_error
    assert "was stopped" in told.text
    assert turns > 1000


async def test_a_sparse_file_and_one_of_a_single_line_are_searched_in_bounds(
    tmp_path: Path,
) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(4 << 30)
    tree(tmp_path, line="x" * 5_000_000 + " needle")
    told = await grep(Desk(tmp_path), "needle")
    assert told.text.startswith("line\n1:…")
    assert len(told.text) < 1000


async def test_a_folder_that_is_swapped_for_a_link_while_it_is_searched_never_leads_out(
    tmp_path: Path,
) -> None:
    tree(tmp_path, p__sub__f="needle mine\n", out__f="needle secret\n")
    root = tmp_path / "p"
    (root / "link").symlink_to(tmp_path / "out")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (root / "sub").rename(root / "aside")
            (root / "link").rename(root / "sub")
            (root / "sub").rename(root / "link")
            (root / "aside").rename(root / "sub")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(15):
            told = await grep(Desk(root), "needle")
            assert "secret" not in told.text
    finally:
        over.set()
        await asyncio.to_thread(swapping.join, 20)


async def test_forty_searches_at_once_all_come_back(tmp_path: Path) -> None:
    tree(tmp_path, **{f"f{number}": f"needle {number}\n" for number in range(40)})
    desk = Desk(tmp_path)
    found = await asyncio.gather(*(grep(desk, f"needle {number}$") for number in range(40)))
    assert [one.text for one in found] == [f"f{n}\n1:needle {n}" for n in range(40)]


def test_what_a_model_may_ask_for_is_checked(tmp_path: Path) -> None:
    tool = Grep(Desk(tmp_path).place)
    assert takes(tool, '{"pattern": "x", "show": "count", "context": 2}')
    for bad in ("{}", '{"pattern": ""}', '{"pattern": "x", "show": "all"}'):
        with pytest.raises(ValueError, match=r"pattern|show"):
            takes(tool, bad)
    assert tool.read_only
