"""What is written for people is complete and true."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from tests.contracts.words import KINDS, members, tag_of
from tests.repo.tables import filled, markers, parts, stale
from tests.repo.tree import DOCS, ROOT, SRC, documents, parsed, python_files, report, shown

PROTOCOL = DOCS / "protocol.md"
ROUTES = frozenset(
    {"get", "post", "put", "patch", "delete", "route", "asgi", "websocket", "Route", "Mount"}
)
VARIABLE = re.compile(r"\bHEARTH_[A-Z][A-Z_]*[A-Z]\b")


def test_every_word_has_its_line_in_the_protocol() -> None:
    text = PROTOCOL.read_text("utf-8")
    report(
        [
            f"{kind}: {tag_of(word)}"
            for kind, union in KINDS.items()
            for word in members(union)
            if f"\n| `{tag_of(word)}` |" not in text
        ],
        "`make docs` writes the tables of docs/protocol.md",
    )


def test_what_is_drawn_from_the_code_is_current() -> None:
    drawn = parts()
    report(
        [shown(page) for page in sorted(DOCS.rglob("*.md")) if stale(page, drawn)],
        "the code says something else by now: `make docs` draws it again",
    )


def test_everything_that_can_be_drawn_is_in_some_page() -> None:
    shown_somewhere = {
        name for page in DOCS.rglob("*.md") for name in markers(page.read_text("utf-8"))
    }
    report(sorted(set(parts()) - shown_somewhere), "no page of docs/ has the markers of it")


def test_a_page_that_lags_behind_is_seen() -> None:
    page = "a\n<!-- drawn: events -->\nold\n<!-- end: events -->\nb\n"
    assert filled(page, {"events": "new\n"}) == page.replace("old", "\nnew\n")
    with pytest.raises(LookupError):
        filled(page, {})


def test_every_setting_is_documented() -> None:
    text = documents()
    report(
        [f"{name}" for name in _settings() if f"`{name}`" not in text],
        "write in docs/ what it does and what it is when nobody sets it",
    )


def test_every_environment_variable_is_documented() -> None:
    text = documents()
    names = {
        (name, shown(path))
        for path in python_files(SRC)
        for name in VARIABLE.findall(path.read_text("utf-8"))
    }
    report(
        sorted(f"{name} ({path})" for name, path in names if f"`{name}`" not in text),
        "write in docs/ what it does",
    )


def test_every_route_is_documented() -> None:
    text = documents()
    report(
        [
            f"{shown(path)}: {route}"
            for path in python_files(SRC / "servers")
            for route in _routes(parsed(path))
            if f"{route}`" not in text
        ],
        "write in docs/ what it takes and what it answers",
    )


def test_the_gate_sees_routes() -> None:
    tree = ast.parse('@get("/health")\nasync def f(): ...\nRoute(path="/x/{id}")\nget("name")')
    assert list(_routes(tree)) == ["/health", "/x/{id}"]


def test_the_readme_begins_with_the_two_commands() -> None:
    commands = re.findall(r"^```(?:sh|console)\n(.*?)```", _readme(), re.DOTALL | re.MULTILINE)
    lines = [line for block in commands for line in block.splitlines() if line.startswith("make")]
    assert [line.split("#")[0].strip() for line in lines[:2]] == ["make run", "make test"]


def test_the_readme_shows_what_the_demo_shows(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearth", "demo", "--fast"],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "TMPDIR": str(tmp_path)},
        timeout=60,
    )
    played = (done.stdout + done.stderr).decode().splitlines()
    block = re.search(r"^```text\n(.*?)```", _readme(), re.DOTALL | re.MULTILINE)
    assert block is not None
    lines = [line.removesuffix("…") for line in block[1].splitlines() if line.removesuffix("…")]
    assert len(lines) > 10
    report(
        [line for line in lines if not any(one.startswith(line) for one in played)],
        "`hearth demo` shows something else by now: copy it into README.md anew",
    )


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted(DOCS.rglob("*.md"))]
    report(
        [
            f"{shown(page)}: {target}"
            for page in pages
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
            if "://" not in target and not (page.parent / target).exists()
        ],
        "the file that is linked to is not there",
    )


def test_every_decision_is_on_the_list() -> None:
    folder = DOCS / "decisions"
    listed = (folder / "README.md").read_text("utf-8")
    report(
        [
            shown(page)
            for page in sorted(folder.glob("*.md"))
            if page.name != "README.md" and f"]({page.name})" not in listed
        ],
        "link it from docs/decisions/README.md",
    )


def test_every_news_fragment_says_something() -> None:
    fragments = [page for page in (ROOT / "changes").iterdir() if page.name != "README.md"]
    report(
        [
            shown(page)
            for page in fragments
            if not re.fullmatch(r"\d+\.[a-z-]+\.md", page.name)
            or not page.read_text("utf-8").strip()
        ],
        "name it changes/<issue>.<word>.md and say in it what a user gets",
    )


@pytest.mark.parametrize("name", ["constraints.txt", "requirements-uv.txt"])
def test_no_requirement_carries_an_address(name: str) -> None:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    report(
        [
            f"{name}:{number}: {line}"
            for number, line in enumerate(lines, 1)
            if "://" in line or re.match(r"\s*(-i|-f|--(extra-)?index-url|--find-links)\b", line)
        ],
        "where packages come from is the machine's affair",
    )
    pinned = [line for line in lines if "==" in line]
    assert pinned
    assert all(line.endswith("\\") for line in pinned), "every version has its hashes"


def test_every_rule_that_is_off_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    config = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = {
        *config["ignore"],
        *(code for codes in config["per-file-ignores"].values() for code in codes),
    }
    explained = set(re.findall(r'^\s*"([A-Z]+\d*)",\s+# \S+ \S+', text, re.MULTILINE))
    assert config["select"] == ["ALL"]
    report(sorted(codes - explained), "put the reason behind it, in about five words")


def test_every_silenced_warning_in_the_code_says_why() -> None:
    # Spelled in halves, so that these very lines are not among them.
    silenced = re.compile("# (?:no" + "qa|type: ig" + "nore)")
    rule = "(?:no" + "qa: [A-Z0-9, ]+|type: ig" + r"nore\[[\w, -]+\])"
    reasoned = re.compile(rf"# {rule}.*[a-z]{{3}}")
    report(
        [
            f"{shown(path)}:{number}: {line.strip()}"
            for folder in (SRC, ROOT / "tests", ROOT / "bench")
            for path in python_files(folder)
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
            if silenced.search(line) and not reasoned.search(line)
        ],
        "name the rule and say why it is wrong here: `# rule - reason`",
    )


@pytest.mark.promise("SF-TEST-04")
def test_ci_runs_everything() -> None:
    script = ROOT / ".ci" / "run"
    text = script.read_text("utf-8")
    assert text.startswith("#!")
    assert "set -euo pipefail" in text
    assert "make test" in text
    assert script.stat().st_mode & 0o111, "chmod +x .ci/run"


def _readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")


def _settings() -> Iterator[str]:
    """The fields of every struct in hearth.settings, once that exists."""
    for path in python_files(SRC / "settings"):
        if path.name != "__init__.py":
            yield from _fields_in(path)


def _fields_in(path: Path) -> Iterator[str]:
    module = import_module(".".join(path.relative_to(SRC.parent).with_suffix("").parts))
    for one in vars(module).values():
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            yield from (field.encode_name for field in msgspec.structs.fields(one))


def _routes(tree: ast.AST) -> Iterator[str]:
    """Paths that are given to something that makes a route of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                if name in ROUTES:
                    named = [one.value for one in node.keywords if one.arg == "path"]
                    yield from (
                        one.value
                        for one in [*node.args[:1], *named]
                        if isinstance(one, ast.Constant)
                        and isinstance(one.value, str)
                        and one.value.startswith("/")
                    )
            case _:
                pass
