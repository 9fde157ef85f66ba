"""Who somebody is, by what they show."""

import hashlib
from pathlib import Path

import pytest

from hearth.core.rules.admission import Standing
from hearth.core.vocabulary.origin import Door
from hearth.credentials.token_file import TokensUnusable
from hearth.credentials.tokens import CODE_LIFE, COOKIE_LIFE, MOST_CODES, NameUnfit, Tokens


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens(tmp_path: Path, clock: Clock) -> Tokens:
    return opened(tmp_path, clock)


def opened(home: Path, clock: Clock) -> Tokens:
    tokens = Tokens(home, clock)
    tokens.open()
    return tokens


def cookie_of(tokens: Tokens) -> str:
    cookie = tokens.redeem(tokens.code())
    assert cookie is not None
    return cookie


def test_the_persons_token_stays_over_restarts(
    tokens: Tokens, tmp_path: Path, clock: Clock
) -> None:
    again = opened(tmp_path, clock)
    assert again.person == tokens.person
    known = again.who(tokens.person)
    assert known is not None
    assert known.standing is Standing.PERSON


@pytest.mark.parametrize("wrong", ["", "x", "\ud800", "\xff", "hearth_", "a" * 10_000])
def test_what_is_no_token_is_nobody(wrong: str, tokens: Tokens) -> None:
    assert tokens.who(wrong) is None
    assert tokens.who(tokens.person + wrong) is None or not wrong
    assert tokens.who(tokens.person[:-1]) is None


def test_before_it_is_opened_nobody_is_known(tmp_path: Path) -> None:
    assert Tokens(tmp_path).who("") is None


def test_a_token_that_was_given_out_is_known_by_its_hash_alone(
    tokens: Tokens, tmp_path: Path, clock: Clock
) -> None:
    secret = tokens.add("bot", Standing.AGENT)
    text = (tmp_path / "tokens.json").read_text()
    assert secret not in text
    assert hashlib.sha256(secret.encode()).hexdigest() in text
    for one in (tokens, opened(tmp_path, clock)):
        known = one.who(secret)
        assert known is not None
        assert (known.standing, known.name, known.door) == (Standing.AGENT, "bot", Door.HTTP)
    assert [kept.name for kept in tokens.listed()] == ["bot"]


def test_a_removed_token_is_nobodys(tokens: Tokens) -> None:
    secret = tokens.add("bot", Standing.READER)
    other = tokens.add("wall", Standing.READER)
    assert tokens.remove("bot")
    assert tokens.who(secret) is None
    assert tokens.who(other) is not None
    assert not tokens.remove("bot")


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "-x", "ä", "a\n"])
def test_a_name_that_does_not_fit_is_refused(name: str, tokens: Tokens) -> None:
    with pytest.raises(NameUnfit, match="letters"):
        tokens.add(name, Standing.AGENT)
    assert tokens.listed() == ()


def test_a_name_is_given_once(tokens: Tokens) -> None:
    secret = tokens.add("bot", Standing.READER)
    with pytest.raises(NameUnfit, match="already"):
        tokens.add("bot", Standing.AGENT)
    known = tokens.who(secret)
    assert known is not None
    assert known.standing is Standing.READER


def test_a_code_is_redeemed_once(tokens: Tokens) -> None:
    code = tokens.code()
    cookie = tokens.redeem(code)
    assert cookie is not None
    assert tokens.redeem(code) is None
    known = tokens.cookie(cookie)
    assert known is not None
    assert (known.standing, known.door) == (Standing.PERSON, Door.DASHBOARD)
    assert tokens.who(code) is None
    assert tokens.who(cookie) is None


def test_a_code_ends_after_a_minute(tokens: Tokens, clock: Clock) -> None:
    code = tokens.code()
    clock.now += CODE_LIFE
    assert tokens.redeem(code) is None


def test_codes_do_not_pile_up(tokens: Tokens) -> None:
    first = tokens.code()
    others = [tokens.code() for _ in range(MOST_CODES)]
    assert tokens.redeem(first) is None
    assert all(tokens.redeem(code) for code in others)


def test_a_cookie_is_good_over_restarts_until_it_is_old(
    tokens: Tokens, tmp_path: Path, clock: Clock
) -> None:
    cookie = cookie_of(tokens)
    again = opened(tmp_path, clock)
    assert again.cookie(cookie) is not None
    clock.now += COOKIE_LIFE + 1
    assert again.cookie(cookie) is None


def test_a_changed_cookie_is_nobodys(tokens: Tokens) -> None:
    cookie = cookie_of(tokens)
    ends, name, mac = cookie.split(".")
    for forged in (
        f"{int(ends) + 1}.{name}.{mac}",
        f"{ends}.{'0' * 32}.{mac}",
        f"{ends}.{name}.{'0' * 64}",
        f"{cookie}.",
        f" {cookie}",
        "",
        "..",
        "\u0661.x.y",
    ):
        assert tokens.cookie(forged) is None, forged


def test_an_ended_cookie_stays_ended(tokens: Tokens, tmp_path: Path, clock: Clock) -> None:
    ended, other = cookie_of(tokens), cookie_of(tokens)
    tokens.end_cookie(ended)
    tokens.end_cookie("no cookie at all")
    for one in (tokens, opened(tmp_path, clock)):
        assert one.cookie(ended) is None
        assert one.cookie(other) is not None
    clock.now += COOKIE_LIFE - 1
    tokens.end_cookie(other)
    text = (tmp_path / "tokens.json").read_text()
    assert ended.split(".")[1] in text
    clock.now += 2
    late = cookie_of(tokens)
    tokens.end_cookie(late)
    assert ended.split(".")[1] not in (tmp_path / "tokens.json").read_text()


def test_rotating_ends_the_token_all_cookies_and_all_codes(
    tokens: Tokens, tmp_path: Path, clock: Clock
) -> None:
    before, cookie, code = tokens.person, cookie_of(tokens), tokens.code()
    agent = tokens.add("bot", Standing.AGENT)
    new = tokens.rotate()
    assert new == tokens.person != before
    assert tokens.who(before) is None
    assert tokens.cookie(cookie) is None
    assert tokens.redeem(code) is None
    assert tokens.who(agent) is not None
    assert opened(tmp_path, clock).person == new


def test_what_cannot_be_kept_does_not_count(tokens: Tokens, tmp_path: Path) -> None:
    before = tokens.person
    (tmp_path / "tokens.json").unlink()
    (tmp_path / "tokens.json").mkdir()
    with pytest.raises(TokensUnusable):
        tokens.rotate()
    with pytest.raises(TokensUnusable):
        tokens.add("bot", Standing.AGENT)
    assert tokens.person == before
    assert tokens.who(before) is not None
    assert tokens.listed() == ()
