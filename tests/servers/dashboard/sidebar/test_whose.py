"""Whose desk it is."""

import pytest
from starlette.requests import Request

from hearth.core.vocabulary.origin import Actor, Origin
from hearth.credentials.standing import Credential, Standing
from hearth.servers.dashboard.sidebar.whose import desk_of, own_desk
from hearth.servers.http.asked import CREDENTIAL, ORIGIN, Declined


def request(standing: Standing, actor: Actor = Actor.PERSON, name: str = "ann") -> Request:
    credential, origin = Credential(standing, name), Origin(actor, name)
    return Request({"type": "http", CREDENTIAL: credential, ORIGIN: origin})


def test_a_person_has_a_desk_and_may_change_it() -> None:
    assert desk_of(request(Standing.PERSON)) == "ann"
    assert own_desk(request(Standing.PERSON)) == "ann"
    assert own_desk(request(Standing.PERSON, name="")) == ""


@pytest.mark.parametrize("standing", [Standing.AGENT, Standing.READER])
def test_a_token_of_the_same_name_has_another_desk_and_may_not_change_it(
    standing: Standing,
) -> None:
    assert desk_of(request(standing)) != "ann"
    with pytest.raises(Declined) as declined:
        own_desk(request(standing))
    assert declined.value.trouble.status == 403


def test_a_person_who_speaks_for_an_agent_does_not_change_a_desk() -> None:
    with pytest.raises(Declined) as declined:
        own_desk(request(Standing.PERSON, Actor.AGENT))
    assert declined.value.trouble.code == "not_allowed"
