import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.harmless import generalised, is_harmless
from hearth.core.rules.patterns import matches

EVERYDAY = [
    ("pytest", "pytest <words>"),
    ("pytest tests/a.py::test_b", "pytest <words>"),
    ("pytest tests -q", "pytest <words> -q"),
    ("pytest -x -q --tb=short tests", "pytest -x -q --tb=short <words>"),
    ("pytest -k 'a or b' -q", "pytest -k <word> -q <words>"),
    ("pytest -m slow", "pytest -m <word> <words>"),
    ("python -m pytest -q", "python -m pytest -q <words>"),
    ("python3.11 -m unittest tests.a", "python3.11 -m unittest <words>"),
    ("uv run pytest tests", "uv run pytest <words>"),
    ("uv run python -m mypy src", "uv run python -m mypy <words>"),
    ("ruff check src tests", "ruff check <words>"),
    ("ruff format --check .", "ruff format --check <words>"),
    ("cargo test parser -- --nocapture", "cargo test <words> -- --nocapture"),
    ("cargo build -p core --release", "cargo build -p <word> --release"),
    ("go test -run TestA ./...", "go test -run <word> <words>"),
    ("git add .", "git add <words>"),
    ("git add -A", "git add -A <words>"),
    ("git switch main", "git switch <words>"),
    ("git switch -c fix", "git switch -c <word> <words>"),
    ("git checkout -b fix", "git checkout -b <word>"),
    ("git commit -m 'it is done'", "git commit -m <word>"),
    ("git commit -am x", "git commit -am <word>"),
    ("gh pr view 12 --comments", "gh pr view <words> --comments"),
    ("mkdir -p a/b", "mkdir *"),
    ("touch a", "touch *"),
]


def split(line: str) -> list[str]:
    """The words of a line, as rules know them."""
    plain = re.compile(r"[\w./:=@-]+")
    return [one if plain.fullmatch(one) else shlex.quote(one) for one in shlex.split(line)]


@pytest.mark.parametrize(("line", "pattern"), EVERYDAY)
def test_what_is_known_to_be_harmless_is_granted_with_other_words(line: str, pattern: str) -> None:
    assert generalised(split(line)) == pattern
    assert matches(pattern, line)
    assert is_harmless(pattern)


@pytest.mark.parametrize(
    "line",
    [
        "", "pytest -p evil", "pytest -pevil", "pytest -c x tests", "pytest --rootdir=/",
        "pytest -k", "pytest 'a b'", "pytest -k -p", "pytest --tb=$x", "pytest a --", "pytests",
        "python -m", "python -m http.server", "python -m mkdir a", "python -m git add a",
        "pythonx -m pytest", "perl -m pytest", "python pytest", "uv run", "uv run mkdir a",
        "uv run git add a", "uv run uv run pytest", "uv run -m pytest", "unittest a",
        "./pytest a", "/usr/bin/git add a", "'git add' a", "ruff", "ruff format a",
        "ruff check --fix", "black a", "make", "make test", "npm test", "npm run dev --watch",
        "git", "git checkout main", "git checkout .", "git checkout -- a", "git checkout -b a b",
        "git checkout -B a", "git commit -m x a", "git commit --amend", "git commit -m x -n",
        "git switch -f a", "git switch -C a", "git add -f a", "git add -p", "git -C x add a",
        "git fetch", "git pull", "git push", "git stash", "git diff --stat", "cargo run",
        "cargo test --config x", "go build", "go test -exec x", "go run x", "gh api x",
        "gh pr merge 1", "frobnicate a", "rm a", "cp a b", "sort a", "docker ps", "pip install a",
    ],
)  # fmt: skip
def test_of_all_else_nothing_is_offered_but_itself(line: str) -> None:
    assert generalised(split(line)) == ""


@pytest.mark.parametrize(
    "pattern",
    [
        "*", "git *", "git add *", "git add <words> -f", "git add <words> <words>", "pytest *",
        "pytest -p <word>", "pytest <word>", "pytest <words> *", "mkdir -p *", "mkdir <words>",
        "* <words>", "<words>", "git commit <words>", "git commit -m *", "git checkout <words>",
        "git checkout -b <word> <words>", "\\git add <words>", "git  add <words>",
        "gi? add <words>",
        "git add  <words>", "git add <words> ", "touch * *", "frobnicate <words>", "x", "",
    ],
)  # fmt: skip
def test_no_other_pattern_is_harmless(pattern: str) -> None:
    assert not is_harmless(pattern)


_SOME = [one for line, _ in EVERYDAY for one in split(line)]
_WORDS = st.sampled_from(sorted({*_SOME, "<word>", "<words>", "'<word>'", "-p", "a=b", "''"}))
_OPERANDS = st.lists(st.sampled_from(["a", "./b.c", "x::y", "<"]), max_size=3)


@given(st.sampled_from(EVERYDAY), st.lists(_WORDS, max_size=6), _OPERANDS)
def test_whatever_is_offered_holds_only_commands_for_which_it_would_be_offered(
    everyday: tuple[str, str], more: list[str], others: list[str]
) -> None:
    words = [*split(everyday[0]), *more]
    pattern = generalised(words)
    if not pattern:
        return

    assert matches(pattern, " ".join(words))
    assert is_harmless(pattern)
    parts = pattern.split(" ")
    other = [one for part in parts for one in (others if part == "<words>" else [part])]
    other = ["'it'\\''s'" if one in {"<word>", "*"} else one for one in other]
    assert matches(pattern, " ".join(other)) == ("<" not in other)
    if "<" not in other:
        assert matches(generalised(other), " ".join(other))
