"""What servers say that they can do."""

from typing import Any

import pytest

from hearth.performers.language_server.abilities import Abilities, abilities_of


def test_what_a_server_can_do_is_what_it_says() -> None:
    provider = {"interFileDependencies": True, "workspaceDiagnostics": True}
    said = {
        "positionEncoding": "utf-8",
        "diagnosticProvider": provider,
        "textDocumentSync": {"save": False},
    }
    assert abilities_of({"capabilities": said}) == Abilities(
        "utf-8", pulls=True, reaches_far=True, sees_all=True, wants_saves=False
    )
    assert abilities_of({"capabilities": {"diagnosticProvider": {}}}).pulls


@pytest.mark.parametrize(
    "answer", [None, 3, [], {}, {"capabilities": []}, {"capabilities": {"diagnosticProvider": 0}}]
)
def test_nonsense_says_nothing(answer: Any) -> None:
    assert abilities_of(answer) == Abilities()
