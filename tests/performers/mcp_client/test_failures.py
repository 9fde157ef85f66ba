import pytest
from tests.performers.mcp_client.pretending import Time

from hearth.performers.mcp_client.connecting import NeedsLogin, Unavailable
from hearth.performers.mcp_client.failures import BACK_OFF, MOST_FAILURES, Failures

BROKEN = Unavailable("it is broken")


def is_tried(failures: Failures, key: str = "a") -> bool:
    try:
        failures.check(key)
    except Unavailable:
        return False
    return True


def test_each_failure_in_a_row_is_a_longer_while_up_to_the_longest() -> None:
    time = Time()
    failures = Failures(lambda: time.now)
    assert is_tried(failures)
    for seconds in (*BACK_OFF, BACK_OFF[-1]):
        failures.note("a", BROKEN)
        time.passes(seconds - 0.5)
        assert not is_tried(failures)
        time.passes(0.5)
        assert is_tried(failures)
    assert failures.why("a") == "it is broken", "until it has begun"
    failures.forget("a")
    failures.note("a", BROKEN)
    time.passes(BACK_OFF[0])
    assert is_tried(failures), "it began in between"


def test_who_is_not_tried_yet_says_why_and_others_are() -> None:
    failures = Failures(lambda: 0.0)
    failures.note("a", BROKEN)
    with pytest.raises(Unavailable, match=r"^it is broken \(it is tried again later\)$"):
        failures.check("a")
    assert is_tried(failures, "b")
    assert (failures.why("a"), failures.why("b")) == ("it is broken", "")
    failures.forget("a")
    failures.forget("b")
    assert is_tried(failures)
    assert failures.why("a") == ""


def test_a_login_is_waited_for_the_shortest_while_however_often() -> None:
    time = Time()
    failures = Failures(lambda: time.now)
    for _ in range(5):
        failures.note("a", NeedsLogin("it needs a login"))
        time.passes(BACK_OFF[0])
        assert is_tried(failures)


def test_of_too_many_the_oldest_is_forgotten() -> None:
    failures = Failures(lambda: 0.0)
    for number in range(MOST_FAILURES):
        failures.note(str(number), BROKEN)
    failures.note("0", BROKEN)
    failures.note("one more", BROKEN)
    assert failures.why("0"), "it failed again"
    assert not failures.why("1")
