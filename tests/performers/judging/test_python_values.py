from hearth.performers.judging.python_values import (
    ANYTHING,
    UNKNOWN,
    Known,
    Origin,
    PathAt,
    Several,
    joined,
    texts,
)


def test_possibilities_are_joined_each_once() -> None:
    assert joined((Known(1),), (Known(2), Known(1))) == (Known(1), Known(2))
    assert joined() == ()


def test_too_many_possibilities_are_anything_but_what_has_a_name_stays() -> None:
    many = joined((Origin("os.system"),), tuple(map(Known, range(100))))

    assert many == (Origin("os.system"), UNKNOWN)


def test_texts_are_all_of_them_or_none() -> None:
    assert texts((Known("a"), PathAt("b"), Known(b"c"))) == ["a", "b", "c"]
    for one in (Known(1), PathAt(None), PathAt("a", is_below=True), UNKNOWN, Several(())):
        assert texts((Known("a"), one)) is None
    assert texts(ANYTHING) is None
    assert texts(()) == []
