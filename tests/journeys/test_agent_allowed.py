"""An agent that can be left alone: what it may do is done, what it may not is not, all in the log.

Real tools, a real interpreter and a real sandbox; only the model is scripted.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from tests.contracts.scenes import ANN

from hearth.api import Settled, Viewed, settle
from hearth.app import Living, living
from hearth.core.views.approvals import Approvals, Permissions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.performers.interpreter.preferences import Preferences
from hearth.settings.agents import AgentSettings
from hearth.settings.permissions import PermissionSettings

S: Final = SessionId("session-a")
PATIENCE: Final = 60.0
SHOW: Final = "import os; print(dict(os.environ)); print(open('notes.txt').read())"
Call = tuple[str, dict[str, Any]]


class Agent:
    """A home, a project, and an agent that makes the calls that it is told to, one step each."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "project"
        self.outside = folder / "outside"
        for one in (self.home, self.root, self.outside):
            one.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)  # noqa: S603, S607 - ours
        (self.root / "pyproject.toml").write_text("[project]\nname = 'loom'\n")
        (self.root / "a.py").write_text("x = 1\n")
        self.script = folder / "script.json"

    def plays(self, *steps: Sequence[Call]) -> None:
        """In each step these calls; then it is done."""
        scenes = [
            {"calls": [{"name": name, "arguments": said} for name, said in step]} for step in steps
        ]
        self.script.write_text(json.dumps([*scenes, {"text": "done"}]))

    @asynccontextmanager
    async def living(self, mode: Any = "ask", **said: Any) -> AsyncIterator[Living]:
        agents = AgentSettings(
            f"scripted:{self.script}", root=str(self.root), trusted=True, max_steps=100
        )
        allowed = PermissionSettings(mode=mode, **said)
        async with living(
            self.home,
            preferences=Preferences(spares=0, orphan_after=60.0),
            watch=False,
            agents=lambda _: agents,
            permissions=lambda _directory, _agent: allowed,
        ) as hearth:
            try:
                yield hearth
            finally:
                await hearth.end_all()

    async def begin(self, hearth: Living) -> None:
        config = c.SessionConfig(directory=str(self.root))
        async with asyncio.timeout(PATIENCE):
            begun = await settle(hearth.engine, S, c.CreateSession(config), ANN)
        assert isinstance(begun, Settled), begun


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


async def log_of(hearth: Living) -> list[Envelope]:
    return [envelope(row) for row in await hearth.engine.rows(S, 0, 10_000)]


async def events_of(hearth: Living, *kinds: type[Event]) -> list[Any]:
    return [one.event for one in await log_of(hearth) if isinstance(one.event, kinds)]


async def results_of(hearth: Living) -> dict[str, ToolResultBlock]:
    sealed = await events_of(hearth, t.BlockSealed)
    return {
        one.content.call: one.content for one in sealed if isinstance(one.content, ToolResultBlock)
    }


async def says(hearth: Living, text: str = "go") -> Event:
    async with asyncio.timeout(PATIENCE):
        settled = await settle(hearth.engine, S, p.SendMessage(text), ANN)
    assert isinstance(settled, Settled), settled
    return settled.outcome.event


async def asked(hearth: Living, number: int = 1) -> Approvals:
    """What waits for a person, once so much does."""
    following = hearth.engine.follow(S, after=0)
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                viewed = await hearth.engine.view("approvals")
                assert isinstance(viewed, Viewed)
                assert isinstance(viewed.value, Approvals)
                if len(viewed.value.rows) >= number:
                    return viewed.value
                await following.batch()
    finally:
        following.close()


async def answered(hearth: Living, approval: str, how: str, *patterns: str) -> None:
    command = p.AnswerApproval(approval, p.ApprovalAnswer(how), patterns=patterns)  # type: ignore[arg-type]  # its id
    assert not isinstance(await hearth.engine.submit(S, command, ANN), Refused)


async def ended(hearth: Living) -> t.TurnFinished:
    following = hearth.engine.follow(S, after=0)
    try:
        async with asyncio.timeout(PATIENCE):
            while not (found := await events_of(hearth, t.TurnFinished)):
                await following.batch()
        finished: t.TurnFinished = found[-1]
        return finished
    finally:
        following.close()


