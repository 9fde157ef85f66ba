"""The routes of the dashboard."""

from hearth.credentials.standing import Act
from hearth.servers.dashboard.operations import OPERATIONS
from hearth.servers.http.routes import STREAM
from hearth.servers.http.table import TABLE


def test_all_of_them_are_in_the_one_table_and_below_one_path() -> None:
    assert all(one in TABLE for one in OPERATIONS)
    assert all(one.path == "/dashboard" or one.path.startswith("/dashboard/") for one in OPERATIONS)
    keys = [(one.method, one.path) for one in OPERATIONS]
    assert len(set(keys)) == len(keys)


def test_none_is_open_to_who_is_not_known() -> None:
    assert not [one.path for one in OPERATIONS if one.open]


def test_one_alone_streams_and_looking_is_for_all() -> None:
    streams = [one.path for one in OPERATIONS if STREAM in one.answers.values()]
    assert streams == ["/dashboard/lines/{line}"]
    assert all(one.act is Act.LOOK for one in OPERATIONS if one.method == "GET")


def test_taking_grants_back_is_for_the_person() -> None:
    (revoke,) = (one for one in OPERATIONS if one.path == "/dashboard/revoke")
    assert revoke.act is Act.GOVERN
