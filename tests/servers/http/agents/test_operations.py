"""The routes about agents, as the table has them."""

from hearth.credentials.standing import Act
from hearth.servers.http.agents.operations import OPERATIONS


def test_what_decides_is_for_a_person_and_the_rest_looks() -> None:
    for one in OPERATIONS:
        decides = one.method == "DELETE" or one.path.endswith(("/rewind", "/{approval}"))
        wanted = Act.GOVERN if decides or one.path == "/grants" else Act.LOOK
        assert one.act is wanted, one.path
        assert not one.open
