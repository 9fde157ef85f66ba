"""The log of a home, beside whoever uses it."""

from pathlib import Path

import pytest
from tests.contracts.scenes import SCENES
from tests.offline.stored import fill

from hearth.app import running
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import NotOwner
from hearth.offline.answering import Trouble
from hearth.offline.store import opened, session_named, store_of
from hearth.performers.interpreter.scripted import ScriptedInterpreter


def test_the_store_is_the_one_that_is_set(tmp_path: Path) -> None:
    home = {"HEARTH_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    plain = store_of(home)
    assert plain.file == (tmp_path / "data" / "hearth.db").resolve()
    assert not plain.is_there
    named = store_of({**home, "HEARTH_DATABASE_URL": "postgresql://x@y/z"})
    assert named.file is None
    assert named.is_there


@pytest.fixture
def filled(tmp_path: Path) -> dict[str, str]:
    fill(tmp_path / "home")
    return {"HEARTH_HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.mark.parametrize("said", ["session-aa11", "session-aa", "aa", "1"])
async def test_a_session_is_known_by_id_name_or_beginning(
    filled: dict[str, str], said: str
) -> None:
    async with opened(store_of(filled)) as log:
        assert await session_named(log, said) == "session-aa11"


@pytest.mark.parametrize(("said", "why"), [("session-zz", "session-zz"), ("", "")])
async def test_one_that_is_not_known_is_refused_with_a_hint(
    filled: dict[str, str], said: str, why: str
) -> None:
    async with opened(store_of(filled)) as log:
        with pytest.raises(Trouble) as trouble:
            await session_named(log, said)
    assert why in trouble.value.message
    assert trouble.value.hint
    assert trouble.value.exit_code == 4


async def test_what_the_daemon_has_claimed_is_not_ours(filled: dict[str, str]) -> None:
    home = Path(filled["HEARTH_HOME"])
    async with (
        running(home, None, [ScriptedInterpreter(SCENES)]),
        opened(store_of(filled)) as log,
    ):
        with pytest.raises(NotOwner):
            await log.claim(SessionId("session-aa11"))
