import msgspec

from hearth.core.views.named import OF_A_SESSION, OF_ALL, VIEWS
from hearth.core.vocabulary.codec import encode


def test_every_view_has_one_name_and_can_travel() -> None:
    assert set(VIEWS) == set(OF_A_SESSION) | set(OF_ALL)
    assert not set(OF_A_SESSION) & set(OF_ALL)
    for name, kind in VIEWS.items():
        assert kind.__name__.lower() == name
        schema = msgspec.json.schema(kind)
        assert schema["$defs"][kind.__name__]["type"] == "object"


def test_what_a_view_says_comes_back_as_it_was() -> None:
    activity = OF_ALL["activity"]()
    assert msgspec.json.decode(encode(activity), type=OF_ALL["activity"]) == activity
