"""Who asked, and through which door: closed sets on every event."""

import msgspec
import pytest
from hypothesis import given
from tests.contracts.words import strategy_for

from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin


@pytest.mark.promise("SF-LOG-09")
@given(strategy_for(Origin))
def test_an_origin_comes_back_from_json_as_it_went(origin: Origin) -> None:
    assert msgspec.json.decode(encode(origin), type=Origin) == origin


@pytest.mark.promise("SF-LOG-06", "SF-STATE-08")
def test_authors_and_doors_are_closed_sets_in_the_published_schema() -> None:
    schema = msgspec.json.schema(Origin)["$defs"]
    assert schema["Actor"]["enum"] == sorted(Actor)
    assert schema["Door"]["enum"] == sorted(Door)
    with pytest.raises(msgspec.ValidationError, match=r"\$\.actor"):
        msgspec.json.decode(b'{"actor":"ghost"}', type=Origin)


@pytest.mark.promise("SF-LOG-06")
def test_people_agents_clients_files_and_hearth_itself_are_told_apart() -> None:
    assert set(Actor) == {"person", "agent", "mcp_client", "file_watcher", "system"}
    assert encode(SYSTEM) == b'{"actor":"system"}'