@pytest.mark.promise("DL-APPR-02", "DP-PERM-13", "DP-PERM-06")
async def test_a_write_waits_for_a_person_through_a_restart_and_is_done_once(agent: Agent) -> None:
    agent.plays([("write_file", {"path": "b.py", "content": "y = 2\n"})])
    async with agent.living() as hearth:
        await agent.begin(hearth)
        await hearth.engine.submit(S, p.SendMessage("go"), ANN)
        (row,) = (await asked(hearth)).rows
        assert (row.session, row.approval.name) == (S, "write_file")
        assert [one.need.target for one in row.approval.judged] == ["b.py"]
        assert not (agent.root / "b.py").exists()
    async with agent.living() as hearth:
        (row,) = (await asked(hearth)).rows
        await answered(hearth, row.approval.approval, "once")
        assert (await ended(hearth)).end is t.TurnEnd.DONE
        again = p.AnswerApproval(row.approval.approval, p.ApprovalAnswer.ONCE)
        assert isinstance(await hearth.engine.submit(S, again, ANN), Refused)
        assert len(await events_of(hearth, t.ToolStarted)) == 1
        (changed,) = await events_of(hearth, d.FilesChanged)
        assert [(one.kind, one.added) for one in changed.changes] == [("created", 1)]
    assert (agent.root / "b.py").read_text() == "y = 2\n"


async def test_the_files_are_taken_back_and_that_is_undone(agent: Agent) -> None:
    agent.plays(
        [("run_shell", {"command": "echo 3 > made.txt; rm a.py"})],
    )
    async with agent.living("auto") as hearth:
        await agent.begin(hearth)
        await says(hearth)
        assert not (agent.root / "a.py").exists()
        prompt = next(
            one.block for one in await events_of(hearth, t.BlockSealed) if one.role == "user"
        )
        for preview in (True, False):
            settled = await settle(hearth.engine, S, p.RewindFiles(prompt, preview=preview), ANN)
            assert isinstance(settled, Settled)
            done = settled.outcome.event
            assert isinstance(done, d.FilesCompared if preview else d.FilesRewound)
            assert {(one.path, str(one.kind)) for one in done.changes} == {
                ("a.py", "created"),
                ("made.txt", "deleted"),
            }
            assert (agent.root / "made.txt").exists() is preview
        assert (agent.root / "a.py").read_text() == "x = 1\n"
        undone = await settle(hearth.engine, S, p.RewindFiles(), ANN)
        assert isinstance(undone, Settled)
        assert (agent.root / "made.txt").exists()
        assert not (agent.root / "a.py").exists()


async def test_whatever_an_agent_tries_against_its_keepers_fails_and_is_in_the_log(
    agent: Agent,
) -> None:
    token, rules = agent.home / "tokens.json", agent.root / "hearth.jsonc"
    hook = agent.root / ".git/hooks/pre-commit"
    rules.write_text('{"permissions": {"execute": "ask"}}')
    before = (agent.root / ".git/config").read_text()
    attempts: list[Call] = [
        ("read_file", {"path": str(token)}),
        ("run_shell", {"command": f"cat {token}"}),
        ("run_shell", {"command": f"cp -r {agent.home} ."}),
        ("run_shell", {"command": f"base64 $(dirname {token})/tokens.json"}),
        ("run_code", {"code": f"open({str(token)!r}).read()"}),
        ("grep", {"pattern": "very", "path": str(agent.home)}),
        ("list_files", {"path": str(agent.home)}),
        ("write_file", {"path": "hearth.jsonc", "content": "{}"}),
        ("run_shell", {"command": "echo '{}' > hearth.jsonc"}),
        ("run_shell", {"command": "sed -i s/ask/allow/ hearth.jsonc"}),
        ("write_file", {"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"}),
        ("run_shell", {"command": "printf '#!/bin/sh' > .git/hooks/pre-commit"}),
        ("run_shell", {"command": "git config core.pager 'touch pwned'"}),
        ("run_shell", {"command": f"kill -9 {os.getpid()}"}),
        ("run_shell", {"command": f"python3 -c 'import os; os.kill({os.getpid()}, 9)'"}),
        ("run_shell", {"command": f'python3 -c \'open("{agent.outside}/canary", "w")\''}),
        ("run_shell", {"command": f"x={agent.outside}; eval 'touch $x/canary'"}),
        ("answer_approval", {"approval": "a1", "answer": "once"}),
    ]
    agent.plays(*([one] for one in attempts))
    async with agent.living("auto") as hearth:  # a person who says yes to everything
        standing = await hearth.equipment.sandbox.probe()
        if not standing.is_on:
            pytest.fail(f"no sandbox here: {standing.why}")
        await agent.begin(hearth)
        token.write_text("very-secret-token-of-a-person-1234567890")
        assert (await says(hearth)).end is t.TurnEnd.DONE  # type: ignore[union-attr]  # of a turn
        results = await results_of(hearth)
        assert len(results) == len(attempts)
        everything = "".join(str(one.event) for one in await log_of(hearth))
        refused = await events_of(hearth, d.ToolRefused)
        viewed = await hearth.engine.view("permissions", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Permissions)
        assert len(viewed.value.decided) == len(refused)
    assert "very-secret-token" not in everything
    assert {one.name for one in refused} >= {"read_file", "run_shell", "run_code", "write_file"}
    assert rules.read_text() == '{"permissions": {"execute": "ask"}}'
    assert not hook.exists() or not os.access(hook, os.X_OK)
    assert (agent.root / ".git/config").read_text() == before
    assert list(agent.outside.iterdir()) == []


