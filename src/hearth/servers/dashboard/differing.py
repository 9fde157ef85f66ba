"""What must be sent to a page that shows one state of a timeline, so that it shows the next."""

from collections.abc import Iterable, Mapping, Sequence

from hearth.servers.dashboard.drawing import Drawn
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.patches import patch, remove

TIMELINE = "timeline"


def changed(before: Drawn, after: Drawn) -> bytes:
    """An item that is there already: all of it, or the pieces alone that are new or others."""
    if before == after:
        return b""
    count = len(before.pieces)
    ids, known = [one.id for one in after.pieces], [one.id for one in before.pieces]
    is_framed = (before.before, before.after) == (after.before, after.after)
    if not is_framed or ids[:count] != known:
        return patch(after.html)
    pairs = zip(before.pieces, after.pieces, strict=False)
    again = Html("".join(new.html for old, new in pairs if old != new))
    fresh = Html("".join(one.html for one in after.pieces[count:]))
    frames = patch(again) if again else b""
    return frames + (patch(fresh, to=f"{after.id}-in", mode="append") if fresh else b"")


def moved(
    shown: Sequence[str],
    wanted: Sequence[str],
    drawn: Mapping[str, Drawn],
    old: Mapping[str, Drawn],
) -> bytes:
    """From the items `shown` (their keys in order, as `old`) to `wanted` (as `drawn`).

    What stands before the first of them in a page is none of our business: it read that itself.
    """
    kept = set(wanted)
    frames = [remove(old[key].id) for key in shown if key not in kept]
    there = [key for key in shown if key in kept]
    stays = _in_order(there, wanted)
    frames += [remove(old[key].id) for key in there if key not in stays]
    following: str | None = None
    for key in reversed(wanted):
        if key in stays:
            frames.append(changed(old[key], drawn[key]))
            following = key
        elif following is not None:
            frames.append(patch(drawn[key].html, to=drawn[following].id, mode="before"))
            following = key
    return b"".join((*frames, *_appended(wanted, stays, drawn)))


def _appended(
    wanted: Sequence[str], stays: set[str], drawn: Mapping[str, Drawn]
) -> Iterable[bytes]:
    """What stands behind all that was there."""
    last = max((place for place, key in enumerate(wanted) if key in stays), default=-1)
    for key in wanted[last + 1 :]:
        yield patch(drawn[key].html, to=TIMELINE, mode="append")


def _in_order(there: Sequence[str], wanted: Sequence[str]) -> set[str]:
    """As many of those that are there as stand in the wanted order already, nearly always all."""
    places = {key: place for place, key in enumerate(wanted)}
    stays: set[str] = set()
    last = -1
    for key in there:
        if places[key] > last:
            stays.add(key)
            last = places[key]
    return stays
