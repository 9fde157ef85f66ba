"""Every word of the vocabulary by kind, and a hypothesis strategy for any type they are made of.

A union that is not listed in KINDS is found out by tests/repo/test_words.py.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any, Final, get_args

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from hearth.core.vocabulary.blocks import Block
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.content import Output
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.phases import Phase
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.refusals import Refusal
from hearth.core.vocabulary.reports import Ending, Report
from hearth.core.vocabulary.wire import BASES, Word

KINDS: Final[Mapping[str, Any]] = {
    "commands": Command,
    "reports": Report,
    "events": Event,
    "progress": Progress,
    "effects": Effect,
    "refusals": Refusal,
    "failures": Failure,
    "phases": Phase,
    "outputs": Output,
    "endings": Ending,
    "blocks": Block,
}
"""The closed unions, under the names their samples and tables carry."""

MAX_TEXT: Final = 20
"""Long texts find nothing that short ones do not, and cost time."""


def members(union: Any) -> tuple[type[Word], ...]:
    """The words of a closed union, in the order they are written down."""
    return get_args(union)


def tag_of(word: type[Word]) -> str:
    """The `type` a word carries on the wire."""
    return str(word.__struct_config__.tag)


def all_words() -> Iterator[type[Word]]:
    """Every class that can be on the wire, whether a union has it or not."""
    waiting = [Word]
    while waiting:
        for word in waiting.pop().__subclasses__():
            waiting.append(word)
            # A test may define words of its own; only those of hearth count.
            if word.__name__ not in BASES and word.__module__.startswith("hearth."):
                yield word


def assert_comes_back(word: Any, union: Any) -> None:
    """The word survives the wire: same value, same type, and the same bytes a second time."""
    raw = encode(word)
    back = msgspec.json.decode(raw, type=union)
    assert back == word
    assert type(back) is type(word)
    assert encode(back) == raw
    assert raw.startswith(b'{"type":"%b"' % tag_of(type(word)).encode())


def strategy_for(of: Any) -> st.SearchStrategy[Any]:
    """Values of any type our words are made of, within its constraints."""
    return _values(inspect.type_info(of))


def _values(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StructType(cls=cls):
            return _structs(cls)
        case inspect.UnionType(types=types):
            return st.one_of([_values(one) for one in types])
        case inspect.VarTupleType(item_type=item, min_length=least):
            return st.lists(_values(item), min_size=least or 0, max_size=3).map(tuple)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_values(key), _values(value), max_size=3)
        case _:
            return _choices(info)


def _choices(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.LiteralType(values=values):
            return st.sampled_from(list(values))
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case _:
            return _scalars(info)


def _scalars(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StrType(min_length=least, max_length=most):
            return st.text(min_size=least or 0, max_size=min(most or MAX_TEXT, MAX_TEXT))
        case inspect.IntType(ge=least, gt=above, le=most):
            return st.integers(min_value=least if above is None else above + 1, max_value=most)
        case inspect.FloatType(gt=above):
            # JSON has no NaN and no infinity.
            return st.floats(
                min_value=above,
                exclude_min=above is not None,
                allow_nan=False,
                allow_infinity=False,
            )
        case inspect.DateTimeType():
            return _moments()
        case _:
            message = f"strategy_for knows no {type(info).__name__}: add a case for it here"
            raise NotImplementedError(message)


def _moments() -> st.SearchStrategy[datetime]:
    zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))])
    # A day from either end, so that another time zone does not leave the calendar.
    first, last = datetime.fromisoformat("0001-01-02"), datetime.fromisoformat("9999-12-30")
    return st.datetimes(first, last, timezones=zones)


@cache
def _structs(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    must = {field.name: _values(field.type) for field in info.fields if field.required}
    may = {field.name: _values(field.type) for field in info.fields if not field.required}
    return st.fixed_dictionaries(must, optional=may).map(lambda values: cls(**values))
