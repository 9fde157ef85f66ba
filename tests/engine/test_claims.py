from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import OwnedElsewhere
from hearth.engine.claims import Claims
from hearth.log.event_log import Lease
from hearth.log.memory import MemoryLog, MemoryStore

S = SessionId("session-a")


async def test_what_was_claimed_is_held_until_it_is_given_up_or_lost() -> None:
    store = MemoryStore()
    ours, theirs = MemoryLog(store), MemoryLog(store)
    await ours.open()
    await theirs.open()
    mine, other = Claims(ours), Claims(theirs)
    lease = await mine.claim(S)
    assert isinstance(lease, Lease)
    assert mine.held(S) == lease
    assert isinstance(await other.claim(S), OwnedElsewhere)
    assert other.held(S) is None
    await mine.release(lease)
    assert isinstance(await other.claim(S), Lease)
    mine.forget(S)
    assert mine.held(S) is None
    await mine.release(lease)  # it is nobody's by now: a warning, and nothing else
    await ours.close()
    await theirs.close()
