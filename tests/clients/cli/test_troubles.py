"""Troubles, as programs get them."""

from hearth.clients.cli import troubles


def test_a_trouble_is_one_object_for_programs() -> None:
    trouble = troubles.Trouble("no", hint="try", code="not_now", more={"state": "ready"})
    error = {"state": "ready", "code": "not_now", "message": "no", "hint": "try"}
    assert trouble.as_json() == {"error": error}
    assert str(trouble) == "no"


def test_what_a_daemon_says_more_never_hides_the_message() -> None:
    trouble = troubles.Trouble("no", more={"message": "other", "code": "other"})
    assert trouble.as_json()["error"]["message"] == "no"


def test_every_kind_of_trouble_has_its_own_exit_code() -> None:
    assert troubles.wrong_usage("a", "b").ending == 2
    assert troubles.no_daemon("/home").ending == 3
    assert troubles.unreachable("a").ending == 5
    assert troubles.unreachable("a").hint
    assert troubles.Trouble("a").ending == 1


def test_every_exit_code_has_a_meaning() -> None:
    codes = {
        value for name, value in vars(troubles).items() if name.isupper() and type(value) is int
    }
    assert codes == set(troubles.MEANINGS) == {0, 1, 2, 3, 4, 5, 6, 130}
