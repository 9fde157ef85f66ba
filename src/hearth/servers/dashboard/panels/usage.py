"""What the session's agent used: tokens, cost, and where the provider's cache was missed."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from hearth.core.views.spending import Miss, Spent
from hearth.core.views.usage import Sums, Usage, UsedByModel, UsedByStep, sums
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import (
    EMPTY,
    Child,
    Html,
    details,
    div,
    joined,
    li,
    p,
    span,
    strong,
    summary,
    ul,
)
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    Column,
    badge,
    breakable,
    facts,
    hint,
    left_out,
    nothing,
    part,
    rows_of,
)
from hearth.servers.dashboard.panels.usage_chart import MOST_BARS, costs_chart, requests_chart
from hearth.servers.dashboard.panels.wording import counted, money, one_line, share, tokens
from hearth.servers.http.seeing import seen

MOST_TURNS: Final = 30
MOST_MISSES: Final = 20
_NUMBERS: Final = (
    Column("Reqs", "num"),
    Column("Sent", "num"),
    Column("Cached", "num"),
    Column("Output", "num"),
    Column("Cost", "num"),
)


async def show(looking: Looking, session: SessionId, _: datetime) -> Html:
    """All of it in numbers, then by request, model and turn."""
    used, _seq = await seen(looking.around.hearth, "usage", Usage, session)
    if not used.total.requests:
        return nothing("No model was asked in this session yet.")
    return joined(
        _totals(used),
        _requests(used),
        _misses(used),
        _models(used.models),
        _turns(used),
    )


def is_idle_expiry(miss: Miss) -> bool:
    """Whether the cache was only gone because nobody asked for a while, as it should be."""
    return not miss.differs_at and miss.why.startswith("expired")


def _totals(used: Usage) -> Html:
    total, last = used.total, used.last
    figures = (
        ("cost", _cost(total)),
        ("cached, session", share(total.cached)),
        ("cached, last request", share(last.cached) if last.requests else "unknown"),
    )
    cards = [
        div(strong(value, class_="p-figure-value"), span(name, class_="muted small"))
        for name, value in figures
    ]
    rows: list[tuple[Child, Child]] = [
        ("read from the cache", tokens(total.cache_read)),
        ("written to the cache", tokens(total.cache_write)),
        ("fresh", tokens(total.fresh)),
        ("sent in total", joined(strong(tokens(total.input)), ", the sum of these")),
        ("output", tokens(total.output)),
    ]
    unpriced = total.unpriced if total.cost is not None else 0
    more = hint(f"{counted(unpriced, 'request')} of unknown price not counted") if unpriced else ""
    return part(
        "Session",
        div(cards, class_="p-figures"),
        facts(rows),
        more,
        note=counted(total.requests, "request"),
    )


def _requests(used: Usage) -> Html:
    if not used.steps:
        return EMPTY
    missed = frozenset((str(one.turn), one.step) for one in used.misses if not is_idle_expiry(one))
    shown = used.steps[-MOST_BARS:]
    columns = (
        Column("Request", "name"),
        Column("Read", "num"),
        Column("Write", "num"),
        Column("Fresh", "num"),
        Column("Output", "num"),
    )
    table = rows_of("Tokens of each request", columns, (_request(one) for one in reversed(shown)))
    return part(
        "Requests",
        requests_chart(used.steps, missed),
        hint("▾ read less from the cache than it could have") if missed else EMPTY,
        details(
            summary("The same as a table"),
            table,
            data_preserve_attr="open",
            class_="p-more",
            id_="p-usage-requests",
        ),
        note=f"the last {len(shown)}",
    )


def _request(one: UsedByStep) -> Sequence[Child]:
    numbers = (one.sums.cache_read, one.sums.cache_write, one.sums.fresh, one.sums.output)
    return (f"{one.turn} step {one.step + 1}", *map(tokens, numbers))


def _misses(used: Usage) -> Html:
    if not used.misses and not used.missed:
        return part("Cache", hint("Every request read all that it could from the cache."))
    newest = tuple(reversed(used.misses[-MOST_MISSES:]))
    return part(
        "Cache misses",
        ul([_miss(one) for one in newest], class_="p-list", role="list"),
        left_out(len(newest), used.missed, "miss", "misses"),
        note=counted(used.missed, "miss", "misses"),
    )


def _miss(one: Miss) -> Html:
    is_normal = is_idle_expiry(one)
    mark = badge("normal", "info") if is_normal else badge("missed", "warn")
    where = f" at {one_line(one.differs_at, 60)}" if one.differs_at else ""
    read = f"read {tokens(one.read)} of {tokens(one.expected)} tokens{where}"
    why = one_line(one.why)
    if is_normal:
        why += "; providers forget after 5 min, so it was written anew"
    return li(
        div(mark, span(f"{one.turn} step {one.step + 1}", class_="mono"), read, class_="p-miss"),
        p(why, class_="muted small"),
    )


def _models(models: Sequence[UsedByModel]) -> Html:
    """What each model used, and each provider that has several."""
    if not models:
        return EMPTY
    rows: list[Html] = []
    for provider, its in _by_provider(models):
        rows += [_used(breakable(one_line(one.model, 120)), one.sums) for one in its]
        if len(its) > 1:
            rows.append(_used(f"all of {one_line(provider, 60)}", _sum(one.sums for one in its)))
    return part(
        "Models",
        ul(rows, class_="p-list", role="list"),
        note=counted(len(models), "model"),
    )


def _used(name: Child, one: Sums) -> Html:
    about = (
        f"{counted(one.requests, 'request')}, {tokens(one.input)} sent, "
        f"{share(one.cached)} cached, {tokens(one.output)} output"
    )
    return li(
        div(strong(name, class_="grow"), span(_cost(one), class_="p-cost"), class_="row p-model"),
        p(about, class_="muted small"),
    )


def _by_provider(models: Sequence[UsedByModel]) -> list[tuple[str, list[UsedByModel]]]:
    found: dict[str, list[UsedByModel]] = {}
    for one in models:
        found.setdefault(one.model.partition(":")[0], []).append(one)
    return list(found.items())


def _sum(some: Iterable[Sums]) -> Sums:
    spent = Spent()
    for one in some:
        spent = Spent(
            spent.requests + one.requests,
            spent.fresh + one.fresh,
            spent.cache_read + one.cache_read,
            spent.cache_write + one.cache_write,
            spent.output + one.output,
            spent.cost + (one.cost or 0.0),
            spent.unpriced + one.unpriced,
        )
    return sums(spent)


def _turns(used: Usage) -> Html:
    if not used.turns:
        return EMPTY
    shown = used.turns[-MOST_TURNS:]
    is_priced = any(one.sums.cost for one in shown)
    columns = (Column("Turn", "name"), *_NUMBERS)
    rows = (
        (joined(str(one.turn), _end(str(one.end or ""))), *_numbers(one.sums))
        for one in reversed(shown)
    )
    return part(
        "Turns",
        costs_chart(shown) if is_priced else EMPTY,
        rows_of("Tokens and cost of each turn", columns, rows),
        note=f"the last {len(shown)}",
    )


def _end(end: str) -> Html:
    if not end:
        return joined(" ", badge("runs", "info"))
    return EMPTY if end == "done" else joined(" ", span(end.replace("_", " "), class_="muted"))


def _numbers(one: Sums) -> Sequence[Child]:
    return (str(one.requests), tokens(one.input), share(one.cached), tokens(one.output), _cost(one))


def _cost(one: Sums) -> str:
    return f"{money(one.cost)}+" if one.cost is not None and one.unpriced else money(one.cost)
