"""Tools that try variants of code side by side, and keep one of them."""

from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import VariantResult
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import (
    LONGEST_STREAM,
    LONGEST_VALUE,
    MOST_PICTURES,
    Fetch,
    all_of,
    error_of,
    output_uri,
    pictures_in,
    printed,
    shown,
    shown_in,
)
from hearth.servers.mcp.tools.running import LONGEST_WAIT, WAIT, Limit, Wait, going_on, stoppable
from hearth.servers.mcp.tools.said import Picture, Said, bounded, refused, trouble
from hearth.servers.mcp.tools.undoing import COMING, became
from hearth.servers.mcp.waiting import carried_out

MOST_VARIANTS: Final = 16
MOST_NAMES: Final = 30
KEEPING: Final = 60.0
AS_IT_WAS: Final = (
    "nothing has changed yet: keep_variant with its number makes one of them the session, 0 drops "
    "all; whatever is run next drops them, too"
)

IN_THE_WAY: Final = "end what is in the way (join the thread, close the socket), then try again"
ELSEWHERE: Final = "fork_session with how=replay, and try it there"


class TryCode(Arguments, frozen=True):
    """What `try_code` takes."""

    variants: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=MOST_VARIANTS)]
    time_limit: Limit | None = None
    wait: Wait = WAIT


class KeepVariant(Arguments, frozen=True):
    """What `keep_variant` takes."""

    variant: Annotated[int, msgspec.Meta(ge=0, le=MOST_VARIANTS)]
    wait: Wait = KEEPING


async def try_code(call: Call, said: TryCode) -> Said:
    """Run variants, each in a copy."""
    waited = await stoppable(call, c.TryVariants(said.variants, said.time_limit), said.wait)
    if isinstance(waited, Refused):
        return refused(waited)
    if not isinstance(waited.ending, e.TrialEnded):
        return going_on(waited) if waited.outcome is None else became(waited)
    ended = waited.ending
    if ended.problem:
        return trouble("not_tried", ended.problem, IN_THE_WAY, ELSEWHERE)
    rest = f"all of it: {output_uri(call.session, ended.cell)}"
    return await told(ended, rest, call.around.fetch)


async def told(ended: e.TrialEnded, where: str, fetch: Fetch) -> Said:
    """What became of all variants, together no longer than what one cell may say."""
    share = max(1, len(ended.results))
    variants: list[dict[str, Any]] = []
    pictures: list[Picture] = []
    for number, one in enumerate(ended.results, 1):
        outputs = await all_of(one.outputs, fetch)
        fields = {"variant": number, **outcome_of(one, share, where)}
        fields |= printed(outputs, where, LONGEST_STREAM // share)
        if displays := shown_in(outputs, where):
            fields["displays"] = [bounded(each, LONGEST_VALUE // share) for each in displays]
        room = MOST_PICTURES - len(pictures)
        if found := (await pictures_in(outputs, fetch))[-room:] if room else ():
            fields["pictures"] = len(found)
            pictures += found
        if one.dropped:
            fields["dropped_bytes"] = one.dropped
        variants.append(fields)
    is_kept = any(one.is_ok for one in ended.results)
    fields = {"cell": ended.cell, "variants": variants, "next": AS_IT_WAS}
    return Said(fields, is_error=not is_kept, pictures=tuple(pictures))


def outcome_of(one: VariantResult, share: int, where: str = "") -> dict[str, Any]:
    """How a variant ended, without what it printed."""
    how = "finished" if one.is_ok else "cancelled" if one.stopped else "failed"
    fields: dict[str, Any] = {"outcome": how, "duration": round(one.duration, 3)}
    if one.value_type or one.value:
        fields |= {
            "result": shown(one.value, LONGEST_VALUE // share, where),
            "type": one.value_type,
        }
    if one.failure is not None:
        fields["error"] = error_of(one.failure)
    if one.names:
        fields["names"] = list(one.names[:MOST_NAMES])
    if len(one.names) > MOST_NAMES:
        fields["more_names"] = len(one.names) - MOST_NAMES
    return fields


async def keep_variant(call: Call, said: KeepVariant) -> Said:
    """Let a variant be the session."""
    waited = await carried_out(
        call.hearth,
        call.session,
        c.KeepVariant(said.variant),
        call.caller.origin,
        wait=said.wait,
        tell=call.tell,
    )
    if isinstance(waited, Refused):
        return refused(waited)
    match waited.ending:
        case e.SessionReady():
            return Said({"kept": said.variant})
        case e.VariantsDropped() if said.variant:
            return Said({"kept": 0, "error": waited.ending.reason}, is_error=True)
        case e.VariantsDropped():
            return Said({"kept": 0})
        case _:
            return became(waited)


TOOLS: Final = (
    Tool(
        name="try_code",
        title="Try variants of code",
        description=(
            "Run up to 16 versions of a cell side by side, each in a live copy of the session, and "
            "compare how they end; the session itself does not change until keep_variant. Use it "
            "when you are unsure which way is right: fixes, algorithms, parameters. Files and the "
            "network are not copied."
        ),
        act=Act.WORK,
        takes=TryCode,
        properties={
            "variants": s.described(
                {**s.list_of(s.TEXT), "minItems": 1, "maxItems": MOST_VARIANTS},
                "Python source of each; they are counted from 1",
            ),
            "time_limit": s.described(s.POSITIVE, "Stop each after so many seconds"),
            "wait": s.wait(WAIT, LONGEST_WAIT),
        },
        required=("variants",),
        gives={
            "variants": s.list_of(
                s.an_object(
                    variant=s.INTEGER,
                    outcome={"type": "string", "enum": ["finished", "failed", "cancelled"]},
                    duration=s.NUMBER,
                    result=s.TEXT,
                    type=s.TEXT,
                    stdout=s.TEXT,
                    stderr=s.TEXT,
                    displays=s.list_of(s.TEXT),
                    pictures=s.INTEGER,
                    names=s.list_of(s.TEXT),
                    more_names=s.INTEGER,
                    error=s.ERROR,
                    dropped_bytes=s.INTEGER,
                )
            ),
            "cell": s.TEXT,
            "cursor": s.CURSOR,
            "stdout": s.TEXT,
            **COMING,
        },
        hints=Hints(open_world=True),
        answer=try_code,
        is_long=True,
    ),
    Tool(
        name="keep_variant",
        title="Keep a variant",
        description=(
            "Let one of the variants that try_code ran become the session, without running it "
            "again; the others end. Use it once you know which is best; 0 drops all of them."
        ),
        act=Act.WORK,
        takes=KeepVariant,
        properties={
            "variant": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_VARIANTS,
                "description": "Its number, from 1; 0 for none",
            },
            "wait": s.wait(KEEPING, LONGEST_WAIT),
        },
        required=("variant",),
        gives={"kept": s.INTEGER, **COMING},
        hints=Hints(destructive=True),
        answer=keep_variant,
    ),
)