async def test_secrets_of_the_environment_reach_neither_children_nor_the_log(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOM_API_KEY", "sk-loom-0123456789abcdef")
    (agent.root / "notes.txt").write_text("the key is sk-loom-0123456789abcdef\n")
    agent.plays(
        [("run_shell", {"command": "env | sort; cat notes.txt"})],
        [("run_code", {"code": SHOW})],
        [("read_file", {"path": "notes.txt"})],
    )
    async with agent.living("auto") as hearth:
        await agent.begin(hearth)
        await says(hearth)
        results = await results_of(hearth)
        everything = "".join(str(one.event) for one in await log_of(hearth))
    assert len(results) == 3
    assert all("the key is" in str(one.result) for one in results.values())
    assert "sk-loom-0123456789abcdef" not in everything
    assert "LOOM_API_KEY=" not in everything


async def test_forty_reads_at_once_and_a_long_result_that_can_be_read_on(agent: Agent) -> None:
    for number in range(40):
        (agent.root / f"n{number}.txt").write_text(f"number {number}\n")
    (agent.root / "long.txt").write_text("".join(f"line {n} {'x' * 60}\n" for n in range(2_000)))
    agent.plays(
        [("read_file", {"path": f"n{number}.txt"}) for number in range(40)],
        [("run_shell", {"command": "cat long.txt"})],
    )
    async with agent.living() as hearth:
        await agent.begin(hearth)
        await says(hearth)
        results = await results_of(hearth)
        assert len(results) == 41
        assert all(f"number {n}" in str(results[f"k{n + 1}"].result) for n in range(40))
        long = results["k41"]
        assert long.spilled
        assert not await events_of(hearth, t.ApprovalRequested)
    reading = {"name": "read_file", "arguments": {"path": long.spilled, "offset": 1000, "limit": 2}}
    agent.script.write_text(json.dumps([{"when": "again", "calls": [reading]}]))
    async with agent.living() as hearth:
        await says(hearth, "again")
        results = await results_of(hearth)
        assert "line 99" in str(results["k42"].result)
        assert not isinstance(results["k42"].result, Blob)


async def test_long_code_is_judged_and_run_whole(agent: Agent) -> None:
    code = f"x = {'y' * 100_000!r}\nlen(x)"
    agent.plays([("run_code", {"code": code})])
    async with agent.living() as hearth:
        await agent.begin(hearth)
        await says(hearth)
        assert [one.result for one in (await results_of(hearth)).values()] == ["Out: 100000"]


async def test_cells_of_one_step_each_have_the_files_kept_as_they_were_before(
    agent: Agent,
) -> None:
    first, second = (f"open({name!r}, 'w').write('1')" for name in ("one.txt", "two.txt"))
    agent.plays([("run_code", {"code": first}), ("run_code", {"code": second})])
    async with agent.living("auto") as hearth:
        await agent.begin(hearth)
        await says(hearth)
        assert [one.call for one in await events_of(hearth, d.FilesKept)] == ["k1", "k2"]


async def test_equal_calls_that_are_wrong_or_refused_all_have_their_results(agent: Agent) -> None:
    wrong, denied = ("read_file", {"pat": "a.py"}), ("read_file", {"path": str(agent.home)})
    agent.plays([wrong, wrong, denied, denied])
    async with agent.living() as hearth:
        await agent.begin(hearth)
        finished = await says(hearth)
        assert isinstance(finished, t.TurnFinished)
        assert finished.end is t.TurnEnd.DONE
        results = await results_of(hearth)
        assert sorted(results) == ["k1", "k2", "k3", "k4"]
        assert all(one.is_error for one in results.values())
