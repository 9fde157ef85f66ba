"""The description is complete and fits the words."""

import json
from typing import Any

from tests.contracts.words import members, tag_of

from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.refusals import Refusal
from hearth.servers.http.openapi import document
from hearth.servers.http.table import TABLE

DESCRIBED: dict[str, Any] = json.loads(document())
SCHEMAS: dict[str, Any] = DESCRIBED["components"]["schemas"]


def test_every_route_is_described_and_nothing_else() -> None:
    described = {
        (method.upper(), path) for path, methods in DESCRIBED["paths"].items() for method in methods
    }
    assert described == {(one.method, one.path) for one in TABLE}
    assert DESCRIBED["openapi"] == "3.1.0"


def test_every_operation_has_a_name_of_its_own_and_says_what_it_answers() -> None:
    operations = [one for methods in DESCRIBED["paths"].values() for one in methods.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    for one in operations:
        assert one["summary"]
        assert one["description"]
        assert "default" in one["responses"]
        assert len(one["responses"]) > 1, one["operationId"]


def test_every_command_can_be_chosen_by_its_type() -> None:
    body = DESCRIBED["paths"]["/sessions/{id}/commands"]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]
    assert schema["discriminator"]["propertyName"] == "type"
    assert set(schema["discriminator"]["mapping"]) == {tag_of(word) for word in members(Command)}
    for reference in schema["discriminator"]["mapping"].values():
        assert SCHEMAS[reference.rpartition("/")[2]]["additionalProperties"] is False


def test_every_refusal_is_described() -> None:
    assert {word.__name__ for word in members(Refusal)} <= set(SCHEMAS)


def test_every_reference_leads_somewhere() -> None:
    text = document().decode()
    for part in text.split('"$ref":"')[1:]:
        name = part.partition('"')[0].removeprefix("#/components/schemas/")
        assert name in SCHEMAS, name


def test_all_but_the_way_in_takes_a_token() -> None:
    assert DESCRIBED["security"] == [{"token": []}, {"cookie": []}]
    free = [
        path
        for path, methods in DESCRIBED["paths"].items()
        for one in methods.values()
        if one.get("security") == []
    ]
    assert free == ["/login"]


def test_it_is_made_once() -> None:
    assert document() is document()
