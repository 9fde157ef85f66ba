import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.performers.tools.shell.commanding import (
    ENVIRONMENT,
    LIMIT,
    is_running,
    pids_in,
)
from tests.performers.tools.staging import Heard, call

from hearth.core.vocabulary.ids import CallId, SessionId
from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, NETWORK, WRITE, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.sandbox import mounted
from hearth.performers.sandbox.bubblewrap import Sandbox, Standing
from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.performer import Tools
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.shell.jobs import Jobs
from hearth.performers.tools.shell.run_shell import RunShell
from hearth.performers.tools.tool import Outcome, Scene
from hearth.settings.permissions import PermissionSettings, SandboxSettings

SESSION = SessionId("one")


class Off(Sandbox):
    """A machine that cannot contain anything."""

    def probed(self) -> Standing:
        return Standing(is_on=False, why="for this test")


@dataclass
class Shell:
    """The tool, with all that it needs, and what was shown of it."""

    root: Path
    jobs: Jobs
    sandbox: Sandbox
    settings: PermissionSettings = field(default_factory=PermissionSettings)
    environ: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))
    shown: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    calls: int = 0

    @property
    def tool(self) -> RunShell:
        def settings(_directory: str, _agent: str) -> PermissionSettings:
            return self.settings

        return RunShell(self.place, self.sandbox, settings, self.jobs, self.environ)

    @property
    def scene(self) -> Scene:
        self.calls += 1
        root, number = str(self.root), CallId(f"k{self.calls}")
        return Scene(SESSION, root, root, self.shown.put_nowait, number)

    def place(self, scene: Scene) -> Place:
        return Place(scene.directory, scene.root)

    async def run(self, command: str, **how: Any) -> Outcome:
        """Run what is judged now, as if all of it had been allowed."""
        arguments = parsed_as(command=command, **how)
        scene = self.scene
        wanted = await asyncio.to_thread(self.tool.wants, arguments, scene)
        assert not wanted.problem
        async with asyncio.timeout(LIMIT):
            return await self.tool.run(arguments, replace(scene, needs=wanted.needs))


def parsed_as(**arguments: Any) -> dict[str, Any]:
    """What a model wrote, checked as the performer does."""
    return parsed(msgspec.json.encode(arguments).decode(), RunShell.input_schema)


def walled(tmp_path: Path) -> Sandbox:
    """A real sandbox, which hides what is hearth's."""
    sandbox = Sandbox((str(tmp_path / "home"),))
    assert sandbox.probed().is_on, sandbox.probed().why
    return sandbox


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def jobs(tmp_path: Path, left: Callable[[], list[int]]) -> AsyncIterator[Jobs]:
    one = Jobs(tmp_path / "home" / "results")
    (tmp_path / "home").mkdir()
    yield one
    async with asyncio.timeout(LIMIT):
        await one.close()
    assert not left()


@pytest.fixture
def bare(root: Path, jobs: Jobs) -> Shell:
    return Shell(root, jobs, Off())


@pytest.fixture(params=["bare", "contained"])
def shell(request: pytest.FixtureRequest, root: Path, jobs: Jobs, tmp_path: Path) -> Shell:
    if request.param == "bare":
        return Shell(root, jobs, Off())
    return Shell(root, jobs, walled(tmp_path))


@pytest.fixture
def contained(root: Path, jobs: Jobs, tmp_path: Path) -> Shell:
    return Shell(root, jobs, walled(tmp_path))


@pytest.mark.promise("DP-SHELL-01")
async def test_a_command_is_run_where_the_session_works_and_its_exit_code_is_told(
    shell: Shell, root: Path
) -> None:
    told = await shell.run("pwd; echo wrong >&2; exit 3")
    assert told.text == f"{root}\nwrong\n\nExit code 3."
    assert not told.is_error


@pytest.mark.promise("DP-SHELL-01")
async def test_a_command_is_run_in_another_directory_if_that_is_asked_for(
    shell: Shell, root: Path
) -> None:
    (root / "below").mkdir()
    assert (await shell.run("pwd", cwd="below")).text.startswith(f"{root}/below\n")
    assert (await shell.run("pwd", cwd=str(root / "below"))).text.startswith(f"{root}/below\n")


@pytest.mark.promise("DP-SHELL-01")
async def test_what_a_command_writes_is_shown_while_it_runs(shell: Shell, root: Path) -> None:
    fifo = root / "fifo"
    os.mkfifo(fifo)
    running = asyncio.create_task(shell.run(f"echo first; read < {fifo}; echo second"))
    async with asyncio.timeout(LIMIT):
        assert await shell.shown.get() == "first\n"
        assert not running.done()
        await asyncio.to_thread(fifo.write_text, "\n")
        assert (await running).text == "first\nsecond\n\nExit code 0."
    assert shell.shown.get_nowait() == "second\n"


