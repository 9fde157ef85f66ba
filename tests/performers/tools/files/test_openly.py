import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.performers.tools.files.staging import SESSION

from hearth.core.vocabulary.permitting import READ, Need, Verdict
from hearth.performers.judging.paths import Place, path_needs
from hearth.performers.tools.files import openly
from hearth.performers.tools.files.allowed import usual
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.openly import Openly
from hearth.performers.tools.tool import Scene

NAMES = (
    "a.txt", "src/b.py", "src/.env", "src/.env.example", "src/key.pem", "src/KEY.PEM", "-dash",
    "src/[a]*?.txt", "src/back\\slash", "src/sp ace\nline", "\u00fcmlaut/x", "plain/\u00fc",
    ".ssh/config", ".ssh/known.py", "own/code", "own/lent/result", "beside/own.txt", ".git/config",
    "credentials", "deep/er/still/token.json", "deep/er/still/more.json",
)  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for root in ("project", "outside"):
        for name in NAMES:
            file = tmp_path / root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    (tmp_path / "project" / "link").symlink_to(tmp_path / "project" / "a.txt")
    (tmp_path / "project" / "secret.txt").symlink_to(tmp_path / "project" / "src" / ".env")
    (tmp_path / "project" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "written").symlink_to(tmp_path / "project")
    os.mkfifo(tmp_path / "project" / "pipe")
    return tmp_path


def places(tree: Path) -> Iterator[Place]:
    root, own = str(tree / "project"), str(tree / "project" / "own")
    yield Place(root, root)
    yield Place(root, str(tree / "written"))
    yield Place(root, root, forbidden=(own,), readable=(f"{own}/lent",))
    yield Place(root, root, forbidden=(f"{root}/a.txt", str(tree / "outside" / "src")))
    yield Place(root, root, forbidden=(str(tree),))
    yield Place(root, "", auto_allow=(str(tree / "outside"),))
    yield Place(root, "/")


def scene(tree: Path) -> Scene:
    return Scene(SESSION, str(tree), str(tree))


def test_what_a_file_takes_is_what_it_takes_by_the_rules_for_paths(tree: Path) -> None:
    names = [*NAMES, "link", "secret.txt", "pipe", "missing", "folder/a.txt", "src", "src/../a.txt"]
    for place in places(tree):
        with closing(Descent()) as descent:
            asked = Openly(scene(tree), place, usual, descent)
            for root in ("project", "outside"):
                for name in names:
                    path = f"{tree}/{root}/{name}"
                    assert asked.needs(path) == path_needs(path, READ, place)
                    if name in NAMES:
                        opening = asked.needs(path, will_open=True)
                        assert opening == path_needs(path, READ, place)


def test_of_plain_files_the_way_to_them_is_not_gone_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []

    def noted(path: str, permission: str, place: Place) -> tuple[Need, ...]:
        gone.append(path)
        return path_needs(path, permission, place)

    monkeypatch.setattr(openly, "path_needs", noted)
    root = str(tree / "project")
    with closing(Descent()) as descent:
        asked = Openly(scene(tree), Place(root, root), usual, descent)
        assert asked.may_show(f"{root}/a.txt")
        assert asked.may_show(f"{root}/src/b.py", will_open=True)
        assert gone == []
        assert not asked.may_show(f"{root}/src/.env")
        assert not asked.may_show(f"{root}/secret.txt")
        assert gone == [f"{root}/src/.env", f"{root}/secret.txt"]


def test_rules_are_asked_about_every_file(tree: Path) -> None:
    root = str(tree / "project")

    def judge(_scene: Scene, need: Need) -> Verdict:
        return Verdict.DENY if need.target == "src/b.py" else Verdict.ALLOW

    with closing(Descent()) as descent:
        asked = Openly(scene(tree), Place(root, root), judge, descent)
        assert not asked.may_show(f"{root}/src/b.py")
        assert asked.may_show(f"{root}/src/.env")
        assert asked.may_show(f"{tree}/outside/a.txt")
