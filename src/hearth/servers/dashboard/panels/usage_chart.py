"""Small charts of what requests sent and turns cost, readable without colours.

What was read from the cache is outlined, what was written is hatched, what was fresh is full.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from hearth.core.views.usage import UsedByStep, UsedByTurn
from hearth.servers.dashboard.html import (
    Attribute,
    Html,
    div,
    element,
    figcaption,
    figure,
    span,
    title,
)
from hearth.servers.dashboard.panels.wording import counted, money, share, tokens

MOST_BARS: Final = 40
WIDTH: Final = 320
HEIGHT: Final = 96
_TOP: Final = 12
"""Room for a mark above the highest bar."""
_WIDEST: Final = 24.0
_GAP: Final = 0.25


class Bar(NamedTuple):
    """One bar: parts of it from the bottom up, with the look of each, and what it is in words."""

    parts: tuple[tuple[str, float], ...]
    words: str
    mark: str = ""


def requests_chart(steps: Sequence[UsedByStep], missed: frozenset[tuple[str, int]]) -> Html:
    """What each of the newest requests sent; those that missed the cache have a mark."""
    newest = steps[-MOST_BARS:]
    bars = [_request(one, (one.turn, one.step) in missed) for one in newest]
    last = newest[-1].sums
    about = (
        f"Tokens sent by the last {counted(len(bars), 'request')}, the newest at the right: "
        f"{tokens(last.input)} in the newest, {share(last.cached)} of it read from the cache"
    )
    legend = (
        ("read", "read from the cache"),
        ("write", "written to it"),
        ("fresh", "neither"),
    )
    most = max((one.sums.input for one in newest), default=0)
    return _figure("requests", bars, about, legend, f"up to {tokens(most)} tokens")


def costs_chart(turns: Sequence[UsedByTurn]) -> Html:
    """What each of the newest turns cost."""
    newest = turns[-MOST_BARS:]
    bars = [
        Bar((("fresh", one.sums.cost or 0.0),), f"{one.turn}: {money(one.sums.cost)}")
        for one in newest
    ]
    most = max((one.sums.cost or 0.0 for one in newest), default=0.0)
    about = f"Cost of the last {counted(len(bars), 'turn')}, the newest at the right"
    return _figure("costs", bars, about, (), f"up to {money(most)}")


def _request(one: UsedByStep, is_missed: bool) -> Bar:  # noqa: FBT001 - private, and read by name
    sums = one.sums
    words = (
        f"{one.turn} step {one.step + 1}: read {tokens(sums.cache_read)}, "
        f"written {tokens(sums.cache_write)}, fresh {tokens(sums.fresh)}, "
        f"output {tokens(sums.output)}"
    )
    parts = (("read", sums.cache_read), ("write", sums.cache_write), ("fresh", sums.fresh))
    return Bar(parts, words, "▾" if is_missed else "")


def _figure(
    name: str, bars: Sequence[Bar], about: str, legend: Sequence[tuple[str, str]], scale: str
) -> Html:
    keys = [span(_swatch(name, look), words, class_="p-key") for look, words in legend]
    return figure(
        _svg(
            (title(about), _hatch(name), *_drawn(name, bars), _ground()),
            {
                "viewBox": f"0 0 {WIDTH} {HEIGHT}",
                "class": "p-chart",
                "role": "img",
                "aria-label": about,
            },
        ),
        figcaption(div(keys, class_="p-keys") if keys else None, span(scale, class_="muted")),
        class_="p-figure",
    )


def _drawn(name: str, bars: Sequence[Bar]) -> list[Html]:
    highest = max((sum(amount for _, amount in one.parts) for one in bars), default=0) or 1
    step = min(WIDTH / max(len(bars), 1), _WIDEST)
    # The newest stands at the right, where the next one will.
    left = WIDTH - step * len(bars)
    made = []
    for place, one in enumerate(bars):
        x, width = left + place * step + step * _GAP / 2, step * (1 - _GAP)
        made.append(_bar(name, one, (x, width), (HEIGHT - _TOP - 1) / highest))
    return made


def _bar(name: str, one: Bar, across: tuple[float, float], unit: float) -> Html:
    x, width = across
    y = HEIGHT - 1.0
    pieces: list[Html] = []
    for look, amount in one.parts:
        if not amount:
            continue
        height = max(amount * unit, 0.75)
        y -= height
        attributes = {"class": f"p-bar p-bar-{look}", "x": _n(x), "y": _n(y)}
        attributes |= {"width": _n(width), "height": _n(height)}
        if look == "write":
            attributes["fill"] = f"url(#p-hatch-{name})"
        pieces.append(element("rect", (), attributes))
    if one.mark:
        place = {"x": _n(x + width / 2), "y": _n(y - 2), "class": "p-bar-mark"}
        pieces.append(element("text", (one.mark,), place))
    return element("g", (title(one.words), *pieces))


def _hatch(name: str) -> Html:
    """Slanted lines, for what must not be told from others by its colour alone."""
    line = element("path", (), {"d": "M-1,1 l2,-2 M0,4 l4,-4 M3,5 l2,-2", "class": "p-hatch"})
    ground = element("rect", (), {"width": 4, "height": 4, "class": "p-hatch-ground"})
    units: dict[str, Attribute] = {
        "id": f"p-hatch-{name}",
        "width": 4,
        "height": 4,
        "patternunits": "userSpaceOnUse",
    }
    return element("defs", (element("pattern", (ground, line), units),))


def _ground() -> Html:
    ends: dict[str, Attribute] = {
        "x1": 0,
        "x2": WIDTH,
        "y1": HEIGHT - 0.5,
        "y2": HEIGHT - 0.5,
        "class": "p-ground",
    }
    return element("line", (), ends)


def _swatch(name: str, look: str) -> Html:
    square: dict[str, Attribute] = {
        "x": 1,
        "y": 1,
        "width": 10,
        "height": 10,
        "class": f"p-bar p-bar-{look}",
    }
    if look == "write":
        square["fill"] = f"url(#p-hatch-{name})"
    box = {"viewBox": "0 0 12 12", "class": "p-swatch", "aria-hidden": "true"}
    return _svg((element("rect", (), square),), box)


def _svg(children: Sequence[Html], attributes: dict[str, str]) -> Html:
    return element("svg", children, {**attributes, "focusable": "false"})


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