@pytest.mark.promise("DP-SHELL-01")
async def test_a_command_that_never_returns_is_ended_when_its_time_is_over(
    shell: Shell,
) -> None:
    told = await shell.run("trap '' TERM; echo on; while :; do sleep 0.01; done", timeout=0.5)
    assert told.is_error
    assert told.text.startswith("on\n\nTimed out after 0.5 s and was ended")
    assert "SIGKILL" in told.text


async def test_without_a_word_about_it_a_command_has_two_minutes(
    bare: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float | None] = []
    run = bare.jobs.run

    async def noted(session: SessionId, number: str, order: Any) -> Any:
        limits.append(order.limit)
        return await run(session, number, order)

    monkeypatch.setattr(bare.jobs, "run", noted)
    await bare.run("true")
    await bare.run("true", timeout=3600)
    assert limits == [120, 3600]
    for wrong in (0, -1, 3601, "1"):
        with pytest.raises(NotValid):
            parsed_as(command="true", timeout=wrong)


async def test_what_forks_away_and_keeps_the_pipe_keeps_nobody_waiting(
    shell: Shell, root: Path
) -> None:
    file = root / "pids"
    command = (
        f"(setsid bash -c 'echo $$ >> {file}; exec sleep 300' &) ; "
        f"while [ ! -s {file} ]; do :; done; echo done"
    )
    told = await shell.run(command)
    assert told.text.startswith("done\n\nExit code 0.")
    if not shell.sandbox.probed().is_on:
        assert "1 process that it left running" in told.text
        assert not [pid for pid in pids_in(file) if is_running(pid)]
    assert not _commands_with(str(file))


async def test_whoever_does_not_wait_any_more_has_it_ended(
    shell: Shell, root: Path, left: Callable[[], list[int]]
) -> None:
    fifo = root / "fifo"
    os.mkfifo(fifo)
    marked = f"setsid sleep 300 & echo > {fifo}; sleep 301; : {fifo}"
    running = asyncio.create_task(shell.run(marked))
    async with asyncio.timeout(LIMIT):
        await asyncio.to_thread(fifo.read_bytes)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert not _commands_with(str(fifo))
    assert not left()


async def test_only_what_was_allowed_is_run(bare: Shell, root: Path) -> None:
    arguments = parsed_as(command="touch ran")
    told = await bare.tool.run(arguments, bare.scene)
    assert told.is_error
    assert "changed since it was allowed" in told.text
    assert not (root / "ran").exists()


async def test_a_path_that_leads_elsewhere_since_it_was_allowed_is_not_used(
    bare: Shell, root: Path, tmp_path: Path
) -> None:
    (root / "below").mkdir()
    arguments = parsed_as(command="touch ran", cwd="below")
    scene = bare.scene
    wanted = bare.tool.wants(arguments, scene)
    (root / "below").rmdir()
    (root / "below").symlink_to(tmp_path)
    told = await bare.tool.run(arguments, replace(scene, needs=wanted.needs))
    assert told.is_error
    assert "changed since it was allowed" in told.text
    assert not (tmp_path / "ran").exists()


def test_a_place_outside_needs_permission_of_its_own(bare: Shell, tmp_path: Path) -> None:
    wanted = bare.tool.wants(parsed_as(command="true", cwd=str(tmp_path)), bare.scene)
    external = [need for need in wanted.needs if need.permission == EXTERNAL]
    assert str(tmp_path) in {need.resolved for need in external}
    inside = bare.tool.wants(parsed_as(command="true", cwd="."), bare.scene)
    assert EXTERNAL not in {need.permission for need in inside.needs}


def test_the_network_is_asked_for_and_only_once(bare: Shell) -> None:
    wanted = bare.tool.wants(parsed_as(command="true", network=True), bare.scene)
    [need] = [need for need in wanted.needs if need.permission == NETWORK]
    assert need.usual is Verdict.ASK
    assert not need.pattern
    for arguments in ({}, {"network": False}):
        silent = bare.tool.wants(parsed_as(command="true", **arguments), bare.scene)
        assert NETWORK not in {need.permission for need in silent.needs}


def test_what_may_change_files_says_so(bare: Shell) -> None:
    assert not bare.tool.wants(parsed_as(command="ls"), bare.scene).may_change
    changing = bare.tool.wants(parsed_as(command="touch x"), bare.scene)
    assert changing.may_change
    assert EXECUTE in {need.permission for need in changing.needs}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"command": "echo \0 rm"}, "NUL"),
        ({"command": "é" * 90_000}, "180000 bytes"),
        ({"command": "  \n"}, "empty"),
        ({"command": "true", "cwd": "missing"}, "no directory"),
        ({"command": "true", "cwd": "file"}, "no directory"),
    ],
)
def test_what_cannot_be_run_at_all_is_told_before_anybody_is_asked(
    bare: Shell, root: Path, arguments: dict[str, Any], problem: str
) -> None:
    (root / "file").touch()
    assert problem in bare.tool.wants(parsed_as(**arguments), bare.scene).problem


