import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.log.owners import Owner

LIVING = """
import sys
from pathlib import Path
from hearth.log.owners import Owner
owner = Owner(Path(sys.argv[1]), "child")
owner.appear()
print("lives", flush=True)
sys.stdin.read()
"""


def locks_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_an_owner_lives_until_it_vanishes(tmp_path: Path) -> None:
    one, two = Owner(tmp_path / "owners", "one"), Owner(tmp_path / "owners", "two")
    assert not two.lives("one")
    one.appear()
    two.appear()
    assert two.lives("one")
    assert one.lives("two")
    assert one.lives("one")
    one.vanish()
    one.vanish()
    assert not two.lives("one")
    assert locks_in(tmp_path / "owners") == ["two.lock"]
    two.vanish()


def test_a_name_is_taken_once(tmp_path: Path) -> None:
    one = Owner(tmp_path, "one")
    one.appear()
    with pytest.raises(FileExistsError):
        Owner(tmp_path, "one").appear()
    assert Owner(tmp_path, "other").lives("one")
    one.vanish()


async def test_a_killed_process_is_known_to_be_gone(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LIVING, str(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"lives\n"
    me = Owner(tmp_path, "me")
    me.appear()
    me.sweep()
    assert me.lives("child")
    child.kill()
    await child.communicate()
    assert not me.lives("child")
    assert locks_in(tmp_path) == ["child.lock", "me.lock"]
    me.sweep()
    assert locks_in(tmp_path) == ["me.lock"]
    me.vanish()
