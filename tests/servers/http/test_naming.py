"""The ids under which sessions are begun."""

import pytest

from hearth.servers.http.asked import Declined
from hearth.servers.http.naming import fit_id, fresh_id


@pytest.mark.parametrize("said", ["a", "session-a1b2c3", "A_b-9", "x" * 64])
def test_a_decent_id_is_taken(said: str) -> None:
    assert fit_id(said) == said


@pytest.mark.parametrize(
    "said", ["", "a b", "../x", "a/b", "x" * 65, "ä", "a\n", "daemon-sessions", "\0"]
)
def test_an_id_that_could_not_be_a_folder_or_is_the_daemons_is_not(said: str) -> None:
    with pytest.raises(Declined) as declined:
        fit_id(said)
    assert declined.value.trouble.status == 400
    assert "letters" in declined.value.trouble.hint


def test_a_fresh_id_is_decent_and_new() -> None:
    made = {fresh_id() for _ in range(100)}
    assert len(made) > 90
    assert all(fit_id(one) == one for one in made)
