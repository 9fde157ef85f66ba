import pytest

from hearth.core.rules.granting import too_wide
from hearth.core.rules.patterns import matches
from hearth.core.vocabulary.permitting import EXECUTE, Grant
from hearth.performers.judging.shell.naming import name_of, pattern_of, word


@pytest.mark.promise("DP-SHELL-04")
@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("git switch main", "git switch <words>"),
        ("git checkout -b fix", "git checkout -b <word>"),
        ("git commit -m x", "git commit -m <word>"),
        ("cargo build -p x --release", "cargo build -p <word> --release"),
        ("gh pr view 12", "gh pr view <words>"),
        ("python -m pytest -q", "python -m pytest -q <words>"),
        ("uv run pytest -q", "uv run pytest -q <words>"),
        ("pytest tests -q", "pytest <words> -q"),
        ("mkdir -p a/b", "mkdir *"),
    ],
)
def test_a_grant_covers_the_words_that_say_what_is_done(line: str, pattern: str) -> None:
    words = tuple(line.split())

    assert pattern_of(words) == pattern
    assert matches(pattern, line)
    assert not too_wide(Grant(EXECUTE, pattern))


@pytest.mark.promise("DP-SHELL-04")
@pytest.mark.parametrize(
    "line",
    [
        "rm -rf dist", "git push --force", "git push", "git reset --hard",
        "git clean -fd", "dd if=a",
        "chmod -R 777 x", "python x.py", "python -c 1", "python -m http.server", "bash x.sh",
        "curl x", "docker run x", "kill 1", "npx x", "make", "git", "git -C x push", "./script a",
        "node x.js", "git branch -D x", "npm exec x", "terraform destroy", "frob --force x",
        "git checkout main", "git checkout .", "npm run dev --watch", "npm install", "make test",
        "docker compose up -d", "pip install x", "kubectl get pods", "frobnicate a b", "frobnicate",
        "git fetch", "git log", "sort a", "java -jar a", "setarch x", "pytest -p x",
    ],
)  # fmt: skip
def test_what_could_do_anything_else_is_granted_exactly(line: str) -> None:
    words = tuple(line.split())

    assert pattern_of(words) == line
    assert not matches(pattern_of(words), f"{line} more")
    assert not too_wide(Grant(EXECUTE, pattern_of(words)))


def test_no_argument_looks_like_several_words_or_like_a_pattern() -> None:
    assert word("a b") == "'a b'"
    assert word("*") == "'*'"
    assert word("it's") == "'it'\\''s'"
    assert word("") == "''"
    assert word("HEAD~1") == "HEAD~1"
    assert name_of(("git", word("checkout main"))) == "git 'checkout main'"
    assert not matches("git checkout *", name_of(("git", word("checkout main"))))


def test_two_commands_never_have_the_same_name() -> None:
    lists = [
        ("a b",),
        ("a", "b"),
        ("'a b'",),
        ("a", "'b'"),
        ("a'", "'b"),
        ("a\\", "b"),
        ("a", "", "b"),
    ]

    assert len({name_of([word(one) for one in words]) for words in lists}) == len(lists)


def test_an_exact_pattern_matches_only_the_very_same() -> None:
    pattern = pattern_of(("rm", word("*.py")))

    assert matches(pattern, "rm '*.py'")
    assert not matches(pattern, "rm 'x.py'")
    assert matches(pattern_of(("rm", word("<words>"))), "rm '<words>'")
