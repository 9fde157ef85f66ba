"""A letter is answered once, and only if someone still waits."""

import asyncio

from tests.contracts.facts import NOON
from tests.contracts.scenes import ANN

from hearth.core.vocabulary.commands import StopSession
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.inputs import Asked
from hearth.engine.mailbox import Answer, Letter
from hearth.engine.refusing import shutting_down


async def test_the_first_answer_counts_and_nobody_is_disturbed_by_others() -> None:
    asked = Asked(InputId("i"), NOON, ANN, StopSession())
    waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    letter = Letter(asked, waiting)
    letter.reply(refusal := shutting_down())
    letter.reply(shutting_down())
    assert await waiting is refusal
    gone: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    gone.cancel()
    Letter(asked, gone).reply(refusal)
    Letter(asked).reply(refusal)
    assert gone.cancelled()
