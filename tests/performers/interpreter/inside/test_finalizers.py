"""At its end a branch does what was asked for in it, and nothing that was there before it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.copies import branch, undo
from tests.performers.interpreter.inside.driving import Worker, new_folder, runtime_folder, worker

SETTING = """
import atexit, os, tempfile, weakref
class Thing: pass
def tell(what):
    with open({told!r}, 'a') as file: file.write(what + '\\n')
class Loud:
    def __del__(self, tell=tell): tell(self.name + ' deleted')
def make(name):
    made = Thing(), Loud(), tempfile.TemporaryDirectory(), tempfile.NamedTemporaryFile('w')
    made[1].name = name
    weakref.finalize(made[0], tell, name + ' finalized')
    atexit.register(tell, name + ' exited')
    atexit.register(tempfile.TemporaryDirectory().cleanup)
    return made
thing, loud, folder, file = first = make('first')
print(folder.name, file.name)
"""


@pytest.fixture
def runtime() -> Iterator[Path]:
    with runtime_folder() as made:
        yield made


class Scene:
    """A kernel that has things to clean up, and where what happens to them is told."""

    def __init__(self, one: Worker, told: Path) -> None:
        told.touch()
        self.one = one
        self.told = told
        self.paths = self.made(one, SETTING.format(told=str(told)))

    def made(self, where: Worker, code: str) -> list[Path]:
        ran = where.run(code)
        assert ran.status == "ok", ran.content
        paths = [Path(line) for line in ran.text().split()]
        assert self.there(paths) == [True] * len(paths)
        return paths

    def there(self, paths: list[Path] | None = None) -> list[bool]:
        return [path.exists() for path in (self.paths if paths is None else paths)]

    def lines(self) -> list[str]:
        return sorted(self.told.read_text().splitlines())


@pytest.fixture
def scene(runtime: Path, tmp_path: Path) -> Iterator[Scene]:
    with worker(runtime) as one:
        yield Scene(one.ready(), tmp_path / "told")


def end(one: Worker) -> None:
    """As the daemon does, when somebody stops the session."""
    one.send("shutdown_request", {"restart": False}, channel="control")
    ended = one.ended()
    assert ended["code"] == 0, (ended, one.stdio)
    assert "Error" not in one.stdio


ALL_OF_FIRST = ["first deleted", "first exited", "first finalized"]


def test_a_branch_leaves_what_is_its_originals(scene: Scene, runtime: Path) -> None:
    with branch(scene.one, runtime) as other:
        end(other)
    assert scene.there() == [True, True]
    assert scene.lines() == []
    assert scene.one.run("os.path.exists(folder.name), file.write('more')").value == "(True, 4)"
    end(scene.one)
    assert scene.there() == [False, False]
    assert scene.lines() == ALL_OF_FIRST


def test_a_branch_cleans_up_what_began_in_it(scene: Scene, runtime: Path, tmp_path: Path) -> None:
    written = tmp_path / "written"
    with branch(scene.one, runtime) as other:
        own = scene.made(
            other,
            "second = make('second'); print(second[2].name, second[3].name)\n"
            f"kept = open({str(written)!r}, 'w'); kept.write('to the end'); None",
        )
        end(other)
    assert scene.there(own) == [False, False]
    assert scene.there() == [True, True]
    assert scene.lines() == ["second exited", "second finalized"]
    assert written.read_text() == "to the end"


def test_each_leaves_what_those_before_it_made(scene: Scene, runtime: Path) -> None:
    with branch(scene.one, runtime) as second:
        own = scene.made(second, "again = make('second'); print(again[2].name, again[3].name)")
        with branch(second, runtime) as third:
            third.run("atexit.register(tell, 'third exited')")
            end(third)
        assert scene.lines() == ["third exited"]
        assert scene.there(own) == [True, True]
        end(scene.one)
        assert scene.there() == [False, False]
        assert scene.there(own) == [True, True]


def test_to_bind_a_name_anew_in_a_branch_takes_nothing_away(scene: Scene, runtime: Path) -> None:
    with branch(scene.one, runtime) as other:
        other.run("del first; folder, file = None, None")
        assert scene.there() == [True, True]
        end(other)
    assert scene.there() == [True, True]


def test_what_is_cleaned_up_explicitly_is(scene: Scene, runtime: Path) -> None:
    with branch(scene.one, runtime) as other:
        assert other.run("folder.cleanup()").status == "ok"
    assert scene.there() == [False, True]


def _variant(scene: Scene, runtime: Path, **record: object) -> Worker:
    folder = new_folder(runtime)
    (folder / "worker.json").write_text(json.dumps({"trial": "c1"}))
    made = scene.one.ask("branch", channel="control", folder=str(folder), tried=True)
    other = Worker(folder, made["guardian"])
    other.ready().run("atexit.register(tell, 'variant exited'); folder = None")
    assert scene.there() == [True, True], "it may be dropped yet"
    if record:
        (folder / "worker.json").write_text(json.dumps(record))
    return other


def test_a_variant_that_was_not_kept_leaves_them(scene: Scene, runtime: Path) -> None:
    other = _variant(scene, runtime)
    end(other)
    other.close()
    assert scene.there() == [True, True]
    assert scene.lines() == ["variant exited"]


def test_a_variant_that_was_kept_has_them_for_its_own(scene: Scene, runtime: Path) -> None:
    other = _variant(scene, runtime, trial=None)
    assert scene.one.run("'there'").value == "'there'"
    end(other)
    other.close()
    assert scene.there() == [False, False]
    assert scene.lines() == sorted([*ALL_OF_FIRST, "variant exited"])


def test_a_branch_of_a_variant_that_was_kept_leaves_them(scene: Scene, runtime: Path) -> None:
    kept = _variant(scene, runtime, trial=None)
    with branch(kept, runtime) as other:
        end(other)
    assert scene.there() == [True, True]
    assert scene.lines() == []
    kept.close()


def test_what_is_woken_has_them_for_its_own(scene: Scene) -> None:
    scene.one.run("folder.name", copy="a")
    undo(scene.one, "a")
    assert scene.there() == [True, True]
    assert scene.lines() == []
    end(scene.one)
    assert scene.there() == [False, False]
    assert scene.lines() == ALL_OF_FIRST
