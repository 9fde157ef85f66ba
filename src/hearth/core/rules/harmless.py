"""The commands that may be granted with other words than those they were asked for with.

Most cannot be: nearly every program has an option that runs another one, writes to a file that it
names or changes what is run, and most have words that do something else altogether. So this is a
list of what is known, with the options that are known, and all else is granted word for word. Of a
command that is listed its options are kept as they are; what may be another are the values of some
of them (`<word>`), and the words that are no options (`<words>`), where these only say which tests,
files or numbers it is about. What is listed may run the project's own code: whoever lets it be run
once lets it be run.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from hearth.core.rules import patterns

_WORDS: Final = "<words>"
_WORD: Final = "<word>"
_ANY: Final = "*"


class _Known(NamedTuple):
    """What may stand behind a command."""

    flags: frozenset[str]
    values: frozenset[str]
    """Options with a value, which may be any."""
    has_words: bool
    """Whether there may be others than options."""


def _known(flags: str = "", values: str = "", *, has_words: bool = True) -> _Known:
    return _Known(frozenset(flags.split()), frozenset(values.split()), has_words)


_PYTEST: Final = _known(
    "-q -qq -v -vv -vvv -x -s -l -ra -rA -rf -rs --quiet --verbose --exitfirst --showlocals --lf"
    " --last-failed --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only"
    " --no-header --no-summary --disable-warnings --strict-markers",
    "-k -m -n --maxfail --tb --durations",
)
_TOOLS: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        "pytest": _PYTEST,
        "py.test": _PYTEST,
        "mypy": _known("-v --verbose --strict --pretty --no-error-summary --show-error-codes"),
        "pyright": _known("--stats --verbose --outputjson --warnings"),
        "ty check": _known("-q --quiet -v --verbose"),
        "ruff check": _known(
            "-q --quiet -v --verbose --no-fix --diff --statistics --preview",
            "--select --ignore --extend-select --output-format",
        ),
        "ruff format --check": _known("-q --quiet --diff"),
        "ruff format --diff": _known("-q --quiet --check"),
        "black --check": _known("-q --quiet --diff"),
        "flake8": _known("-q -v --count --statistics"),
        "pyflakes": _known(),
        "pycodestyle": _known("-q -v --count --statistics"),
    }
)
"""Of the environment of a Python project: also by way of what finds them in it."""

_MODULES: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        **{name: known for name, known in _TOOLS.items() if name not in {"py.test", "ty check"}},
        "unittest": _known("-v -q -f -b --verbose --quiet --failfast --buffer --locals", "-k"),
    }
)
"""What `python -m` runs."""
_PYTHON: Final = re.compile(r"python(?:3(?:\.\d{1,2})?)?")
_RUNNERS: Final = frozenset({("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run")})

_CARGO: Final = (
    "-q --quiet -v --verbose --release --all --workspace --all-targets --all-features"
    " --no-default-features --lib --bins --tests --offline --locked --frozen"
)
_CARGO_VALUES: Final = "-p --package --bin --test --example --features -F -j --jobs"
_CARGO_TEST: Final = _known(
    f"{_CARGO} --doc --no-run --no-fail-fast -- --nocapture --ignored --include-ignored --exact",
    _CARGO_VALUES,
)
_CARGO_BUILD: Final = _known(_CARGO, _CARGO_VALUES, has_words=False)
_GH: Final = _known("--comments -c --log --log-failed", "--json --limit -L --state -s")

_COMMANDS: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        **_TOOLS,
        "cargo test": _CARGO_TEST,
        "cargo bench": _CARGO_TEST,
        **dict.fromkeys(("cargo build", "cargo check", "cargo clippy"), _CARGO_BUILD),
        "go test": _known(
            "-v -race -short -cover -failfast -json", "-run -skip -bench -count -timeout -cpu"
        ),
        "go vet": _known("-v -json"),
        "eslint": _known("--quiet", "--ext --max-warnings"),
        "jest": _known(
            "--ci --verbose --silent --bail --runInBand -i --passWithNoTests",
            "-t --testNamePattern",
        ),
        "vitest run": _known("", "-t --testNamePattern"),
        "phpunit": _known("--testdox --stop-on-failure", "--filter --testsuite --group"),
        "rspec": _known("-b --backtrace --color --no-color", "-e --example -t --tag"),
        "shellcheck": _known("-a", "-s --shell -S --severity -e --exclude -f --format"),
        "yamllint": _known("-s --strict"),
        # `git checkout main` is not here: where no branch has the name, a file loses its changes.
        "git checkout": _known("-q --quiet", "-b", has_words=False),
        "git switch": _known("-q --quiet -d --detach", "-c --create"),
        "git add": _known("-A --all -u --update -v --verbose -n --dry-run -N --intent-to-add"),
        "git commit": _known(
            "-a --all -q --quiet -s --signoff --allow-empty",
            "-m --message -am -qm -aqm",
            has_words=False,
        ),
        **dict.fromkeys(
            (
                "gh pr view", "gh pr list", "gh pr diff", "gh pr checks", "gh pr status",
                "gh issue view", "gh issue list", "gh issue status", "gh run view", "gh run list",
            ),
            _GH,
        ),
    }
)  # fmt: skip
"""By the words that say what they do."""

_WRITE_WHAT_IS_JUDGED: Final = frozenset({"mkdir", "touch"})
"""With any words: whatever they make is a path of theirs, each of which is asked for by itself."""

_WITH_VALUE: Final = re.compile(r"(--?[A-Za-z-]+)=[A-Za-z0-9_.,:/-]*")
_FEW: Final = 3
"""So many words at most say what a command does."""
_VARYING: Final = frozenset({_WORDS, _WORD, _ANY})


def generalised(words: Sequence[str]) -> str:
    """The pattern that a grant for a command may have; "": only the very same words.

    The words are as rules know them: quoted, if they are not plain.
    """
    words = tuple(words)
    if words and words[0] in _WRITE_WHAT_IS_JUDGED:
        return f"{words[0]} {_ANY}"
    start, known = _found(words)
    if known is None:
        return ""
    pattern = " ".join((*words[:start], *_varied(words[start:], known)))
    # What is neither known nor plain was taken for a word, and is none.
    return pattern if patterns.matches(pattern, " ".join(words)) else ""


def is_harmless(pattern: str) -> bool:
    """Whether this is what would be offered for a command that it matches."""
    words = pattern.split(" ")
    if not pattern or _ANY in words[:-1]:
        return False
    return generalised(["x" if one in _VARYING else one for one in words]) == pattern


def _found(words: tuple[str, ...]) -> tuple[int, _Known | None]:
    """How many words say what is done, and what may follow."""
    start, table = (2, _TOOLS) if words[:2] in _RUNNERS else (0, _COMMANDS)
    name, *following = words[start : start + 2] or [""]
    if following == ["-m"] and _PYTHON.fullmatch(name):
        start, table = start + 2, _MODULES
    for length in range(1, _FEW + 1):
        known = table.get(" ".join(words[start : start + length]))
        if known is not None and len(words) >= start + length:
            return start + length, known
    return 0, None


def _varied(words: tuple[str, ...], known: _Known) -> list[str]:
    """What follows, with what may vary as such."""
    varied: list[str] = []
    following = iter(words)
    for one in following:
        if one in known.values:
            varied += [one, _WORD]
            next(following, None)
        elif one in known.flags or _has_value(one, known):
            varied.append(one)
        elif varied[-1:] != [_WORDS]:
            varied.append(_WORDS)
    if not known.has_words:
        return [one for one in varied if one != _WORDS]
    return varied if _WORDS in varied else [*varied, _WORDS]


def _has_value(option: str, known: _Known) -> bool:
    found = _WITH_VALUE.fullmatch(option)
    return found is not None and found[1] in known.values