@pytest.mark.promise("DP-SHELL-06")
@pytest.mark.parametrize(
    "command", ["touch ran; echo 'never ends", "touch ran; if true", "touch ran; )"]
)
async def test_what_the_shell_could_not_read_to_its_end_is_not_begun(
    bare: Shell, root: Path, command: str
) -> None:
    arguments = parsed_as(command=command)
    assert "could not read" in bare.tool.wants(arguments, bare.scene).problem
    told = await bare.tool.run(arguments, bare.scene)
    assert told.is_error
    assert told.text.endswith("Nothing was run.")
    assert not (root / "ran").exists()


async def test_a_directory_that_is_gone_is_told(bare: Shell, root: Path) -> None:
    arguments = parsed_as(command="true", cwd="gone")
    (root / "gone").mkdir()
    scene = bare.scene
    wanted = bare.tool.wants(arguments, scene)
    (root / "gone").rmdir()
    told = await bare.tool.run(arguments, replace(scene, needs=wanted.needs))
    assert told.is_error
    assert "Nothing was run" in told.text


async def test_secrets_are_not_in_the_surroundings(shell: Shell) -> None:
    shell.environ["OPENAI_API_KEY"] = "sk-secret"
    shell.environ |= {"MY_TOKEN": "kept"}
    shell.settings = PermissionSettings(environment_keep=("MY_TOKEN",))
    told = await shell.run("env")
    assert "sk-secret" not in told.text
    assert "MY_TOKEN=kept" in told.text
    assert "GIT_TERMINAL_PROMPT=0" in told.text


async def test_a_job_comes_back_at_once_with_its_name_and_first_words(shell: Shell) -> None:
    told = await shell.run("echo listening; sleep 300", background=True)
    assert told.text.startswith("listening\n\nJob j1 runs.")
    assert "shell_output" in told.text
    assert not told.is_error
    [(name, running)] = shell.jobs.listed(SESSION)
    assert name == "j1"
    assert running.ended is None


async def test_a_job_that_ends_at_once_says_how(shell: Shell) -> None:
    told = await shell.run("echo no; exit 1", background=True)
    assert told.text.startswith("no\n\nJob j1 has ended. Exit code 1.")
    assert "shell_kill" not in told.text


async def test_who_has_too_many_jobs_is_told_which(root: Path) -> None:
    few = Jobs(most=1)
    shell = Shell(root, few, Off())
    await shell.run("sleep 300", background=True)
    told = await shell.run(f"touch {root}/ran", background=True)
    assert told.is_error
    assert told.text.startswith("Nothing was run: 1 jobs of this session run already.")
    assert "j1: runs: sleep 300" in told.text
    assert not (root / "ran").exists()
    async with asyncio.timeout(LIMIT):
        await few.close()


async def test_the_performer_runs_it_with_what_was_allowed(bare: Shell, root: Path) -> None:
    needs = bare.tool.wants(parsed_as(command="echo hi"), bare.scene).needs
    effect = msgspec.structs.replace(
        call("run_shell", '{"command": "echo hi"}', directory=str(root)), needs=needs
    )
    heard = Heard()
    tools = Tools(Registry([bare.tool]))
    async with asyncio.timeout(LIMIT):
        await tools.perform(SESSION, effect, heard)
        await tools.close()
    assert heard.returned.result == "hi\n\nExit code 0."
    assert not heard.returned.is_error


