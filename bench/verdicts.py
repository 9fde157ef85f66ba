"""How long it takes to say what may be run: one command line, from text to verdict."""

from time import perf_counter
from typing import Final

from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_least,
    for_information,
    percentile,
    scratch,
)
from tests.performers.judging.shell.everyday import EVERYDAY
from tests.performers.judging.shell.hostile import HOSTILE
from tests.performers.judging.shell.project import make_project

from hearth.core.rules.permission import Layer, Rule, judge
from hearth.core.vocabulary.permitting import Judged, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants
from hearth.performers.judging.shell.analysis import analyse

MIDDLE: Final = "a verdict for 200 characters, p50"
TAIL: Final = "a verdict for 200 characters, p99"
LONG: Final = "a verdict for 10,000 characters, worst kind"
CODE: Final = "a verdict for 10,000 characters of Python"
SILENT: Final = "everyday read-only commands that do not ask"
LIMITS: Final = {MIDDLE: 1.0, TAIL: 10.0, LONG: 100.0}
LAYERS: Final = (
    Layer("yours", tuple(Rule("execute", f"tool{n} *", Verdict.ALLOW) for n in range(50))),
    Layer("the project's", tuple(Rule("write", f"src/{n}/*", Verdict.ASK) for n in range(50))),
)


def measure(scale: Scale) -> list[Figure]:
    """Lines of the corpora, cut and joined to the length; then long ones of several kinds."""
    with scratch() as folder:
        place = make_project(folder).place()
        lines = _lines_of(200, scale.of(1_000, 50))
        _verdict(lines[0], place)  # the parser is loaded when first used
        rounds = [[_milliseconds(line, place) for line in lines] for _ in range(scale.rounds)]
        long = [max(_milliseconds(line, place) for line in _long()) for _ in range(scale.rounds)]
        code = [_of_code(place) for _ in range(scale.rounds)]
        silent = sum(_is_allowed(line, place) for line in EVERYDAY)
    return [
        against_limit(MIDDLE, "ms", [percentile(one, 0.5) for one in rounds], LIMITS[MIDDLE]),
        against_limit(TAIL, "ms", [percentile(one, 0.99) for one in rounds], LIMITS[TAIL]),
        against_limit(LONG, "ms", long, LIMITS[LONG]),
        for_information(CODE, "ms", code),
        Figure(SILENT, "of all", [Round(silent, len(EVERYDAY))], "all", at_least(1.0)),
    ]


def _lines_of(size: int, number: int) -> list[str]:
    """Command lines of about this size, of everyday parts and hostile ones."""
    parts = [*EVERYDAY, *(one.line for one in HOSTILE)]
    lines = []
    for start in range(number):
        line = ""
        place = start
        while len(line) < size:
            line = f"{line} && {parts[place % len(parts)]}" if line else parts[place % len(parts)]
            place += 7
        lines.append(line[: size + 50])
    return lines


def _long() -> list[str]:
    return [
        "cat src/app.py; " * 620,
        "echo " + "a" * 9_990,
        "( " * 4_990 + "true",
        "echo $(" * 1_400 + ")" * 1_400,
        "ls " + "src/app.py " * 900,
        "'" * 9_999,
        "cat <<E\n" + "x $(true)\n" * 900 + "E",
    ]


def _milliseconds(line: str, place: Place) -> float:
    start = perf_counter()
    _verdict(line, place)
    return (perf_counter() - start) * 1e3


def _verdict(line: str, place: Place) -> list[Judged]:
    return [judge(need, LAYERS) for need in analyse(line, place).needs]


def _is_allowed(line: str, place: Place) -> bool:
    return all(one.verdict is Verdict.ALLOW for one in _verdict(line, place))


def _of_code(place: Place) -> float:
    code = "\n".join(f"value_{n} = sum(x * {n} for x in range(10))" for n in range(230))
    start = perf_counter()
    python_wants(code, place)
    return (perf_counter() - start) * 1e3
