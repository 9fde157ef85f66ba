"""What one command is granted for does not let another one be run."""

import pytest
from tests.performers.judging.shell.project import Project, make_project

from hearth.core.rules.granting import too_wide
from hearth.core.rules.permission import judge, strictest
from hearth.core.vocabulary.permitting import Grant, Verdict

HOSTILE = [
    ("make test", "make test --eval='$(shell touch x)'"),
    ("make test", "make test SHELL=./evil"),
    ("make test", "make test deploy"),
    ("git fetch", "git fetch --upload-pack='touch x;' ."),
    ("git pull", "git pull --upload-pack='touch x;' ."),
    ("git ls-remote", "git ls-remote --upload-pack='touch x;' ./bare"),
    ("git clone x y", "git clone -c core.fsmonitor='touch x' . z"),
    ("git archive HEAD", "git archive --remote=. --exec='touch x;' HEAD"),
    ("git grep -O foo", "git grep -Otouch foo"),
    ("git log --output-indicator-new=x", "git log --output=src/app.py"),
    ("git diff --ext-diff", "git diff --output=src/app.py"),
    ("git checkout main", "git checkout ."),
    ("git checkout main", "git checkout -- ."),
    ("git checkout -b main", "git checkout -b main -f"),
    ("git commit -m x", "git commit -m x --no-verify"),
    ("git commit -m x", "git commit -m x --amend"),
    ("git switch main", "git switch -f main"),
    ("git switch main", "git switch --discard-changes main"),
    ("git add a.txt", "git add -e"),
    ("git add a.txt", "cd bare && git add ."),
    ("git commit -m x", "cd worktree && git commit -m x"),
    ("git remote add a b", "git remote add a 'ext::sh -c touch'"),
    ("git apply x", "git apply --unsafe-paths x"),
    ("rg -z foo", "rg --pre ./evil.sh foo"),
    ("sort -o a.txt a.txt", "sort -o b.txt a.txt"),
    ("sort -T . a.txt", "sort --compress-program=./evil.sh -S1 a.txt"),
    ("uniq a.txt b.txt", "uniq a.txt src/app.py"),
    ("tree -o x", "tree -o src/app.py"),
    ("xmllint a", "xmllint --output src/app.py a"),
    ("go test ./...", "go test -exec ./evil.sh ./..."),
    ("go build", "go build -toolexec ./evil.sh"),
    ("go vet ./...", "go vet -vettool=./evil.sh"),
    ("cargo test", "cargo test --config 'target.x.runner=\"./evil.sh\"'"),
    ("cargo test", "cargo test -- --logfile x"),
    ("pytest tests", "pytest -p evil"),
    ("pytest tests", "pytest '-p' evil"),
    ("pytest tests", "pytest tests -pevil"),
    ("pytest -q", "pytest -q -c /dev/null"),
    ("pytest -q", "pytest -q @options"),
    ("pytest -q", "pytest -q /etc"),
    ("pytest -k x", "pytest -k x -p evil"),
    ("ruff check .", "ruff check --fix ."),
    ("ruff check .", "ruff clean"),
    ("gcc a.c", "gcc -wrapper ./evil.sh a.c"),
    ("cmake .", "cmake -P evil.cmake"),
    ("cmake .", "cmake -E rm -rf src"),
    ("npm test", "npm test --script-shell=./evil.sh"),
    ("npm run build", "npm run build --script-shell=./evil.sh"),
    ("npm install", "npm install evil"),
    ("pip install x", "pip install evil"),
    ("mvn test", "mvn test exec:exec -Dexec.executable=touch"),
    ("gradle test", "gradle test -I evil.gradle"),
    ("java -jar a", "java -jar b"),
    ("setarch x", "setarch sh -c touch"),
    ("fakeroot ls", "fakeroot sh -c touch"),
    ("hyperfine ls", "hyperfine 'touch x'"),
    ("mise exec ls", "mise exec -- sh"),
    ("kubectl get pods", "kubectl get secrets"),
    ("mkdir a", "mkdir b"),
    ("touch a", "touch .git/hooks/post-checkout"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("grants"))


def offered(project: Project, line: str) -> tuple[Grant, ...]:
    """What could be allowed for longer when this is asked for."""
    needs = project.analyse(line).needs
    asked = [need for need in needs if judge(need, ()).verdict is Verdict.ASK]
    return tuple(Grant(need.permission, need.pattern) for need in asked if need.pattern)


def verdict(project: Project, line: str, grants: tuple[Grant, ...]) -> Verdict:
    needs = project.analyse(line).needs
    return strictest(judge(need, (), grants).verdict for need in needs)


@pytest.mark.promise("DP-SHELL-04")
@pytest.mark.parametrize(("granted", "other"), HOSTILE)
def test_another_command_is_asked_for(project: Project, granted: str, other: str) -> None:
    grants = offered(project, granted)

    assert not any(map(too_wide, grants))
    assert verdict(project, granted, grants) is Verdict.ALLOW
    assert verdict(project, other, grants) is not Verdict.ALLOW


@pytest.mark.promise("DP-SHELL-04")
@pytest.mark.parametrize(
    ("granted", "other"),
    [
        ("pytest tests", "pytest src tests"),
        ("pytest -q tests", "pytest -q src/app.py::test_a"),
        ("pytest tests -k 'a b'", "pytest src -k 'not (c or d)'"),
        ("python -m pytest", "python -m pytest src"),
        ("git add a.txt", "git add ."),
        ("git switch main", "git switch fix"),
        ("git commit -m x", 'git commit -m "it\'s\n  done"'),
        ("cargo test", "cargo test parser"),
        ("go test ./...", "go test ./src"),
    ],
)
def test_the_same_about_something_else_is_not(project: Project, granted: str, other: str) -> None:
    assert verdict(project, other, ()) is Verdict.ASK
    assert verdict(project, other, offered(project, granted)) is Verdict.ALLOW
