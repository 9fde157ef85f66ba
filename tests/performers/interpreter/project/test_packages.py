from pathlib import Path

import pytest

from hearth.performers.interpreter.project import packages
from hearth.performers.interpreter.project.packages import importables


def write(root: Path, *files: str, **contents: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    for name, content in contents.items():
        (root / f"{name}.py").write_text(content, "utf-8")


def pyproject(root: Path, content: str) -> None:
    (root / "pyproject.toml").write_text(content, "utf-8")


def found(root: Path) -> tuple[list[str], list[str]]:
    one = importables([root])
    assert one.notices == ()
    return [Path(path).relative_to(root).as_posix() for path in one.paths], list(one.modules)


def test_a_project_with_a_src_folder_has_its_packages_there(tmp_path: Path) -> None:
    write(tmp_path, "src/shop/__init__.py", "src/single.py", "tests/test_x.py", "other/__init__.py")
    assert found(tmp_path) == (["src"], ["shop", "single"])


def test_a_flat_project_has_them_beside_its_file(tmp_path: Path) -> None:
    write(
        tmp_path, "shop/__init__.py", "helper.py", "tests/__init__.py", "docs/__init__.py",
        "setup.py", "conftest.py", "noxfile.py", "test_shop.py", "data/x.csv", "not-a-name.py",
        ".hidden/__init__.py", "venv/lib/__init__.py",
    )  # fmt: skip
    assert found(tmp_path) == (["."], ["helper", "shop"])


@pytest.mark.promise("SF-EVAL-05")
def test_the_modules_inside_of_packages_come_with_them(tmp_path: Path) -> None:
    write(
        tmp_path, "src/shop/__init__.py", "src/shop/cart.py", "src/shop/deep/__init__.py",
        "src/shop/deep/tax.py", "src/shop/__main__.py", "src/shop/tests/__init__.py",
        "src/shop/tests/test_cart.py", "src/shop/test_more.py", "src/shop/data/file.py",
        "src/shop/__pycache__/x.py", "src/shop/not-a-name.py",
    )  # fmt: skip
    assert found(tmp_path)[1] == ["shop", "shop.cart", "shop.deep", "shop.deep.tax"]


def test_a_namespace_without_a_file_is_found_by_what_is_in_it(tmp_path: Path) -> None:
    write(tmp_path, "src/company/shop/__init__.py", "src/company/shop/cart.py")
    assert found(tmp_path) == (["src"], ["company.shop", "company.shop.cart"])


@pytest.mark.parametrize(
    "content",
    [
        '[tool.setuptools.packages.find]\nwhere = ["lib"]',
        '[tool.setuptools.package-dir]\n"" = "lib"',
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/shop"]',
        '[[tool.poetry.packages]]\ninclude = "shop"\nfrom = "lib"',
        '[tool.uv.build-backend]\nmodule-root = "lib"',
        '[tool.maturin]\npython-source = "lib"',
        '[tool.pdm.build]\npackage-dir = "lib"',
    ],
)
def test_what_a_build_tool_says_counts(tmp_path: Path, content: str) -> None:
    write(tmp_path, "lib/shop/__init__.py", "src/wrong/__init__.py", "wrong/__init__.py")
    pyproject(tmp_path, content)
    assert found(tmp_path) == (["lib"], ["shop"])


def test_a_single_module_that_is_declared_is_imported_whatever_it_does(tmp_path: Path) -> None:
    write(tmp_path, shop="print('hello')")
    pyproject(tmp_path, '[tool.setuptools]\npy-modules = ["shop"]')
    assert found(tmp_path) == (["."], ["shop"])


def test_what_a_build_tool_says_and_is_not_there_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "src/shop/__init__.py")
    pyproject(tmp_path, '[tool.setuptools.packages.find]\nwhere = ["gone"]')
    assert found(tmp_path) == (["src"], ["shop"])


def test_a_loose_script_that_just_does_its_work_is_not_imported(tmp_path: Path) -> None:
    write(
        tmp_path,
        train="import x\nfor epoch in range(9):\n    x.train()",
        run="def main(): ...\nmain()",
        tool="'Doc.'\nimport os\nX = os.getcwd()\ndef f(): ...\nif __name__ == 'x':\n  f()",
        broken="def f(:",
    )
    one = importables([tmp_path])
    assert one.modules == ("broken", "tool")
    assert [notice.partition(" ")[0] for notice in one.notices] == [
        str(tmp_path / "run.py"),
        str(tmp_path / "train.py"),
    ]


@pytest.mark.promise("SF-RES-06")
def test_several_projects_are_put_together(tmp_path: Path) -> None:
    write(tmp_path, "a/src/one/__init__.py", "b/two/__init__.py", "c/README")
    both = importables([tmp_path / name for name in ("a", "b", "c", "gone")])
    assert both.paths == (str(tmp_path / "a" / "src"), str(tmp_path / "b"))
    assert both.modules == ("one", "two")


@pytest.mark.promise("SF-RES-08")
def test_an_empty_folder_has_nothing_and_that_is_fine(tmp_path: Path) -> None:
    assert importables([tmp_path]) == importables([]) == packages.Importables()


def test_a_pyproject_that_cannot_be_read_is_a_notice(tmp_path: Path) -> None:
    write(tmp_path, "shop/__init__.py")
    pyproject(tmp_path, "[tool")
    one = importables([tmp_path])
    assert one.modules == ("shop",)
    assert str(tmp_path / "pyproject.toml") in one.notices[0]


@pytest.mark.parametrize(
    "content",
    [
        '[tool]\nsetuptools = 5\nhatch = "x"\npoetry = []',
        '[tool.poetry]\npackages = [1, {include = 5}]\n[tool.setuptools]\npackages = ["shop"]',
        "[tool.setuptools.packages]\nfind = 3",
    ],
)
def test_strange_values_mean_nothing(tmp_path: Path, content: str) -> None:
    write(tmp_path, "shop/__init__.py")
    pyproject(tmp_path, content)
    assert found(tmp_path) == (["."], ["shop"])


def test_of_a_very_large_package_only_the_top_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "MOST", 3)
    write(tmp_path, "big/__init__.py", *(f"big/m{number}.py" for number in range(5)), "small.py")
    one = importables([tmp_path])
    assert one.modules == ("big", "small")
    assert "only big itself is imported" in one.notices[0]
