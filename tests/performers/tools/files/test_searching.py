import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.performers.tools.files.globbing import Glob
from hearth.performers.tools.files.programs import Bounds
from hearth.performers.tools.files.searching import Found, Hit, NotSearched, Search, found


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    for name, text in {
        "a.py": "x = 1\nneedle = 2\n",
        "src/b.py": "needle\nNeedle\nneedle needle\n",
        "src/c.md": "needle\n",
        "build/d.py": "needle\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".gitignore").write_text("build/\n")
    (tmp_path / "secret").write_text("needle\n")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "out").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    subprocess.run(["git", "init", "-q", str(root)], check=True)  # noqa: S603, S607 - the git of the tests
    monkeypatch.setenv("PATH", _without("rg"))
    return root


def _without(name: str) -> str:
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(one for one in folders if not (Path(one) / name).exists())


async def look(where: Path, pattern: str, **how: object) -> Found:
    async with asyncio.timeout(30):
        return await found(Search(pattern, str(where), **how))  # type: ignore[arg-type] # by name


async def test_lines_are_found_in_what_git_does_not_ignore_and_through_no_link(tree: Path) -> None:
    assert await look(tree, "needle") == Found(
        {
            "a.py": [Hit(2, 1)],
            "src/b.py": [Hit(1, 1), Hit(3, 1)],
            "src/c.md": [Hit(1, 1)],
        }
    )
    every = await look(tree, "needle", ignored=True)
    assert sorted(every.files) == ["a.py", "build/d.py", "src/b.py", "src/c.md"]


async def test_other_ways_to_ask_are_answered(tree: Path) -> None:
    counted = await look(tree, "needle", mode="count", ignore_case=True)
    assert {name: hits[0].times for name, hits in counted.files.items()} == {
        "a.py": 1, "src/b.py": 3, "src/c.md": 1,
    }  # fmt: skip
    named = await look(tree, "needle", mode="files", glob=Glob("*.py"), globbed="*.py")
    assert list(named.files) == ["a.py", "src/b.py"]
    [hits] = (await look(tree / "src" / "b.py", "needle", is_file=True)).files.values()
    assert hits == [Hit(1, 1), Hit(3, 1)]
    assert (await look(tree, "nothing like it")).files == {}


async def test_a_pattern_that_hangs_is_ended_while_others_go_on(tree: Path) -> None:
    (tree / "hang").write_text("a" * 5000 + "\n")
    with pytest.raises(NotSearched, match="took longer than 2 s and was stopped"):
        async with asyncio.timeout(30):
            await found(Search("(a+)+b|(b+)+c", str(tree)), Bounds(2.0, 1000))


async def test_a_pattern_that_is_none_is_told(tree: Path) -> None:
    with pytest.raises(NotSearched, match=r"no valid regular expression: .*unterminated"):
        await look(tree, "(needle")


async def test_what_is_found_too_often_is_cut(tree: Path) -> None:
    (tree / "many").write_text("needle\n" * 50_000)
    async with asyncio.timeout(30):
        cut = await found(Search("needle", str(tree)), Bounds(20, 10_000))
    assert cut.is_cut
    assert 100 < sum(map(len, cut.files.values())) < 2000


async def test_ripgrep_is_asked_where_it_is_and_told_to_be_careful(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"""#!{sys.executable}
import sys
open({str(tmp_path / "asked")!r}, "w").write("\\n".join(sys.argv[1:]))
print("./src/b.py\\0003:1:14:[Omitted long matching line]")
print("./bin: WARNING: stopped searching binary file after match")
print("./a.py\\0002:1:6:[Omitted long matching line]")
print("./src/c.md\\0001:1:0:[Omitted long matching line]")
"""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").write_text(script)
    (tmp_path / "bin" / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    result = await look(tree, "-needle", glob=Glob("*.py"), globbed="*.py", root=str(tree))
    assert result.files == {"a.py": [Hit(2, 1, 0, 6)], "src/b.py": [Hit(3, 1, 0, 14)]}
    assert result.in_bytes
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[0] == "--no-config"
    assert asked[-4:] == ["-e", "-needle", "--", "."]
    assert not [one for one in asked if one.startswith(("--pre", "--follow", "-L", "-z"))]


async def test_what_ripgrep_counts_is_read_as_it_writes_it(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    # Told that lines may end in CR LF, it ends its own so when it counts.
    (tmp_path / "bin" / "rg").write_text(
        "#!/bin/sh\nprintf './a.py\\0002\\r\\n./b\\nc\\0001\\r\\n'\n"
    )
    (tmp_path / "bin" / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    result = await look(tree, "x", mode="count")
    assert result.files == {"a.py": [Hit(times=2)], "b\nc": [Hit(times=1)]}


async def test_what_ripgrep_does_not_take_is_searched_by_ourselves(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").write_text(
        "#!/bin/sh\necho 'look-around is not supported' >&2\nexit 2\n"
    )
    (tmp_path / "bin" / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert list((await look(tree, "needle(?! =)")).files) == ["src/b.py", "src/c.md"]
