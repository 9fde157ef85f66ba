"""The rules of permissions that a file says, as they are judged by, and what is wrong with them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hearth.core.rules import patterns, permission
from hearth.core.vocabulary.permitting import EXECUTE, Verdict
from hearth.settings.keys import KEYS
from hearth.settings.layers import Entry, Layer
from hearth.settings.problems import Problem
from hearth.settings.rule_values import ALL, rules_in

MOST: Final = 1000
"""So many rules of one file are read. Whoever has more has made them with a program."""
MOST_KEPT: Final = 200
"""The rules of so many files are kept in mind: they are asked for at every call of an agent."""


@dataclass(frozen=True)
class RuleProblems:
    """What is not right with the rules of one file, each of which can be read."""

    problems: tuple[Problem, ...] = ()
    is_broken: bool = False
    """They do not do what whoever wrote them means."""


def rule_layers(layer: Layer, agent: str) -> tuple[permission.Layer, ...]:
    """The rules of a file: those for all agents, then those for this one."""
    return tuple(
        permission.Layer(f"{layer.source} (agents {whose})" if whose else layer.source, rules)
        for whose, rules in _by_agents(layer, _home())
        if not whose or patterns.matches(whose, agent)
    )


def ask_all(source: str) -> permission.Layer:
    """A layer instead of rules that cannot be known: nothing is done without asking."""
    where = f"{source}, where not all rules can be read"
    return permission.Layer(source, (permission.Rule("*", ALL, Verdict.ASK, where=where),))


def rule_problems(layer: Layer) -> RuleProblems:
    """What people should know about the rules of a file before they rely on them."""
    return _problems(layer, _home())


@lru_cache(MOST_KEPT)
def _problems(layer: Layer, home: str) -> RuleProblems:
    problems: list[Problem] = []
    is_broken = False
    for whose, rules in _by_agents(layer, home):
        one = permission.Layer(layer.source, rules)
        if len(rules) == MOST:
            what = f"has {MOST:,} rules or more for the same agents; no more than that are read"
            problems.append(Problem(layer.source, what, "fewer rules, with wider patterns"))
            is_broken = True
        for rule, by in permission.shadowed(one):
            if not _is_as_typed(rule):
                what = f"never counts, because a later rule matches all that it does: {by.said}"
                problems.append(_problem(rule, whose, what, "to put the wider rule before it"))
        for rule, example, why in permission.broken_examples(one):
            what = f'the example "{example}" does not hold: {why}; until it does, all is asked'
            problems.append(_problem(rule, whose, what, "another pattern, or another example"))
            is_broken = True
    return RuleProblems(tuple(problems), is_broken)


@lru_cache(MOST_KEPT)
def _by_agents(layer: Layer, home: str) -> tuple[tuple[str, tuple[permission.Rule, ...]], ...]:
    """The rules for all agents, with "" before them, which come first; then those for some."""
    found: dict[str, list[permission.Rule]] = {}
    for name, entry in layer.entries.items():
        if KEYS[name].is_rules:
            *above, about = name.split(".")
            whose = above[1] if len(above) > 1 else ""
            found.setdefault(whose, []).extend(_rules(entry, about, home))
    return tuple((whose, tuple(found[whose][:MOST])) for whose in sorted(found, key=bool))


def _home() -> str:
    return os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none


def _rules(entry: Entry, about: str, home: str) -> Iterator[permission.Rule]:
    value = entry.value if isinstance(entry.value, str | dict) else {}
    for pattern, said in rules_in(value).items():
        line = entry.lines.get(pattern, entry.line)
        where = f"{entry.source}:{line}" if line else entry.source
        action = Verdict(said.action)
        full = patterns.expanded(pattern, home)
        matching, other = (
            tuple(_expanded(one, home) for one in examples)
            for examples in (said.matches, said.not_)
        )
        yield permission.Rule(about, full, action, where, matching, other)
        if full != pattern and patterns.matches(about, EXECUTE):
            # A command is compared as it is typed, and may be typed either way.
            yield permission.Rule(EXECUTE, pattern, action, where)


def _expanded(example: str, home: str) -> str:
    """A target as it would be asked for."""
    named = next((one for one in ("~/", "$HOME/") if example.startswith(one)), "")
    return f"{home}/{example.removeprefix(named)}" if named else example


def _is_as_typed(rule: permission.Rule) -> bool:
    """Whether it is the second form of a rule, which stands beside the first."""
    return patterns.expanded(rule.pattern, "/") != rule.pattern


def _problem(rule: permission.Rule, whose: str, what: str, right: str) -> Problem:
    group = f"agents.{whose}.permissions" if whose else "permissions"
    key = f"{group}.{rule.permission}.{rule.pattern}"
    source, _, line = rule.where.rpartition(":")
    if not source or not line.isdecimal():
        return Problem(rule.where, what, right, key)
    return Problem(source, what, right, key, int(line))
