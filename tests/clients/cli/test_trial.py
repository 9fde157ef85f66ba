"""A trial is followed to its end, and stopped when somebody wants that."""

from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer
from tests.clients.cli.turns import COMMANDS, EVENTS, SESSION

from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.trial import RunningTrial


def test_only_its_own_end_ends_it_and_a_stop_names_its_cell(daemon: FakeDaemon) -> None:
    daemon.on(f"GET /sessions/{SESSION}", {"value": {}, "seq": 7})
    events = daemon.events(EVENTS)
    stopped: list[str] = []

    def taken(seen: Seen) -> bytes:
        key = seen.headers["idempotency-key"]
        if seen.body["type"] == "cancel_cell":
            stopped.append(seen.body["cell"])
            events.row(11, {"type": "trial_ended", "cell": "c4", "results": []}, cause=keys[0])
        else:
            keys.append(key)
            events.row(8, {"type": "trial_ended", "cell": "c3"}, cause="somebody else's")
            events.row(9, {"type": "trial_started", "cell": "c4"}, cause=key)
        return answer({"id": key, "session": SESSION, "seq": 8}, 202)

    keys: list[str] = []
    daemon.does(COMMANDS, taken)
    with reach() as wire, Presses() as presses:
        trial = RunningTrial(wire, SESSION, presses)
        trial.submit({"type": "try_variants", "variants": ["1"]})
        trial.stop()  # before we hear that it has begun
        trial.follow()
        trial.close()
    assert trial.ending == {"type": "trial_ended", "cell": "c4", "results": []}
    assert (trial.cell, stopped) == ("c4", ["c4"])
