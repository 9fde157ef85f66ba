"""Any words in any order: what hypothesis says to a session, and what must then be true.

Words are drawn with places for what only the session knows: a generation is counted from the
present one, a cell or question is named by its role. `placed` fills them in.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final, NamedTuple, TypeVar, cast, get_args

from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts import any_taking, facts, given

from hearth.core.rules.session import Decision, SessionState, decide
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import (
    Exploration,
    ExploredKind,
    Inspection,
    Surroundings,
    Variable,
)
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.modelling import AgentEffect
from hearth.core.vocabulary.permitting import Verdict
from hearth.core.vocabulary.phases import Evaluating, Rung
from hearth.core.vocabulary.refusals import Refusal

RUNNING: Final = CellId("the running one")
WAITING: Final = CellId("the last waiting one")
NOBODY: Final = CellId("c999")
OLDEST: Final = InputId("the oldest open question")
NEWEST: Final = InputId("the newest open question")
UNASKED: Final = InputId("nobody's question")

Said = c.Command | r.Report
_T = TypeVar("_T")


class Line(NamedTuple):
    """Something that is said, by whom, and how long after what was said before."""

    word: Said
    by_bot: bool
    pause: int


class Played(NamedTuple):
    """A session after a run of lines, with all that led there."""

    state: SessionState
    facts: tuple[Fact, ...]
    steps: tuple[tuple[SessionState, Input, Decision | Refusal], ...]

    @property
    def effects(self) -> list[Effect]:
        """Everything that was to be done, in order."""
        return [
            effect
            for _, _, decision in self.steps
            if isinstance(decision, Decision)
            for effect in decision.effects
        ]


def commands() -> st.SearchStrategy[c.Command]:
    """Commands of every kind, those that keep a session busy more often than those that end it."""
    run = st.builds(
        c.RunCell,
        code=st.sampled_from(["1", "x = 1"]),
        background=st.booleans(),
        time_limit=st.sampled_from([None, 2.5]),
        if_busy=st.sampled_from(["queue", "refuse"]),
        may_ask=st.booleans(),
        reload=st.booleans(),
        replays=st.sampled_from([None, None, NOBODY]),
        on_error=st.sampled_from(["keep", "keep", "undo"]),
    )
    load = st.builds(c.LoadScript, path=st.just("a.py"))
    cancel = st.builds(c.CancelCell, cell=st.sampled_from([WAITING, RUNNING, None, NOBODY]))
    files = st.sampled_from(["", "a.py"])
    check = st.builds(c.CheckCode, code=st.just("y"), file=files, full=st.booleans())
    ask: st.SearchStrategy[c.Command] = st.sampled_from(
        [
            c.CompleteCode("y.", 1),
            c.InspectCode("y", 1),
            c.ListVariables("y"),
            c.ExploreModule("json"),
            c.ExploreType("y"),
            c.ReloadSources(("/loom/a.py",)),
            c.ReplaySession(),
            c.ReplaySession(SessionId("elsewhere")),
        ]
    )
    answer = st.builds(
        c.AnswerInput, text=st.just("42"), cell=st.sampled_from([None, RUNNING, NOBODY])
    )
    rare: st.SearchStrategy[c.Command] = st.sampled_from(
        [
            c.RenameSession("loom"),
            c.ResetSession(),
            c.ResetSession(),
            c.HardResetSession(),
            c.HardResetSession(rebuild=True),
            c.StopSession("enough"),
            c.CreateSession(given.CONFIG),
            c.SwitchSession(SessionId("elsewhere")),
            c.NoteSettings(changed=("model",)),
        ]
    )
    take = any_taking.takes()
    return _often(
        (6, run), (2, load), (2, cancel), (1, check), (3, ask), (1, answer), (1, rare), (4, take)
    )


def _often(*weighed: tuple[int, st.SearchStrategy[_T]]) -> st.SearchStrategy[_T]:
    """One of these, each as often as its weight says."""
    return st.sampled_from([one for weight, one in weighed for _ in range(weight)]).flatmap(_itself)


def _itself(strategy: st.SearchStrategy[_T]) -> st.SearchStrategy[_T]:
    return strategy


def effects() -> st.SearchStrategy[Effect]:
    """Effects of every kind, for performers that could not carry them out."""
    generations = st.sampled_from([0, 0, -1, 1])
    cells = st.sampled_from([RUNNING, WAITING, NOBODY])
    questions = st.sampled_from([OLDEST, NEWEST, UNASKED])
    config = st.just(given.CONFIG)
    return st.one_of(
        st.builds(fx.StartWorker, generations, config),
        st.builds(fx.AttachWorker, generations, config),
        st.builds(fx.StopWorker, generations),
        st.builds(fx.ResetWorker, generations, config),
        st.builds(fx.ExecuteInWorker, generations, cells, st.just("1")),
        st.builds(fx.LoadInWorker, generations, cells, st.just("a.py")),
        st.builds(fx.InterruptWorker, generations, cells, st.just(1)),
        st.builds(fx.CheckInWorker, generations, questions, st.just("y")),
        st.builds(fx.CompleteInWorker, generations, questions, st.just("y."), st.just(1)),
        st.builds(fx.InspectInWorker, generations, questions, st.just("y"), st.just(1)),
        st.builds(fx.ListInWorker, generations, questions),
        st.builds(
            fx.ExploreInWorker, generations, questions, st.sampled_from(ExploredKind), st.just("y")
        ),
        st.builds(fx.ReloadInWorker, generations, questions, st.just(("/loom/a.py",))),
        st.builds(fx.AnswerInWorker, generations, cells, st.just("42")),
        st.builds(fx.AnswerToolInWorker, generations, st.just("q1"), st.booleans()),
        st.builds(fx.ReplayHistory, generations, questions, st.just(given.SESSION)),
        st.builds(fx.WaitThenRestart, generations, st.just(0.0)),
        any_taking.effects(),
    )


def reports() -> st.SearchStrategy[r.Report]:
    """Reports of every kind, mostly about the present, sometimes about another time."""
    generations = st.sampled_from([0, 0, 0, -1, 1])
    cells = st.sampled_from([RUNNING, RUNNING, WAITING, NOBODY])
    questions = st.sampled_from([OLDEST, NEWEST, UNASKED])
    endings = st.sampled_from(
        [r.Succeeded("1", "int"), r.Raised(f.CodeRaised("E", "m")), r.Stopped()]
    )
    due = st.builds(r.RestartDue, generations)
    found = st.sampled_from([(), (Diagnostic("no y", Severity.ERROR, 1, 0, 1, 1),)])
    uses = st.sampled_from([{}, {}, {"loom": "1"}, {"loom": "2", "yarn": "1"}])
    seen = st.sampled_from([("f1", {"loom": "1"}), ("f2", {"loom": "2", "yarn": "1"}), ("f3", {})])
    surroundings = st.sampled_from([None, Surroundings(root="/loom")])
    ended = st.builds(
        r.CellEnded,
        generations,
        cells,
        endings,
        st.just(0.5),
        uses=uses,
        kept=any_taking.copies(),
        undone=st.sampled_from([False, False, True]),
    )
    ready = st.builds(r.WorkerReady, generations, st.just(0.1), surroundings=surroundings)
    rungs = st.sampled_from(Rung)
    return _often(
        (6, ended),
        (4, ready),
        (3, due),
        (1, st.builds(r.CodeChecked, questions, found)),
        (1, st.builds(r.CodeCompleted, questions)),
        (1, st.builds(r.CodeInspected, questions, st.just(Inspection()))),
        (1, st.builds(r.VariablesFound, questions, st.just((Variable("y"),)), st.just(1))),
        (1, st.builds(r.MembersFound, questions, st.just(Exploration()))),
        (1, st.builds(r.SourcesTaken, questions)),
        (1, st.builds(r.ReplayEnded, questions, st.just(("c1",)))),
        (2, st.builds(r.InputAsked, generations, cells, st.just("?"), st.booleans())),
        (1, st.builds(r.StopTried, generations, cells, rungs)),
        (1, st.builds(r.OutputCameLate, generations, cells)),
        (1, st.builds(r.ToolAsked, generations, cells, *map(st.just, ("q1", "mill", "{}", ())))),
        (1, st.builds(r.ToolUsed, generations, st.just("mill"), st.sampled_from(Verdict), cells)),
        (2, st.builds(lambda g, env: r.EnvironmentSeen(g, *env), generations, seen)),
        (1, st.builds(r.WorkerFailed, generations, st.just(f.WarmUpFailed("no")))),
        (1, st.builds(r.WorkerLost, generations, st.sampled_from(r.Exit), st.just("gone"))),
        (1, st.builds(r.EffectFailed, effects(), st.just("no memory"))),
        (5, any_taking.told()),
    )


def lines(most: int = 32) -> st.SearchStrategy[list[Line]]:
    """A script that nobody wrote. It mostly begins as sessions do, and not always."""
    pauses = st.sampled_from([0, 1, 1, 59, 61])
    said: st.SearchStrategy[Said] = _often((1, commands()), (1, reports()))
    one = st.builds(Line, said, st.booleans(), pauses)
    any_lines = st.lists(one, max_size=most // 4) | st.lists(one, min_size=most // 2, max_size=most)
    taking: st.SearchStrategy[Said] = _often(
        (3, any_taking.takes()),
        (4, any_taking.goes_on()),
        (1, any_taking.told()),
        (1, commands()),
        (1, reports()),
    )
    taken = st.lists(st.builds(Line, taking, st.booleans(), pauses), min_size=4, max_size=most)
    begun = [Line(c.CreateSession(given.CONFIG), by_bot=False, pause=0)]
    ready = [*begun, Line(r.WorkerReady(0, 0.1), by_bot=False, pause=1)]
    openings: st.SearchStrategy[list[Line]] = st.sampled_from([ready, ready, ready, begun, []])
    anything = st.builds(lambda opening, rest: [*opening, *rest], openings, any_lines)
    held = st.sampled_from(
        [
            [*ready, *(Line(one, by_bot=False, pause=1) for one in words)]
            for words in any_taking.OPENINGS
        ]
    )
    return anything | st.builds(lambda opening, rest: [*opening, *rest], held, taken)


def play(script: Iterable[Line], before: Played | None = None) -> Played:
    """Say all of it to one session, one after the other; nothing may raise."""
    state, told, steps = before or Played(SessionState(given.SESSION), (), ())
    steps_now, facts_now = list(steps), list(told)
    time = steps_now[-1][1].at if steps_now else facts.NOON
    for line in script:
        time += timedelta(seconds=line.pause)
        name = InputId(f"i{len(steps_now) + 1}")
        word = placed(state, line.word)
        cause: Input = (
            Told(name, time, word)
            if isinstance(word, r.Report)
            else Asked(name, time, given.BOT if line.by_bot else given.ANNA, word)
        )
        decision = decide(state, cause)
        steps_now.append((state, cause, decision))
        if isinstance(decision, Decision):
            state = decision.state
            facts_now += decision.facts
    return Played(state, tuple(facts_now), tuple(steps_now))


def placed(state: SessionState, word: Said) -> Said:  # noqa: PLR0911 - one return per kind
    """The word with what only the session knows put into its places."""
    match word:
        case c.CancelCell(cell=cell) | c.AnswerInput(cell=cell) if cell is not None:
            return replace(word, cell=_cell(state, cell))
        case c.UndoCells():
            return any_taking.placed_command(state, word)
        case _ if isinstance(word, any_taking.Taking):
            return any_taking.placed(state, word)
        case r.CellEnded():
            generation, kept = state.generation + word.generation, any_taking.left(state, word.kept)
            cell = _cell(state, word.cell)
            return replace(word, generation=generation, cell=cell, kept=kept)
        case r.InputAsked() | r.StopTried() | r.OutputCameLate() | r.ToolAsked():
            generation = state.generation + word.generation
            return replace(word, generation=generation, cell=_cell(state, word.cell))
        case (
            r.CodeChecked()
            | r.CodeCompleted()
            | r.CodeInspected()
            | r.VariablesFound()
            | r.MembersFound()
            | r.SourcesTaken()
            | r.ReplayEnded()
        ):
            return replace(word, question=_question(state, word.question))
        case r.ToolUsed(cell=cell):
            generation = state.generation + word.generation
            return replace(word, generation=generation, cell=_cell(state, cell or NOBODY))
        case r.EffectFailed():
            return replace(word, effect=_effect(state, word.effect))
        case (
            r.WorkerReady()
            | r.WorkerFailed()
            | r.WorkerLost()
            | r.RestartDue()
            | r.EnvironmentSeen()
        ):
            return replace(word, generation=state.generation + word.generation)
        case _:
            return word


def _effect(state: SessionState, effect: Effect) -> Effect:
    if type(effect) in get_args(AgentEffect):
        return effect
    of_worker = cast("fx.OfInterpreter", effect)
    moved = replace(of_worker, generation=state.generation + of_worker.generation)
    match moved:
        case fx.ExecuteInWorker() | fx.LoadInWorker() | fx.InterruptWorker() | fx.AnswerInWorker():
            return replace(moved, cell=_cell(state, moved.cell))
        case (
            fx.CheckInWorker()
            | fx.CompleteInWorker()
            | fx.InspectInWorker()
            | fx.ListInWorker()
            | fx.ExploreInWorker()
            | fx.ReloadInWorker()
            | fx.ReplayHistory()
        ):
            return replace(moved, question=_question(state, moved.question))
        case _ if isinstance(moved, any_taking.TakingEffect):
            return any_taking.placed_effect(state, moved)
        case _:
            return moved


def _cell(state: SessionState, role: CellId) -> CellId:
    if role == RUNNING and isinstance(state.phase, Evaluating):
        return state.phase.current.cell
    if role == WAITING and state.queue:
        return state.queue[-1].cell
    return NOBODY if role in {RUNNING, WAITING} else role


def _question(state: SessionState, role: InputId) -> InputId:
    if role not in {OLDEST, NEWEST}:
        return role
    if not state.questions:
        return UNASKED
    return state.questions[0 if role == OLDEST else -1].cause
