"""One branch is kept: the interpreters of the others end, and nothing that was said is lost."""

from pathlib import Path

from tests.servers.copying import copied
from tests.servers.dashboard.branching import A, B, C, D, asked, copying
from tests.servers.http.serving import Served

from hearth.credentials.standing import Standing
from hearth.servers.dashboard.panels.keeping import ENDED, HELPS, REASON
from hearth.servers.dashboard.shapes import KEEP


async def stopped(daemon: Served) -> set[str]:
    viewed = await daemon.engine.view("sessions")
    return {row.session for row in viewed.value.rows if row.stopped}  # type: ignore[union-attr] # it is a view


async def test_the_others_of_its_tree_end_and_no_stranger(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        for one in (A, D):
            await daemon.begin(one)
        await asked(daemon, A, {"type": "fork_session", "to": B})
        await asked(daemon, B, {"type": "fork_session", "to": C})
        said = {"tab": "t", "session": A, "keep": B}
        for _ in range(2):  # once more changes nothing
            answer = await daemon.client.post(KEEP, json=said)
            assert answer.status_code == 200, answer.text
            assert f'data-to="/dashboard/s/{B}"' in answer.text
            assert await stopped(daemon) == {A, C}
        rows = await daemon.log.read_session(C, 0, 1000)
        assert any(REASON in row.data.decode() for row in rows)


async def test_one_that_has_ended_is_not_kept_and_ends_no_other(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        await asked(daemon, A, {"type": "fork_session", "to": B})
        # Two people keep, each another one: the second must not end what the first has kept.
        assert (await daemon.client.post(KEEP, json={"keep": A})).status_code == 200
        answer = await daemon.client.post(KEEP, json={"keep": B})
        assert answer.status_code == 409
        assert ENDED in answer.text
        assert HELPS in answer.text
        assert await stopped(daemon) == {B}


async def test_who_only_reads_keeps_nothing_and_nobody_is_nobody(tmp_path: Path) -> None:
    async with copied(tmp_path, copying()) as daemon:
        await daemon.begin(A)
        token = {"Authorization": f"Bearer {daemon.tokens.add('bot', Standing.READER)}"}
        answer = await daemon.client.post(KEEP, json={"keep": A}, headers=token)
        assert answer.status_code == 403
        nobody = await daemon.client.post(KEEP, json={"keep": "nobody"})
        assert nobody.status_code == 404
        assert await stopped(daemon) == set()
