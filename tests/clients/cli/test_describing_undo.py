"""Events of taking back have a line that says what matters, also where fields are missing."""

import json
from pathlib import Path

import pytest

from hearth.clients.cli.describing_undo import described_undo

SAMPLES = Path(__file__).parents[2] / "samples" / "events"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            {"type": "cells_undone", "cells": ["c1", "c2"]},
            "c1 and c2; nothing more can be taken back",
        ),
        ({"type": "copies_dropped", "cells": ["c1"], "why": "too many"}, "c1: too many"),
        ({"type": "copies_dropped", "cells": ["c1"]}, "c1"),
        ({"type": "undo_requested", "cells": ["c1"], "redo": True}, "c1, brought back"),
        ({"type": "cell_not_kept", "obstacles": ["a", "b"]}, "a; b"),
        ({"type": "trial_started", "variants": ["x", "y"]}, "2 variants: x"),
        ({"type": "trial_ended", "results": [{}, {"stopped": True}]}, "1 of 2 ran to their end"),
        ({"type": "trial_ended", "problem": "no"}, "no"),
        ({"type": "session_forked", "to": "s", "how": "replay"}, "s (replay)"),
        (
            {"type": "session_returned", "to": "b7", "scope": {"files": True}, "cells": ["c1"]},
            "b7, with files, without c1",
        ),
        ({"type": "session_returned", "to": ""}, "undone"),
    ],
)
def test_each_says_what_matters(event: dict[str, object], said: str) -> None:
    assert described_undo(str(event["type"]), event) == said


def test_none_of_the_samples_is_too_much_and_others_are_not_ours() -> None:
    for path in SAMPLES.glob("*.json"):
        described_undo(path.stem, json.loads(path.read_text("utf-8")))
        described_undo(path.stem, {})
    assert described_undo("cell_started", {}) is None
