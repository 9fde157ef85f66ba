"""What agents work with, put together: which tools, where, and what is closed to them."""

import os
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import ApprovalId, CallId, SessionId
from hearth.core.vocabulary.judging import EndJobs, JudgeCall, RewindProject, StoreGrant
from hearth.core.vocabulary.modelling import RunTool
from hearth.core.vocabulary.permitting import Grant, Need, Verdict
from hearth.performers.judging.paths import path_needs
from hearth.performers.tools.equipping import (
    JOBS,
    OFF_UNLESS_WANTED,
    RESULTS,
    BookOfGrants,
    Equipment,
    Outside,
    code_wants,
)
from hearth.performers.tools.tool import Scene, unkept
from hearth.settings.agents import AgentSettings
from hearth.settings.grants import GrantBook
from hearth.settings.permissions import PermissionSettings, SandboxSettings, ServerSettings

SESSION = SessionId("session-1")


async def _read(_session: SessionId, _after: int, _limit: int) -> Sequence[Stored]:
    return ()


async def _fetch(_digest: str) -> bytes:
    return b""


class Shop:
    """A home, a project, and an equipment with settings of a test's own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "project"
        self.home.mkdir()
        self.root.mkdir()
        (self.root / "pyproject.toml").write_text("")
        self.said = PermissionSettings()
        self.asked: list[tuple[str, str]] = []
        outside = Outside(
            home=self.home,
            agents=lambda _: AgentSettings("scripted", root=str(self.root), trusted=True),
            permissions=self.permissions,
            read=_read,
            fetch=_fetch,
            keep=unkept,
            environ=dict(os.environ),
        )
        self.equipment = Equipment(outside)

    def permissions(self, directory: str, agent: str) -> PermissionSettings:
        self.asked.append((directory, agent))
        return self.said

    @property
    def scene(self) -> Scene:
        return Scene(SESSION, str(self.root), str(self.root), agent="bot")

    def names(self, scene: Scene | None = None) -> set[str]:
        return set(self.equipment.registry.offered(scene or self.scene).names)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    await shop.equipment.close()


async def test_all_tools_are_there_but_those_that_must_be_wanted(shop: Shop) -> None:
    assert shop.names() >= {
        "read_file",
        "write_file",
        "edit_file",
        "list_files",
        "grep",
        "run_shell",
        "shell_output",
        "shell_kill",
        "diagnostics",
        "tasks",
        "run_code",
    }
    assert not shop.names() & OFF_UNLESS_WANTED


async def test_what_must_be_wanted_is_there_once_it_is(shop: Shop) -> None:
    shop.said = PermissionSettings(enabled_tools=OFF_UNLESS_WANTED)
    assert shop.names() >= {"fetch_url"}


@pytest.mark.promise("DP-TOOL-09")
async def test_what_is_switched_off_is_neither_offered_nor_declared(shop: Shop) -> None:
    shop.said = PermissionSettings(disabled_tools=frozenset({"tasks", "run_shell"}))
    assert not shop.names() & {"tasks", "run_shell", "shell_output", "shell_kill"}
    offered = shop.equipment.registry.offered(shop.scene)
    assert '"tasks"' not in offered.declarations
    assert "run_shell" not in offered.declarations, "nor is it spoken of"
    assert offered.switched_off == ("tasks",)


async def test_where_no_code_may_be_run_none_is_tried_kept_or_taken_back(shop: Shop) -> None:
    own = {"run_code", "try_code", "keep_variant", "undo_code"}
    assert shop.names() >= own
    shop.said = PermissionSettings(disabled_tools=frozenset({"try_code"}))
    assert shop.names() >= own - {"try_code"}
    shop.said = PermissionSettings(disabled_tools=frozenset({"run_code"}))
    assert not shop.names() & own
    offered = shop.equipment.registry.offered(shop.scene)
    assert set(offered.switched_off) == own
    assert not shop.equipment.registry.may_be_called("try_code", shop.scene)


async def test_what_is_tried_is_judged_as_what_is_run(shop: Shop) -> None:
    def needs(name: str, arguments: str) -> set[str]:
        config = SessionConfig(directory=str(shop.root))
        effect = JudgeCall(CallId("k1"), name, arguments, config, "bot")
        found = shop.equipment.judging.found(SESSION, effect)
        assert not found.problem
        return {f"{one.verdict}: {one.need.permission} {one.need.target}" for one in found.judged}

    bad = "import os; os.remove('/etc/passwd')"
    run = needs("run_code", f'{{"code":"{bad}"}}')
    assert run
    assert needs("try_code", f'{{"variants":["1+1","{bad}"]}}') >= run
    assert needs("try_code", '{"variants":["1+1"]}') == needs("run_code", '{"code":"1+1"}')


async def test_every_effect_of_tools_has_one_performer(shop: Shop) -> None:
    kinds = [kind for one in shop.equipment.performers() for kind in one.effects]
    assert len(kinds) == len(set(kinds))
    assert {RunTool, JudgeCall, StoreGrant, RewindProject, EndJobs} <= set(kinds)


async def test_hearths_own_is_closed_but_for_what_is_kept_for_this_session(shop: Shop) -> None:
    place = shop.equipment.place_of(shop.scene)
    for kept in (RESULTS, JOBS):
        folder = shop.home / kept / SESSION
        folder.mkdir(parents=True)
        (folder / "k1.txt").write_text("long")
        (need,) = path_needs(str(folder / "k1.txt"), "read", place)
        assert need.least is Verdict.ALLOW
    for closed in ("tokens.json", f"{RESULTS}/session-2/k1.txt"):
        needs = path_needs(str(shop.home / closed), "read", place)
        assert Verdict.DENY in {need.least for need in needs}


async def test_settings_of_a_session_without_a_project_are_nobodys_but_the_persons(
    shop: Shop,
) -> None:
    shop.equipment.place_of(Scene(SESSION, str(shop.root), "", agent="bot"))
    assert shop.asked[-1] == ("", "bot")


async def test_interpreters_are_kept_apart_as_the_settings_say(shop: Shop) -> None:
    assert not shop.equipment.walls_of(str(shop.root)).contained
    shop.said = PermissionSettings(
        sandbox=SandboxSettings(interpreter=True, network=True, writable=("/w",), readable=("/r",)),
        environment_keep=("AWS_*",),
    )
    walls = shop.equipment.walls_of(str(shop.root))
    assert (walls.contained, walls.network) == (True, True)
    assert (walls.writable, walls.readable, walls.keep) == (("/w",), ("/r",), ("AWS_*",))


async def test_language_servers_are_those_that_the_settings_want(shop: Shop) -> None:
    def servers() -> dict[str, tuple[str, ...]]:
        return {one.name: one.command for one in shop.equipment._specs(str(shop.root))}

    assert set(servers()) == {"ty", "ruff"}
    shop.said = PermissionSettings(
        language_servers={
            "ruff": ServerSettings(is_on=False),
            "mine": ServerSettings(command=("mine", "--stdio"), files=("*.toml",)),
        }
    )
    assert servers() == {"ty": ("ty", "server"), "mine": ("mine", "--stdio")}


async def test_what_is_found_is_judged_by_what_holds_for_the_call(shop: Shop) -> None:
    scene, need = shop.scene, Need("read", "a", usual=Verdict.ALLOW)
    before = len(shop.asked)
    assert [shop.equipment._verdict(scene, need) for _ in range(5)] == [Verdict.ALLOW] * 5
    assert len(shop.asked) == before + 1
    shop.equipment._verdict(shop.scene, need)
    assert len(shop.asked) == before + 2


def test_what_was_allowed_for_always_is_written_down_with_its_occasion(tmp_path: Path) -> None:
    book = BookOfGrants(GrantBook(tmp_path))
    grant = Grant("execute", "npm test")
    before = datetime.now(UTC)
    effect = StoreGrant(ApprovalId("a1"), (grant,), SessionConfig(), "execute npm test", "anna")
    book.allow(effect, SESSION, "/p")
    (stored,) = book.book.all()
    assert (stored.grant, stored.root, stored.by, stored.session) == (grant, "/p", "anna", SESSION)
    assert stored.at >= before
    assert book.for_root("/p") == (grant,)
    assert book.for_root("/q") == ()


@pytest.mark.parametrize(
    ("interpreter", "code", "least"),
    [
        ("python", "1 + 1", Verdict.ALLOW),
        ("bash", "ls", Verdict.ALLOW),
        ("bash", "eval $x", Verdict.ASK),
        ("julia", "1 + 1", Verdict.ASK),
    ],
)
def test_code_is_judged_by_its_language(
    tmp_path: Path, interpreter: str, code: str, least: Verdict
) -> None:
    shop: Any = Shop(tmp_path)
    config = SessionConfig(interpreter=interpreter)
    wanted = code_wants(code, config, shop.equipment.place_of(shop.scene))
    assert max((need.least for need in wanted.needs), default=Verdict.ALLOW) is least


@pytest.mark.parametrize(
    ("code", "is_asked"),
    [
        ("cd links", True),
        ("cat one", True),
        ("git status", True),
        ("ls src", True),
        ("cd {root}/missing; cat one", True),
        ("(cd {root}); cat one", True),
        ("cd {root} && cat one", False),
        ("cd {root}\ncat one", False),
        ("cat {root}/one", False),
        ("ls -la", False),
        ("pwd; ls", False),
        ("x=3; echo $x", False),
    ],
)
def test_a_cell_of_bash_is_judged_in_whatever_directory_the_cells_before_left_it(
    tmp_path: Path,
    code: str,
    is_asked: bool,  # noqa: FBT001 - a column of a table
) -> None:
    shop: Any = Shop(tmp_path)
    place = shop.equipment.place_of(shop.scene)
    wanted = code_wants(code.format(root=place.root), SessionConfig(interpreter="bash"), place)
    assert any(need.least is Verdict.ASK for need in wanted.needs) is is_asked
