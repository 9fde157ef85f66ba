from pathlib import Path

from hearth.settings.walking import ancestors, folders


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)


def names_in(root: Path, deepest: int = 6, most: int = 100) -> list[str]:
    return [one.relative_to(root).as_posix() for one in folders(root, deepest, most)]


def test_nearer_folders_come_first_and_each_level_is_sorted(tmp_path: Path) -> None:
    make(tmp_path, "b/x", "a/z", "a/y")
    assert names_in(tmp_path) == [".", "a", "b", "a/y", "a/z", "b/x"]


def test_what_is_hidden_installed_or_made_is_left_out(tmp_path: Path) -> None:
    make(
        tmp_path, "good", ".git/x", ".venv/x", "venv/x", "node_modules/x", "__pycache__", "build",
        "mine/lib", "shop.egg-info", "shop-1.0.dist-info",
    )  # fmt: skip
    (tmp_path / "mine" / "pyvenv.cfg").write_bytes(b"")
    assert names_in(tmp_path) == [".", "good"]


def test_links_are_not_followed_so_that_no_walk_goes_round(tmp_path: Path) -> None:
    make(tmp_path, "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert names_in(tmp_path) == [".", "a"]


def test_the_walk_ends_at_its_bounds(tmp_path: Path) -> None:
    make(tmp_path, "a/b/c/d", "e")
    assert names_in(tmp_path, deepest=2) == [".", "a", "e", "a/b"]
    assert names_in(tmp_path, most=2) == [".", "a"]


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert names_in(tmp_path / "gone") == ["."]


def test_ancestors_begin_with_the_folder_itself() -> None:
    assert list(map(str, ancestors(Path("/a/b")))) == ["/a/b", "/a", "/"]
