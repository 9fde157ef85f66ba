from hearth.performers.judging.python_attributes import (
    attribute,
    attribute_by,
    class_of,
    imported,
    is_named,
    looked_up,
)
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    CLASS,
    UNKNOWN,
    Bound,
    Known,
    Origin,
    PathAt,
)


def test_the_class_of_what_nobody_knows_is_a_class_that_nobody_knows() -> None:
    assert class_of(Known("x")) == class_of(PathAt("x")) == ANYTHING
    assert class_of(UNKNOWN) == class_of(Origin("builtins.open()")) == (CLASS,)
    assert attribute(UNKNOWN, "__class__") == attribute(CLASS, "__mro__") == (CLASS,)
    assert attribute(CLASS, "__name__") == (Bound(UNKNOWN, "__name__"),)


def test_what_a_call_gave_is_made_anew_by_its_init_and_a_parent_is_not() -> None:
    assert attribute(Origin("sqlite3.connect()"), "__init__") == (CLASS,)
    assert attribute(Origin("builtins.super()"), "__init__") == (
        Origin("builtins.super().__init__"),
    )


def test_attributes_are_found_under_one_name_for_each_thing() -> None:
    assert attribute(Origin("posix"), "system") == (Origin("os.system"),)
    assert attribute(UNKNOWN, "os") == (Origin("os"),)
    assert attribute(PathAt("a/b"), "parent") == (PathAt("a"),)
    assert attribute_by(Origin("os"), (Known("system"),)) == (Origin("os.system"),)
    assert attribute_by(Origin("os"), ANYTHING) == (CHOSEN,)
    assert looked_up("sys.modules", (Known("os"),)) == (Origin("os"),)
    assert looked_up("os", ANYTHING) == (CHOSEN,)
    assert imported("builtins.__import__", [(Known("os.path"),)]) == (Origin("os"),)
    assert imported("importlib.import_module", [ANYTHING]) == (CHOSEN,)
    assert is_named((Origin("os"),))
    assert not is_named((Origin("os()"),))
