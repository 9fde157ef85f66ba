"""Lists about the agent, for people: what it uses, what waits for it, where it branched."""

from collections.abc import Sequence
from datetime import datetime

from hearth.clients.repl.commands import ALL, NONE, SERVERS
from hearth.clients.repl.listing import STATES, columns
from hearth.clients.repl.now import Now
from hearth.clients.repl.painting import Paint, ago, author, shortened
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.turn_noticing import count, one_line, servers_said
from hearth.core.views.branches import Branches
from hearth.core.views.talk import Queued, Talk
from hearth.core.views.usage import Sums, Usage
from hearth.core.vocabulary.prompting import Effort

MOST_TURNS = 20
MOST_MISSES = 10
OF_SETTINGS = "as the settings say"


def info_lines(now: Now, talk: Talk, usage: Usage | None, paint: Paint) -> str:
    """A session and its agent, one thing a line."""
    name = clean(now.name, colour=False)
    where = clean(shortened(now.directory), colour=False)
    rows = [
        ("session", paint.dot.join(part for part in (name, now.session, where) if part)),
        ("state", "stopped" if now.stopped else STATES[now.state]),
        ("model", model_line(talk)),
        ("messages", str(talk.messages)),
        ("context", _context(talk)),
    ]
    if now.turn is not None:
        rows.append(("turn", f"{now.turn.turn}, step {talk.step + 1}"))
    if talk.queue:
        rows.append(("queue", f"{len(talk.queue)} waiting; .queue shows them"))
    rows += [
        ("waits", f"{clean(one.why, colour=False)}: .approve or .reject") for one in talk.approvals
    ]
    if usage is not None and usage.total.requests:
        rows.append(("usage", f"{_tokens(usage.total)}; .usage shows more"))
        rows.append(("cost", _cost(usage.total)))
    return columns(rows)


def said_line(talk: Talk) -> str:
    """That there is a conversation already, and how to see it; nothing where there is none."""
    if not talk.messages:
        return ""
    messages = f"{talk.messages} message{'' if talk.messages == 1 else 's'}"
    model = f" with {clean(talk.model, colour=False)}" if talk.model else ""
    return f"{messages}{model}; .conversation shows them"


def model_line(talk: Talk) -> str:
    """The model in force."""
    model = clean(talk.model, colour=False) or "the one of the settings"
    return f"{model}, effort {talk.effort.value}" if talk.effort is not None else model


def settable(talk: Talk) -> dict[str, tuple[str, str, str]]:
    """What can be set: its name, how it is, and what can be said."""
    model = clean(talk.model, colour=False) or OF_SETTINGS
    effort = talk.effort.value if talk.effort is not None else OF_SETTINGS
    servers = servers_said(talk.servers) if talk.servers is not None else OF_SETTINGS
    rows = (
        ("model", model, "a name"),
        ("effort", effort, "|".join(Effort)),
        (SERVERS, servers, f"{ALL}|{NONE}|docs,github"),
    )
    return {row[0]: row for row in rows}


def queue_lines(queue: Sequence[Queued], now: datetime) -> str:
    """The messages that wait for the agent."""
    if not queue:
        return "nothing waits for the agent"
    return columns(
        [(one.message, author(one.author), ago(one.at, now), one_line(one.text)) for one in queue]
    )


def branch_lines(branches: Branches, now: datetime) -> str:
    """The branches of a conversation, the present one with a star."""
    if not branches.rows:
        return "nothing was said yet"
    table = [
        (
            "*" if one.current else " ",
            one.leaf,
            f"{one.blocks} blocks",
            f"from {one.parts_at}" if one.parts_at else "",
            clean(one.model, colour=False),
            ago(one.at, now),
            one_line(one.preview),
        )
        for one in branches.rows
    ]
    more = branches.total - len(branches.rows)
    lines = [columns(table)]
    if more > 0:
        lines.append(f"({more} more)")
    if len(branches.rows) > 1:
        lines.append(".switch BLOCK goes on from there")
    return "\n".join(lines)


def usage_lines(usage: Usage, paint: Paint) -> str:
    """What a conversation used, by turn, and where a cache was missed."""
    if not usage.total.requests:
        return "nothing was asked yet"
    turns = usage.turns[-MOST_TURNS:]
    table = [("turn", "requests", "in", "cached", "out", "cost")]
    table += [(one.turn, *_numbers(one.sums)) for one in turns]
    table.append(("all", *_numbers(usage.total)))
    lines = [columns(table)]
    for miss in usage.misses[-MOST_MISSES:]:
        where = f" at {clean(miss.differs_at, colour=False)}" if miss.differs_at else ""
        said = (
            f"{miss.turn} step {miss.step + 1} read {count(miss.read)} of {count(miss.expected)} "
            f"cached tokens{where}: {clean(miss.why, colour=False)}"
        )
        lines.append(paint.dim(said))
    return "\n".join(lines)


def _numbers(sums: Sums) -> tuple[str, str, str, str, str]:
    return (
        str(sums.requests),
        count(sums.input),
        f"{sums.cached:.0%}",
        count(sums.output),
        _cost(sums),
    )


def _tokens(sums: Sums) -> str:
    return (
        f"{count(sums.input)} tokens in, {sums.cached:.0%} of them cached; {count(sums.output)} out"
    )


def _cost(sums: Sums) -> str:
    if sums.cost is None:
        return "not known"
    some = f" and {sums.unpriced} requests of unknown price" if sums.unpriced else ""
    return f"${sums.cost:.4f}{some}"


def _context(talk: Talk) -> str:
    if not talk.window:
        return "not known until the agent was asked"
    if not talk.used:
        return f"not known, of {count(talk.window)} tokens"
    return f"{count(talk.used)} of {count(talk.window)} tokens ({talk.used / talk.window:.0%})"
