"""Every panel that there is, in the order of their tabs."""

from typing import Final, get_args

from hearth.core.vocabulary import events as e
from hearth.servers.dashboard.panels import (
    approvals,
    connections,
    diagnostics,
    events,
    health,
    settings,
    tasks,
    usage,
)
from hearth.servers.dashboard.panels.branches import BranchPanel
from hearth.servers.dashboard.panels.panel import Panel
from hearth.servers.dashboard.panels.saying import said, said_of
from hearth.servers.dashboard.panels.variable_table import VariablePanel
from hearth.servers.dashboard.panels.variables import Variables
from hearth.servers.dashboard.panels.wording import Clock, utc_now
from hearth.servers.http.around import Around

_EVERY: Final[frozenset[type[e.Event]]] = frozenset(get_args(e.Event))
_ASKED: Final[frozenset[type[e.Event]]] = frozenset(
    {
        e.ApprovalRequested,
        e.ApprovalAnswered,
        e.ToolRefused,
        e.GrantRecorded,
        e.TurnFinished,
        e.SessionRenamed,
    }
)
_RAN: Final[frozenset[type[e.Event]]] = frozenset(
    {
        e.CellFinished,
        e.CellFailed,
        e.CellCancelled,
        e.SessionReady,
        e.SessionFaulted,
        e.SessionStopped,
        e.SessionWarmUpStarted,
        e.EnvironmentChanged,
        e.SourcesReloaded,
        # An answer that came late, or will not come.
        e.VariablesReturned,
        e.QuestionAbandoned,
        e.CellsUndone,
        e.CellsRedone,
    }
)
_FORKED: Final[frozenset[type[e.Event]]] = _RAN | {
    e.SessionStarted,
    e.SessionRenamed,
    e.SessionForked,
    # How they stand is told, too.
    e.CellStarted,
    e.TrialStarted,
    e.TrialEnded,
}
_FOUND: Final[frozenset[type[e.Event]]] = frozenset(
    {e.DiagnosticsChecked, e.DiagnosticsCleared, e.FilesChanged, e.TurnFinished}
)
_USED: Final[frozenset[type[e.Event]]] = frozenset(
    {e.StepFinished, e.ConversationCompacted, e.PrefixStarted, e.TurnFinished}
)
_SET: Final[frozenset[type[e.Event]]] = frozenset({e.SettingsReloaded, e.SessionReady})


def panels(_: Around, clock: Clock = utc_now) -> tuple[Panel, ...]:
    """The panels of one daemon; what they keep, they share among all who look."""
    known = Variables(clock)
    variables, branches = VariablePanel(known), BranchPanel(known)
    return (
        Panel(
            "approvals",
            "Approvals",
            said(approvals.show, clock),
            moved_by=_ASKED,
            everywhere=True,
            every=15.0,
            needs_session=False,
        ),
        Panel("variables", "Variables", said_of(variables.show, clock), moved_by=_RAN),
        Panel(
            "branches",
            "Branches",
            said_of(branches.show, clock),
            moved_by=_FORKED,
            everywhere=True,
        ),
        Panel(
            "diagnostics",
            "Diagnostics",
            said_of(diagnostics.show, clock),
            moved_by=_FOUND,
            every=10.0,
        ),
        Panel("tasks", "Tasks", said_of(tasks.show, clock), moved_by=frozenset({e.TaskChanged})),
        Panel("usage", "Usage", said_of(usage.show, clock), moved_by=_USED),
        Panel("events", "Events", said_of(events.show, clock), moved_by=_EVERY),
        Panel(
            "connections",
            "Connections",
            said(connections.show, clock),
            everywhere=True,
            every=5.0,
            needs_session=False,
        ),
        Panel("health", "Health", said(health.show, clock), every=5.0, needs_session=False),
        Panel(
            "settings",
            "Settings",
            said(settings.show, clock),
            moved_by=_SET,
            every=30.0,
            needs_session=False,
        ),
    )
