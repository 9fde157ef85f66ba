"""What a call needs and what is said to it: found out without running anything."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.performers.tools.staging import SESSION, Heard, Pretended

from hearth.core.rules.permission import AUTO, Layer, Rule
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import ApprovalId, CallId, SessionId
from hearth.core.vocabulary.judging import CallJudged, GrantStored, JudgeCall, StoreGrant
from hearth.core.vocabulary.modelling import StopTool
from hearth.core.vocabulary.permitting import Grant, Kept, Need, Verdict
from hearth.core.vocabulary.reports import EffectFailed
from hearth.performers.judging.paths import Place
from hearth.performers.tools import judging as module
from hearth.performers.tools.judging import Judging
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Scene, Wanted
from hearth.settings.permissions import PermissionSettings

K1 = CallId("k1")
WRITE = Need("write", "a.py", pattern="a.py")
LOOK = Need("read", "a.py", usual=Verdict.ALLOW)


@dataclass
class Book:
    """Grants as a test wants them."""

    held: tuple[Grant, ...] = ()
    slow: asyncio.Event | None = None
    stored: list[tuple[Grant, ...]] = field(default_factory=list)
    broken: bool = False

    def for_root(self, _root: str) -> tuple[Grant, ...]:
        return self.held

    def allow(self, effect: StoreGrant, _session: SessionId, _root: str) -> None:
        if self.broken:
            raise OSError("no space")
        self.stored.append(effect.grants)
        self.held += effect.grants


@dataclass
class Files:
    """What would be kept."""

    kept: list[str] = field(default_factory=list)
    why_not: str = ""
    missing: tuple[str, ...] = ()

    async def keep(self, root: str) -> Kept:
        if self.why_not:
            raise RuntimeError(self.why_not)
        self.kept.append(root)
        return Kept(root, "t1")

    def left_out(self, _root: str) -> tuple[str, ...]:
        return self.missing


class Bench:
    """A judge and what it is made of."""

    def __init__(
        self, root: Path, *tools: Pretended, rules: Sequence[Rule] = (), mode: Any = "ask"
    ) -> None:
        self.root, self.book, self.files = root, Book(), Files()
        said = PermissionSettings(layers=(Layer("yours", tuple(rules)),), mode=mode)
        self.judging = Judging(
            Registry(tools),
            lambda _directory, _agent: said,
            places=_place,
            grants=self.book,
            files=self.files,
            code={"run_code": _code, "try_code": _code},
        )

    async def judged(
        self,
        name: str = "pretend",
        arguments: str | Blob = "{}",
        *,
        keep: bool = True,
        none_granted: bool = False,
    ) -> CallJudged:
        config, heard = SessionConfig(directory=str(self.root)), Heard()
        effect = JudgeCall(K1, name, arguments, config, "bot", keep, none_granted)
        await self.judging.perform(SESSION, effect, heard)
        (report,) = heard.reports
        assert isinstance(report, CallJudged)
        return report


class Slow(Pretended):
    """Takes as long as it is let to say what it needs."""

    def __init__(self, needs: Wanted) -> None:
        super().__init__("slow", needs=needs)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        self.begun.set()
        self.go_on.wait(10)
        return super().wants(arguments, scene)


def _code(code: str, _config: SessionConfig, place: Place) -> Wanted:
    problem = "Not run: it is no code." if code == "?" else ""
    return Wanted((Need("execute", code),), bool(place.root) and code != "look", problem)


def _place(scene: Scene) -> Place:
    return Place(scene.directory, scene.root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


async def test_each_need_gets_its_verdict_and_what_may_change_is_kept_first(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((WRITE, LOOK), may_change=True)))
    report = await bench.judged()
    assert [one.verdict for one in report.judged] == [Verdict.ASK, Verdict.ALLOW]
    assert report.kept == Kept(str(root), "t1")


async def test_what_reads_or_is_not_run_yet_or_is_denied_keeps_nothing(root: Path) -> None:
    assert (await Bench(root, Pretended(needs=Wanted((LOOK,)))).judged()).kept is None
    changing = Pretended(needs=Wanted((WRITE,), may_change=True))
    assert (await Bench(root, changing).judged(keep=False)).kept is None
    deny = [Rule("write", "*", Verdict.DENY)]
    bench = Bench(root, changing, rules=deny)
    report = await bench.judged()
    assert [one.verdict for one in report.judged] == [Verdict.DENY]
    assert bench.files.kept == []


@pytest.mark.promise("DL-APPR-03")
async def test_in_auto_mode_what_would_be_asked_is_allowed_and_what_is_denied_is_not(
    root: Path,
) -> None:
    tool = Pretended(needs=Wanted((WRITE, Need("execute", "$x", least=Verdict.ASK))))
    asking = await Bench(root, tool).judged()
    assert {one.verdict for one in asking.judged} == {Verdict.ASK}
    auto = await Bench(root, tool, mode="auto").judged()
    assert {(one.verdict, one.by) for one in auto.judged} == {(Verdict.ALLOW, AUTO)}
    denied = await Bench(root, tool, mode="auto", rules=[Rule("*", "*", Verdict.DENY)]).judged()
    assert {one.verdict for one in denied.judged} == {Verdict.DENY}


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("nothing", "{}", "There is no tool nothing here. There are: "),
        ("pretend", '{"x":1}', "x is not known"),
        ("pretend", "[]", "not an object"),
        ("pretend", Blob("0" * 64, 9), "too long"),
        ("run_code", "{}", "code is missing"),
    ],
)
async def test_what_cannot_be_run_says_why(
    root: Path, name: str, arguments: str | Blob, why: str
) -> None:
    report = await Bench(root, Pretended()).judged(name, arguments)
    assert why in report.problem
    assert report.judged == ()


async def test_what_a_tool_refuses_by_itself_or_fails_to_say_is_not_run(root: Path) -> None:
    report = await Bench(root, Pretended(needs=Wanted(problem="There is no such folder."))).judged()
    assert report.problem == "There is no such folder."

    class Broken(Pretended):
        def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
            raise RuntimeError("no idea")

    report = await Bench(root, Broken()).judged()
    assert report.problem == "Not run: it cannot be judged: RuntimeError: no idea"


async def test_code_is_judged_as_code(root: Path) -> None:
    report = await Bench(root).judged("run_code", '{"code":"1"}')
    assert [one.need.target for one in report.judged] == ["1"]
    assert report.arguments == '{"code":"1"}'
    other = await Bench(root, Pretended(needs=Wanted((LOOK,)))).judged("pretend", "{}")
    assert other.arguments == ""


async def test_code_that_is_taken_back_if_it_fails_is_judged_as_any_other(root: Path) -> None:
    plain = await Bench(root).judged("run_code", '{"code":"1"}')
    undone = await Bench(root).judged("run_code", '{"code":"1","on_error":"undo"}')
    assert undone.judged == plain.judged
    wrong = await Bench(root).judged("run_code", '{"code":"1","on_error":"ignore"}')
    assert "not valid" in wrong.problem


async def test_what_is_tried_needs_all_that_each_of_it_would_need_if_it_were_run(
    root: Path,
) -> None:
    rules = (Rule("execute", "*", Verdict.ALLOW), Rule("execute", "rm*", Verdict.DENY))
    bench = Bench(root, rules=rules)
    report = await bench.judged("try_code", '{"variants":["look","rm all","look"]}')
    alone = [await bench.judged("run_code", f'{{"code":"{one}"}}') for one in ("look", "rm all")]
    assert report.judged == tuple(judged for one in alone for judged in one.judged)
    assert [one.verdict for one in report.judged] == [Verdict.ALLOW, Verdict.DENY]


async def test_files_are_kept_before_a_trial_of_which_one_may_change_them(root: Path) -> None:
    bench = Bench(root, rules=(Rule("execute", "*", Verdict.ALLOW),))
    await bench.judged("try_code", '{"variants":["look"]}')
    assert bench.files.kept == []
    await bench.judged("try_code", '{"variants":["look","write"]}')
    assert bench.files.kept == [str(root)]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"variants":["1","?"]}', "it is no code"),
        ('{"variants":"1"}', "not valid"),
        ('{"variants":[1]}', "not valid"),
        ('{"code":"1"}', "not valid"),
        ('{"variants":["1"],"on_error":"undo"}', "not valid"),
    ],
)
async def test_one_variant_that_cannot_be_judged_is_enough_to_run_none(
    root: Path, arguments: str, why: str
) -> None:
    report = await Bench(root).judged("try_code", arguments)
    assert why in report.problem
    assert report.judged == ()


@pytest.mark.parametrize("name", ["undo_code", "keep_variant"])
async def test_choosing_among_what_was_allowed_and_taking_back_need_nothing(
    root: Path, name: str
) -> None:
    report = await Bench(root).judged(name, '{"variant":1}')
    assert (report.judged, report.problem) == ((), "")


async def test_what_nobody_can_judge_is_not_run(root: Path) -> None:
    report = await Bench(root).judged("inspect", '{"code":"x"}')
    assert report.problem == "Not run: nobody here can judge inspect."


async def test_a_judgement_says_whether_it_is_enough_to_run_the_call(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((LOOK,), may_change=True)))
    assert (await bench.judged(keep=True)).keep
    assert not (await bench.judged(keep=False)).keep


async def test_what_is_asked_anyway_is_asked_before_files_are_kept_and_cannot_be_run_by_that(
    root: Path,
) -> None:
    bench = Bench(root, Pretended(needs=Wanted((WRITE, LOOK), may_change=True)))
    report = await bench.judged(none_granted=True)
    assert [one.verdict for one in report.judged] == [Verdict.ASK, Verdict.ALLOW]
    assert (report.keep, report.kept, bench.files.kept) == (False, None, [])
    free = Bench(root, Pretended(needs=Wanted((LOOK,), may_change=True)))
    assert (await free.judged(none_granted=True)).kept == Kept(str(root), "t1")


async def test_what_is_judged_later_is_reported_later_however_long_the_first_one_takes(
    root: Path,
) -> None:
    slow = Slow(needs=Wanted((WRITE,)))
    bench, heard = Bench(root, slow, Pretended(needs=Wanted((LOOK,)))), Heard()
    config = SessionConfig(directory=str(root))
    first = JudgeCall(CallId("k1"), "slow", "{}", config)
    second = JudgeCall(CallId("k2"), "pretend", "{}", config)
    judging = [
        asyncio.create_task(bench.judging.perform(SESSION, one, heard)) for one in (first, second)
    ]
    await asyncio.to_thread(slow.begun.wait, 10)
    other = Heard()
    await bench.judging.perform(SessionId("another"), second, other)
    assert len(other.reports) == 1
    assert heard.reports == []
    slow.go_on.set()
    await asyncio.gather(*judging)
    assert [one.call for one in heard.reports if isinstance(one, CallJudged)] == ["k1", "k2"]


async def test_what_hangs_keeps_nobody_waiting_for_ever(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    slow = Slow(needs=Wanted((WRITE,)))
    bench, heard = Bench(root, slow, Pretended(needs=Wanted((LOOK,)))), Heard()
    config = SessionConfig(directory=str(root))
    hanging = asyncio.create_task(
        bench.judging.perform(SESSION, JudgeCall(CallId("k1"), "slow", "{}", config), heard)
    )
    await asyncio.to_thread(slow.begun.wait, 10)
    await bench.judging.perform(SESSION, JudgeCall(CallId("k2"), "pretend", "{}", config), heard)
    assert [one.call for one in heard.reports if isinstance(one, CallJudged)] == ["k2"]
    slow.go_on.set()
    await hanging


async def test_what_cannot_be_kept_is_told_once_and_runs(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((LOOK,), may_change=True)))
    bench.files.why_not = "git is not installed"
    first, second = await bench.judged(), await bench.judged()
    assert "git is not installed" in first.notice
    assert second.notice == ""
    assert first.kept is None
    bench.files.why_not = ""
    await bench.judged()
    bench.files.why_not = "git is not installed"
    assert (await bench.judged()).notice


async def test_what_of_the_files_is_not_kept_is_told_once(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((LOOK,), may_change=True)))
    bench.files.missing = ("big.bin is too large.",)
    first, second = await bench.judged(), await bench.judged()
    assert (first.notice, second.notice) == ("big.bin is too large.", "")
    assert first.kept == second.kept == Kept(str(root), "t1")


async def test_what_is_allowed_for_always_holds_for_what_is_judged_behind_it(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((WRITE,))))
    config = SessionConfig(directory=str(root))
    grant = StoreGrant(ApprovalId("a1"), (Grant("write", "a.py"),), config)
    storing = asyncio.create_task(bench.judging.perform(SESSION, grant, Heard()))
    await asyncio.sleep(0)
    report = await bench.judged()
    await storing
    assert [one.verdict for one in report.judged] == [Verdict.ALLOW]
    assert bench.book.stored == [(Grant("write", "a.py"),)]


async def test_a_grant_that_cannot_be_stored_stops_nothing(root: Path) -> None:
    bench = Bench(root, Pretended(needs=Wanted((WRITE,))))
    bench.book.broken = True
    grant = StoreGrant(ApprovalId("a1"), (Grant("write", "a.py"),), SessionConfig())
    heard = Heard()
    await bench.judging.perform(SESSION, grant, heard)
    why = "what was allowed for always is not, for it could not be stored: no space"
    assert heard.reports == [GrantStored(ApprovalId("a1"), why)]
    report = await bench.judged()
    assert report.judged[0].verdict is Verdict.ASK
    assert report.notice == ""


async def test_what_is_no_call_is_given_back(root: Path) -> None:
    heard = Heard()
    await Bench(root).judging.perform(SESSION, StopTool(K1), heard)
    assert isinstance(heard.reports[0], EffectFailed)
    await Bench(root).judging.close()
