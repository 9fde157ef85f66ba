"""Everything that is kept of one session between events: its state and its views, in one step."""

from hearth.core.rules.evolving import evolve
from hearth.core.rules.state import SessionState
from hearth.core.views.decisions import Decisions, decide_on
from hearth.core.views.diagnostics import Diagnostics, diagnose
from hearth.core.views.spending import Spending, spend
from hearth.core.views.talk import WORDS, Talk, talk_on
from hearth.core.views.tally import Tally, count
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.wire import Part


class SessionFold(Part, frozen=True):
    """A session up to some event: enough to decide, to show, and to be saved as a snapshot."""

    state: SessionState
    tally: Tally = Tally()
    diagnostics: Diagnostics = Diagnostics()
    talk: Talk = Talk()
    spending: Spending = Spending()
    version: int = 0
    """Of the event that was seen last; the state may be ahead, by the others of its decision."""
    decisions: Decisions = Decisions()


def fold(session: SessionFold, fact: Fact) -> SessionFold:
    """The session after this fact; IllegalEvent if it cannot have happened."""
    return see(session, evolve(session.state, fact), fact)


def see(session: SessionFold, state: SessionState, fact: Fact) -> SessionFold:
    """The session after this fact, whose new state is known already."""
    tally, diagnostics = count(session.tally, fact), diagnose(session.diagnostics, fact)
    talk, spending, version = session.talk, session.spending, session.version + 1
    decisions = session.decisions
    if type(fact.event) in WORDS:
        talk = talk_on(talk, version, fact)
        spending = spend(spending, version, fact)
        decisions = decide_on(decisions, fact)
    return SessionFold(state, tally, diagnostics, talk, spending, version, decisions)
