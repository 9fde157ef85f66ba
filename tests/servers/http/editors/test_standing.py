"""The status of a session is kept current with what its events and views tell."""

from datetime import timedelta

from tests.contracts.facts import ANNA, NOON
from tests.servers.http.editors.happening import S, happened, status

from hearth.api import Accepted, Following, Viewed
from hearth.core.views.approvals import Permissions
from hearth.core.views.status import Status
from hearth.core.views.talk import Approval
from hearth.core.views.transcript import Transcript, transcript
from hearth.core.views.validity import Environment
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import ApprovalId, CellId, InputId, SessionId, TurnId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import OpenCell, PhaseName
from hearth.core.vocabulary.progress import WarmUpStep
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.refusals import Refusal, StoreUnavailable
from hearth.servers.http.editors.standing import MOST_TYPES, Standing, performance

C1 = CellId("c1")


class Looked:
    """Gives the views that it was told to give."""

    def __init__(self) -> None:
        self.status: Status | None = status()
        self.environment = Environment()
        self.asked = 0

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        raise NotImplementedError

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        assert session == S
        if self.status is None:
            return StoreUnavailable(why="it is down")
        asked = tuple(Approval(ApprovalId(f"a{n}"), (), "") for n in range(self.asked))
        views = {
            "status": self.status,
            "environment": self.environment,
            "permissions": Permissions(asked),
        }
        return Viewed(views[name], 1)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        raise NotImplementedError


def standing(hearth: Looked, past: Transcript | None = None) -> Standing:
    assert hearth.status is not None
    seen = (hearth.status, past or Transcript(), hearth.environment)
    clock = NOON + timedelta(seconds=90.7)
    asked = (hearth.asked, lambda: hearth.asked + 3)
    return Standing(hearth, seen, lambda: {"terminal": 2}, asked, lambda: clock)


async def run(shown: Standing, code: str, event: e.Event) -> None:
    await shown.happened(happened(e.CellStarted(C1, code)))
    await shown.happened(happened(event))


async def test_it_begins_with_all_that_can_be_known() -> None:
    past = [happened(e.CellStarted(C1, "class Dog:\n    class Tail: pass\nclass Cat(Dog): pass"))]
    past += [happened(e.CellFinished(C1, 0.5))]
    hearth = Looked()
    hearth.environment = Environment("f", {"python": "1", "numpy": "2"})
    now = standing(hearth, transcript(past)).now
    assert now["types"] == ["Dog", "Cat"], "what is inside of a class is not of the session"
    assert now["distributions"] == ["numpy", "python"]
    assert (now["uptime"], now["connections"]) == (90.0, {"terminal": 2})
    assert now["performance"]["mean_ms"] == 500.0
    assert (now["state"], now["available"]) == ("ready", ["run_code"])


async def test_what_cells_define_is_counted_if_they_end_well_and_until_a_reset() -> None:
    shown = standing(Looked())
    await run(shown, "class Good: pass", e.CellFinished(C1, 0.1))
    await run(shown, "class Bad: oops", e.CellCancelled(C1, 0.1))
    assert shown.now["types"] == ["Good"]
    assert shown.now["performance"]["count"] == 2
    await shown.happened(happened(e.SessionReset()))
    assert shown.now["types"] == []
    many = "\n".join(f"class T{number}: pass" for number in range(MOST_TYPES + 5))
    await run(shown, many, e.CellFinished(C1, 0.1))
    assert len(shown.now["types"]) == MOST_TYPES
    assert shown.now["types"][-1] == f"T{MOST_TYPES + 4}"


async def test_the_view_is_asked_after_every_event_and_an_old_one_is_better_than_none() -> None:
    hearth = Looked()
    shown = standing(hearth)
    current = OpenCell(C1, "1", InputId("i"), ANNA, NOON)
    hearth.status = status(state=PhaseName.EVALUATING, current=current, evals=3, last_duration=0.2)
    hearth.environment = Environment("g", {"httpx2": "3"})
    assert await shown.happened(happened(e.EnvironmentChanged("g", {"httpx2": "3"})))
    now = shown.now
    assert (now["state"], now["current"], now["eval_count"]) == ("evaluating", "c1", 3)
    assert (now["last_eval_ms"], now["distributions"]) == (200.0, ["httpx2"])
    hearth.status = None
    assert await shown.happened(happened(e.EnvironmentChanged("h", {})))
    assert shown.now["eval_count"] == 3
    assert not shown.shown(WarmUpStep("x"))


def test_times_are_told_in_milliseconds() -> None:
    assert performance([])["count"] == 0
    told = performance([0.001 * number for number in range(1, 101)])
    assert told == {
        "count": 100,
        "mean_ms": 50.5,
        "median_ms": 51.0,
        "p95_ms": 96.0,
        "max_ms": 100.0,
    }


async def test_what_waits_for_a_person_is_counted_here_and_everywhere() -> None:
    hearth = Looked()
    shown = standing(hearth)
    assert (shown.now["approvals"], shown.now["approvals_everywhere"]) == (0, 3)
    hearth.asked = 2
    asked = t.ApprovalRequested(ApprovalId("a1"), TurnId("t1"), (), "why")
    assert await shown.happened(happened(asked))
    assert (shown.now["approvals"], shown.now["approvals_everywhere"]) == (2, 5)
    hearth.asked = 0
    said = t.ApprovalAnswered(ApprovalId("a1"), ApprovalAnswer.ONCE)
    assert await shown.happened(happened(said))
    assert shown.now["approvals"] == 0
