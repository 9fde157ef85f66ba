"""What rules and grants say to a need. Pure, and the same for every tool.

Inside one layer the last rule that matches counts; of several layers the strictest that says
something; if none does, what is usual for the need. Never less than the need's `least`. A grant
makes a yes of a question, and of nothing else.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from hearth.core.rules import patterns
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.wire import Part

_RANK: Final = {verdict: rank for rank, verdict in enumerate(Verdict)}
MOST_COMPARED: Final = 500
"""So many rules of a layer are compared with each other, to find those that never count."""
USUAL: Final = "usual"
AUTO: Final = "everything is allowed that is not denied (permissions.mode is auto)"


class Rule(Part, frozen=True):
    """What somebody wants to be done about some needs."""

    permission: str
    """A pattern over the names of permissions."""
    pattern: str
    """Over targets."""
    action: Verdict
    where: str = ""
    """The file and line it stands in."""
    matches: tuple[str, ...] = ()
    """Targets that it must decide about, says whoever wrote it."""
    not_matches: tuple[str, ...] = ()
    """Targets that it must not match."""

    @property
    def said(self) -> str:
        """The rule and where it stands, in words."""
        place = f" ({self.where})" if self.where else ""
        return f'{self.permission} "{self.pattern}": {self.action}{place}'


class Layer(Part, frozen=True, cache_hash=True):
    """The rules of one source, in their order."""

    name: str
    rules: tuple[Rule, ...] = ()


class Shadow(NamedTuple):
    """A rule that never counts, and the later one that always counts instead."""

    rule: Rule
    by: Rule


class BrokenExample(NamedTuple):
    """An example of a rule that does not hold."""

    rule: Rule
    example: str
    why: str


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest of them; if there are none, nothing stands in the way."""
    return max(verdicts, key=_RANK.__getitem__, default=Verdict.ALLOW)


def judge(need: Need, layers: Sequence[Layer], grants: Sequence[Grant] = ()) -> Judged:
    """What holds for a need, and by what."""
    verdict, by = max(
        (_said(need, texts, layers) for texts in _texts(need)), key=lambda one: _RANK[one[0]]
    )
    if _RANK[need.least] > _RANK[verdict]:
        verdict, by = need.least, f"built in: {need.least} whatever rules say"
    if verdict is Verdict.ASK and (grant := _covering(grants, need)) is not None:
        return Judged(need, Verdict.ALLOW, f'grant {grant.permission} "{grant.pattern}"')
    return Judged(need, verdict, by)


def unasked(judged: Judged) -> Judged:
    """What holds for it where nobody is asked: all that is not denied."""
    return Judged(judged.need, Verdict.ALLOW, AUTO) if judged.verdict is Verdict.ASK else judged


def covers(grants: Iterable[Grant], need: Need) -> bool:
    """Whether one of the grants is for this need; none is where `least` is more than to allow.

    That no rule denies it is for the caller to know.
    """
    return _covering(grants, need) is not None


def shadowed(layer: Layer) -> tuple[Shadow, ...]:
    """The rules that a later one of the layer makes irrelevant, whatever is asked for."""
    return _shadowed(layer)


def broken_examples(layer: Layer) -> tuple[BrokenExample, ...]:
    """The examples of its rules that do not hold in the layer as a whole."""
    return tuple(
        BrokenExample(rule, example, why)
        for rule in layer.rules
        for example, why in _broken(rule, layer)
    )


def _texts(need: Need) -> tuple[tuple[str, ...], ...]:
    """What rules are tried on: each in itself, and the strictest counts.

    A path in the project and the same with the root before it are two spellings of one thing: a
    rule may use either. What a link leads to is another thing.
    """
    target, resolved = need.target, need.resolved
    if not resolved or resolved == target:
        return ((target,),)
    if not target.startswith("/") and (target == "." or resolved.endswith(f"/{target}")):
        return ((target, resolved),)
    return ((target,), (resolved,))


def _said(need: Need, texts: tuple[str, ...], layers: Sequence[Layer]) -> tuple[Verdict, str]:
    deciding: Rule | None = None
    for layer in layers:
        rule = _last(layer, need.permission, texts)
        if rule is not None and (deciding is None or _RANK[rule.action] > _RANK[deciding.action]):
            deciding = rule
    return (need.usual, USUAL) if deciding is None else (deciding.action, deciding.said)


def _last(layer: Layer, permission: str, texts: tuple[str, ...]) -> Rule | None:
    """The last rule of the layer that matches one of the texts."""
    concerning = _concerning(layer, permission)
    found = -1
    for text in texts:
        for length, rules in concerning:
            for at, rule in rules.get(text[:length], ()):
                if at <= found:
                    break
                if patterns.matches(rule.pattern, text):
                    found = at
                    break
    return layer.rules[found] if found >= 0 else None


_Beginnings: TypeAlias = dict[str, list[tuple[int, Rule]]]


@lru_cache(1024)
def _concerning(layer: Layer, permission: str) -> tuple[tuple[int, _Beginnings], ...]:
    """The rules about a permission by what their targets begin with, for each length of that.

    With their place in the layer, the last one first. Nearly all of many rules are told apart by
    their beginnings alone, and those are looked up, not tried one after the other.
    """
    lengths: dict[int, _Beginnings] = {}
    for at, rule in reversed(tuple(enumerate(layer.rules))):
        if patterns.matches(rule.permission, permission):
            start = patterns.beginning(rule.pattern)
            lengths.setdefault(len(start), {}).setdefault(start, []).append((at, rule))
    return tuple(lengths.items())


def _covering(grants: Iterable[Grant], need: Need) -> Grant | None:
    if need.least is not Verdict.ALLOW:
        return None
    return next(
        (
            grant
            for grant in grants
            if grant.permission == need.permission and patterns.matches(grant.pattern, need.target)
        ),
        None,
    )


@lru_cache(64)
def _shadowed(layer: Layer) -> tuple[Shadow, ...]:
    rules = layer.rules[-MOST_COMPARED:]
    return tuple(
        Shadow(rule, by)
        for at, rule in enumerate(rules)
        if (by := next((one for one in rules[at + 1 :] if _hides(one, rule)), None)) is not None
    )


def _hides(later: Rule, rule: Rule) -> bool:
    return patterns.includes(later.permission, rule.permission) and patterns.includes(
        later.pattern, rule.pattern
    )


def _broken(rule: Rule, layer: Layer) -> Iterable[tuple[str, str]]:
    for example in rule.matches:
        if not patterns.matches(rule.pattern, example):
            yield example, "the pattern does not match it"
        elif not patterns.has_wildcard(rule.permission):
            deciding = _last(layer, rule.permission, (example,))
            if deciding is not None and deciding.action is not rule.action:
                yield example, f"a later rule decides about it: {deciding.said}"
    for example in rule.not_matches:
        if patterns.matches(rule.pattern, example):
            yield example, "the pattern matches it, and should not"
