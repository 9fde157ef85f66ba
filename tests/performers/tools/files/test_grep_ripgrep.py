"""With ripgrep, which comes with what is installed for development, `grep` tells the same."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.performers.tools.files.staging import Desk

from hearth.performers.tools.files.gauging import MOST_ENTRIES
from hearth.performers.tools.files.grep import Grep
from hearth.performers.tools.tool import Outcome

RG = Path(sys.executable).parent / "rg"


def use(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> None:
    """Find ripgrep there, or nowhere."""
    rest = [one for one in os.environ["PATH"].split(os.pathsep) if not (Path(one) / "rg").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join([*([str(folder)] if folder else []), *rest]))


async def grep(desk: Desk, pattern: str, **arguments: Any) -> Outcome:
    async with asyncio.timeout(40):
        return await desk.call(Grep(desk.place), pattern=pattern, **arguments)


def stand_in(folder: Path, script: str) -> Path:
    """Something that is called as ripgrep is."""
    (folder / "bin").mkdir()
    (folder / "bin" / "rg").write_text(f"#!{sys.executable} -IS\nimport os, sys\n{script}\n")
    (folder / "bin" / "rg").chmod(0o755)
    return folder / "bin"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    contents = {
        "plain.txt": b"one\nneedle here\nthree\n",
        "returns.txt": b"one\r\nneedle here\r\nthree\r\n",
        "latin.txt": b"caf\xe9 needle caf\xe9\nneedle \xff\xfe\n",
        "long.txt": b"x" * 5000 + b" needle " + b"y" * 5000 + b"\n" + b"needle " + b"z" * 280,
        "mark.txt": b"\xef\xbb\xbfneedle\na\n\nneedle again\n",
        "wide.txt": "one\nneedle wide\n".encode("utf-16"),
        "last": b"a\n\n\nneedle without an end",
        "sub/deep/er.txt": b"needle\nneedle\n\nneedle\n",
        "sub.txt": b"needle\n",
        "\u00fc/\u00fc.txt": "\u00fcber needle\n".encode(),
        ".env": b"needle=secret\n",
        "binary": b"needle\0needle\n",
    }
    for name, content in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
        os.utime(root / name, ns=(1, 1))
    (root / "link").symlink_to(root / ".env")
    return root


@pytest.mark.parametrize("many", [False, True])
async def test_both_searches_tell_the_same(
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    many: bool,  # noqa: FBT001 - a case
) -> None:
    (tree / "fill").mkdir()
    for number in range(MOST_ENTRIES + 1 if many else 0):
        (tree / "fill" / f"f{number}").write_text("hay\n")
    desk = Desk(tree)
    for arguments in (
        {}, {"limit": 3}, {"limit": 5}, {"context": 1}, {"show": "count"}, {"show": "files"},
        {"glob": "*.txt"}, {"path": "sub"}, {"path": "long.txt"}, {"path": ".env"},
    ):  # fmt: skip
        use(monkeypatch, None)
        own = await grep(desk, "needle", **arguments)
        use(monkeypatch, RG.parent)
        assert await grep(desk, "needle", **arguments) == own
        assert not own.is_error
        assert ("secret" in own.text) == (arguments == {"path": ".env"})


async def test_what_is_put_in_the_place_of_what_was_found_is_not_shown(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "er.txt").write_text("secret\nsecret\n")
    (tmp_path / "out" / "secret").write_text("one\nsecret too\n")
    swap = f"""
out = {str(tmp_path / "out")!r}
os.write(1, b"./plain.txt\\x002:1:4:[]\\n./returns.txt\\x002:1:5:[]\\n")
os.write(1, b"./sub/deep/er.txt\\x001:1:0:[]\\n")
os.unlink("plain.txt")
os.symlink(out + "/secret", "plain.txt")
os.rename("sub/deep", "sub/aside")
os.symlink(out, "sub/deep")
"""
    use(monkeypatch, stand_in(tmp_path, swap))
    told = await grep(Desk(tree), "needle")
    assert "secret" not in told.text
    assert "returns.txt\n2:needle here" in told.text


async def test_a_file_that_is_written_while_it_is_searched_is_shown_as_it_is(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = r"""
open("plain.txt", "w").write("other\nwords\nthan before\n")
os.write(1, b"./plain.txt\x002:1:4:[]\n")
"""
    use(monkeypatch, stand_in(tmp_path, write))
    assert (await grep(Desk(tree), "needle")).text == "plain.txt\n2:words"


async def test_a_search_that_nobody_waits_for_any_more_is_gone(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "begun")
    hang = f"""
open({str(tmp_path / "begun")!r}, "w").write(str(os.getpid()))
while True: pass
"""
    use(monkeypatch, stand_in(tmp_path, hang))
    before = len(list(Path("/dev/fd").iterdir()))  # noqa: ASYNC240 - a folder of the system
    searching = asyncio.create_task(grep(Desk(tree), "needle"))
    async with asyncio.timeout(30):
        pid = int(await asyncio.to_thread((tmp_path / "begun").read_text))
        searching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
    assert not psutil.pid_exists(pid)
    assert len(list(Path("/dev/fd").iterdir())) == before  # noqa: ASYNC240 - a folder of the system


async def test_ripgrep_is_not_kept_waiting_by_a_pipe_that_says_what_is_ignored(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, RG.parent)
    (tree / ".ignored").mkdir()
    (tree / ".ignored" / "plain.txt").write_text("needle\n")
    (tree / ".git").mkdir(exist_ok=True)  # only in a repository such files count
    (tree / ".gitignore").unlink(missing_ok=True)
    os.mkfifo(tree / ".gitignore")
    told = await grep(Desk(tree), "needle", show="files")
    assert not told.is_error, told.text
    assert "plain.txt" in told.text
