"""What an interpreter holds is asked for, and what is known already is not lost by it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.performers.interpreter.pretended_kernel import Staged, ok, staged

from hearth.core.vocabulary import reports as r
from hearth.performers.interpreter.looking import live_names, look_around
from hearth.performers.interpreter.preferences import Preferences


@pytest.fixture
async def ours() -> AsyncIterator[Staged]:
    async with staged(Preferences(answer=10.0)) as made:
        yield made


@pytest.fixture
async def mute() -> AsyncIterator[Staged]:
    async with staged(Preferences(answer=0.02)) as made:
        made.worker.known.names = {"xs": "list"}
        yield made


async def test_names_are_asked_for_and_kept(ours: Staged) -> None:
    ours.kernel.answers["names"] = lambda _: ok({"names": {"xs": "list"}})
    assert await live_names(ours.worker) == {"xs": "list"}
    assert ours.worker.known.names == {"xs": "list"}


async def test_of_an_interpreter_that_does_not_answer_the_names_are_as_last_known(
    mute: Staged,
) -> None:
    assert await live_names(mute.worker) == {"xs": "list"}


async def test_an_answer_that_makes_no_sense_takes_no_name_away(ours: Staged) -> None:
    ours.worker.known.names = {"xs": "list"}
    ours.kernel.answers["names"] = lambda _: ok({"names": 3})
    assert await live_names(ours.worker) == {"xs": "list"}


async def test_an_answer_about_names_does_not_replace_what_a_later_cell_told(ours: Staged) -> None:
    asking = asyncio.create_task(live_names(ours.worker))
    asked = await ours.kernel.heard("hearth_request")
    ours.worker.known.tell({"newer": "int"})
    await ours.kernel.reply(asked, ok({"names": {"older": "int"}}))
    assert await asking == {"newer": "int"}


async def test_whoever_looks_around_learns_what_is_loaded_and_which_names_there_are(
    ours: Staged,
) -> None:
    seen = {"parts": {"numpy": "2.1"}, "fingerprint": "f1"}
    ours.kernel.answers["environment"] = lambda _: ok(seen)
    ours.kernel.answers["names"] = lambda _: ok({"names": {"xs": "list"}})
    await look_around(ours.worker)
    told = r.EnvironmentSeen(ours.worker.generation, "f1", {"numpy": "2.1"})
    assert told in ours.stage.reports
    assert ours.worker.known.names == {"xs": "list"}
