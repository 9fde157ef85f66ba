"""Turns questions about code into what the interpreter and the checker know, as reports."""

from typing import TypeAlias, assert_never

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import (
    Exploration,
    ExploredKind,
    Inspection,
    Variable,
)
from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.performers.interpreter.answers_inside import many, named_type, one, sources_taken
from hearth.performers.interpreter.checking.check import Check, Checker, uncheckable
from hearth.performers.interpreter.collecting import plain
from hearth.performers.interpreter.looking import live_names, look_around
from hearth.performers.interpreter.worker import Worker

Asked: TypeAlias = (
    fx.CheckInWorker
    | fx.CompleteInWorker
    | fx.InspectInWorker
    | fx.ListInWorker
    | fx.ExploreInWorker
    | fx.ReloadInWorker
)

_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

NO_TURN = "the interpreter lets nobody else have a turn; ask again when the cell is over"
NOT_HERE = "this interpreter cannot answer that"


async def answer(worker: Worker, checker: Checker, effect: Asked) -> r.Report:
    """The answer to a question, or why there is none."""
    match effect:
        case fx.CheckInWorker():
            return await _check(worker, checker, effect)
        case fx.CompleteInWorker():
            return await _complete(worker, effect)
        case fx.InspectInWorker():
            return await _inspect(worker, effect)
        case fx.ListInWorker():
            return await _list(worker, effect)
        case fx.ExploreInWorker():
            return await _explore(worker, effect)
        case fx.ReloadInWorker():
            return await _reload(worker, effect)
        case _:
            assert_never(effect)


async def _check(worker: Worker, checker: Checker, effect: fx.CheckInWorker) -> r.Report:
    if not worker.asking.is_ours:
        return r.CodeChecked(effect.question, uncheckable(worker.language))
    request = Check(
        code=effect.code,
        file=effect.file,
        cells=tuple(worker.known.cells),
        names=await live_names(worker),
        directory=worker.record.root,
        python=worker.record.python,
    )
    return r.CodeChecked(effect.question, await checker.check(request))


async def _complete(worker: Worker, effect: fx.CompleteInWorker) -> r.Report:
    patience = worker.preferences.answer
    if worker.asking.is_ours:
        asked = {"code": effect.code, "cursor": effect.cursor}
        found = await worker.asking.ask("complete", asked, patience=patience)
        if found is None:
            return r.CodeCompleted(effect.question, _known_names(worker, effect))
        return r.CodeCompleted(effect.question, many(found.get("items"), Completion))
    content = {"code": effect.code, "cursor_pos": effect.cursor}
    reply = await worker.asking.request("complete_request", content, patience=patience)
    if reply is None:
        return r.EffectFailed(effect, NO_TURN)
    matches = reply.get("matches")
    items = [Completion(str(one)) for one in matches] if isinstance(matches, list) else []
    return r.CodeCompleted(effect.question, tuple(items))


def _known_names(worker: Worker, effect: fx.CompleteInWorker) -> tuple[Completion, ...]:
    """From what was last known of the namespace, when the interpreter cannot be asked."""
    before = effect.code[: effect.cursor]
    word = before[len(before.rstrip(_WORD)) :]
    if before[: len(before) - len(word)].rstrip().endswith("."):
        return ()
    names = sorted(name for name in worker.known.names if name.startswith(word))
    return tuple(
        Completion(name, CompletionKind.VARIABLE, worker.known.names[name]) for name in names
    )


async def _inspect(worker: Worker, effect: fx.InspectInWorker) -> r.Report:
    patience = worker.preferences.answer
    if worker.asking.is_ours:
        asked = {"code": effect.code, "cursor": effect.cursor}
        found = await worker.asking.ask("inspect", asked, patience=patience)
        if found is None:
            return r.EffectFailed(effect, NO_TURN)
        return r.CodeInspected(effect.question, one(named_type(found), Inspection, Inspection()))
    content = {"code": effect.code, "cursor_pos": effect.cursor, "detail_level": 0}
    reply = await worker.asking.request("inspect_request", content, patience=patience)
    if reply is None:
        return r.EffectFailed(effect, NO_TURN)
    data = reply.get("data")
    text = str(data.get("text/plain") or "") if isinstance(data, dict) else ""
    inspection = Inspection(found=bool(reply.get("found")), doc=plain(text))
    return r.CodeInspected(effect.question, inspection)


async def _list(worker: Worker, effect: fx.ListInWorker) -> r.Report:
    if not worker.asking.is_ours:
        return r.EffectFailed(effect, NOT_HERE)
    asked = {"limit": 500, "prefix": effect.prefix, "modules": effect.modules}
    found = await worker.asking.ask("variables", asked, patience=worker.preferences.answer)
    if found is None and not worker.known.is_told:
        return r.EffectFailed(effect, NO_TURN)
    if found is None:
        known = worker.known.names.items()
        chosen = sorted(item for item in known if item[0].startswith(effect.prefix))
        variables = tuple(Variable(name, kind) for name, kind in chosen)
        return r.VariablesFound(effect.question, variables, len(variables))
    listed = found.get("variables")
    rows = [named_type(one) for one in listed] if isinstance(listed, list) else []
    return r.VariablesFound(effect.question, many(rows, Variable), int(found.get("total") or 0))


async def _explore(worker: Worker, effect: fx.ExploreInWorker) -> r.Report:
    if not worker.asking.is_ours:
        return r.EffectFailed(effect, NOT_HERE)
    ask = "explore_module" if effect.kind is ExploredKind.MODULE else "explore_type"
    found = await worker.asking.ask(ask, {"name": effect.name}, patience=worker.preferences.answer)
    if found is None:
        return r.EffectFailed(effect, NO_TURN)
    return r.MembersFound(effect.question, one(found, Exploration, Exploration(name=effect.name)))


async def _reload(worker: Worker, effect: fx.ReloadInWorker) -> r.Report:
    """Between two cells: it waits its turn behind the running one."""
    if not worker.asking.is_ours:
        return r.EffectFailed(effect, NOT_HERE)
    content = {"ask": "reload", "args": {"paths": list(effect.paths)}}
    request = worker.asking.begin("hearth_request", content)
    reply = await worker.asking.answer_to(request, None)
    taken = (reply or {}).get("answer")
    if not isinstance(taken, dict):
        return r.EffectFailed(effect, "the interpreter ended before it could take them")
    worker.beside(look_around(worker))
    return sources_taken(effect.question, taken)