async def test_contained_commands_write_to_the_project_and_nowhere_else(
    contained: Shell, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    told = await contained.run(f'touch here; python3 -c \'open("{outside}/x", "w")\'; true')
    assert (root / "here").exists()
    assert not (outside / "x").exists()
    assert told.text


async def test_contained_commands_write_outside_where_that_was_allowed(
    contained: Shell, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "seen").write_text("seen")
    told = await contained.run(f"cat {outside}/seen; echo made > {outside}/made")
    assert told.text.startswith("seen")
    assert (outside / "made").read_text() == "made\n"


@pytest.mark.parametrize("more", ["", "mkdir -p {0}/sub; "])
async def test_what_may_write_one_file_outside_writes_no_other_there(
    contained: Shell, tmp_path: Path, more: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "theirs").write_text("theirs")
    hidden = f'python3 -c \'open("{outside}/theirs", "w"); open("{outside}/other", "w")\''
    steps = f'python3 -c \'open("{outside}/other", "w")\'; {hidden}; echo made'
    await contained.run(f"{more.format(outside)}( {steps} ) > {outside}/log 2>/dev/null")
    assert (outside / "log").read_text() == "made\n"
    assert (outside / "theirs").read_text() == "theirs"
    assert not (outside / "other").exists()
    assert (outside / "sub").is_dir() == bool(more)


async def test_a_file_outside_that_was_not_written_is_not_left_there(
    contained: Shell, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    await contained.run(f"false && echo x > {outside}/never; echo y > {outside}/made")
    assert [one.name for one in outside.iterdir()] == ["made"]


async def test_the_folder_around_something_new_is_asked_for_where_there_is_a_sandbox(
    contained: Shell, bare: Shell, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "a").write_text("a")
    command = f"cp a {outside}/b"
    wanted = await asyncio.to_thread(contained.tool.wants, parsed_as(command=command), bare.scene)
    assert (WRITE, str(outside)) in {(need.permission, need.target) for need in wanted.needs}
    without = await asyncio.to_thread(bare.tool.wants, parsed_as(command=command), bare.scene)
    assert (WRITE, str(outside)) not in {(need.permission, need.target) for need in without.needs}
    few = tuple(need for need in wanted.needs if need.target != str(outside))
    scene = replace(contained.scene, needs=few)
    refused = await contained.tool.run(parsed_as(command=command), scene)
    assert f"it now needs write of {outside}" in refused.text
    assert not list(outside.iterdir())
    await contained.run(command)
    assert (outside / "b").read_text() == "a"


async def test_what_cannot_be_contained_is_not_run(
    contained: Shell, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    monkeypatch.setattr(mounted, "LONGEST", 10)
    told = await contained.run(f"touch here; echo x > {tmp_path}/outside/new")
    assert told.is_error
    assert "could not be contained" in told.text
    assert not (root / "here").exists()
    assert not (tmp_path / "outside/new").exists()


async def test_a_new_temporary_file_is_the_sessions_own_and_that_is_told(contained: Shell) -> None:
    path = f"/tmp/hearth-{os.getpid()}-x"  # noqa: S108 - it is never made
    told = await contained.run(f"echo x > {path}")
    assert "a /tmp of their own" in told.text
    assert not await asyncio.to_thread(os.path.lexists, path)
    assert (await contained.run(f"cat {path}")).text.startswith("x\n")


async def test_contained_commands_have_no_network_but_what_was_allowed(contained: Shell) -> None:
    seen = "cat /proc/net/dev | grep -vc -e lo: -e '|'"
    without = await contained.run(seen)
    assert without.text.startswith("0\n")
    contained.settings = PermissionSettings(sandbox=SandboxSettings(network=True))
    by_setting = await contained.run("readlink /proc/self/ns/net")
    assert by_setting.text.startswith(os.readlink("/proc/self/ns/net"))  # noqa: PTH115 - no file
    contained.settings = PermissionSettings()
    allowed = await contained.run("readlink /proc/self/ns/net", network=True)
    assert allowed.text.startswith(os.readlink("/proc/self/ns/net"))  # noqa: PTH115 - no file
    refused = await contained.run("readlink /proc/self/ns/net")
    assert not refused.text.startswith(os.readlink("/proc/self/ns/net"))  # noqa: PTH115 - no file


async def test_contained_commands_leave_each_other_temporary_files(contained: Shell) -> None:
    scratch = "$TMPDIR/between"
    await contained.run(f"echo note > {scratch}")
    assert (await contained.run(f"cat {scratch}")).text.startswith("note\n")


async def test_by_setting_commands_are_not_contained(contained: Shell, tmp_path: Path) -> None:
    contained.settings = PermissionSettings(sandbox=SandboxSettings(commands=False))
    await contained.run(f'python3 -c \'open("{tmp_path}/x", "w")\'')
    assert (tmp_path / "x").exists()


@pytest.mark.parametrize("how", [{}, {"background": True}])
async def test_a_new_git_hook_is_made_harmless_and_told(
    shell: Shell, root: Path, how: dict[str, Any]
) -> None:
    hooks = root / ".git" / "hooks"
    told = await shell.run(
        "git init -q . && printf '#!/bin/sh\\n' > .git/hooks/pre-commit "
        "&& chmod +x .git/hooks/pre-commit",
        **how,
    )
    hook = hooks / "pre-commit"
    assert not hook.exists() or not os.access(hook, os.X_OK)
    assert "hook" in told.text or not hook.exists()


def _commands_with(word: str) -> list[str]:
    """Command lines of other processes that have a word in them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended
        if word in line and int(folder.name) != os.getpid():
            found.append(line)
    return found
