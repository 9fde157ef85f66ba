"""Objects that notice it when anything of theirs is run."""

from typing import Any, NoReturn

touched: list[str] = []
"""What was run, since it was last cleared."""


def _trap(name: str) -> Any:
    def trap(*_: Any, **__: Any) -> NoReturn:
        touched.append(name)
        raise RuntimeError(name)

    return trap


class Watching(type):
    """A metaclass that computes, compares and shows itself in its own way."""

    __getattr__ = _trap("metaclass __getattr__")
    __repr__ = _trap("metaclass __repr__")
    __eq__ = _trap("metaclass __eq__")
    __hash__ = _trap("metaclass __hash__")
    __dir__ = _trap("metaclass __dir__")


def _bark(self: Any, times: int = 2) -> str:
    """Say something."""
    return f"{self} woof" * times


_TRAPS = (
    *("__getattribute__", "__getattr__", "__repr__", "__str__", "__format__", "__dir__"),
    *("__len__", "__iter__", "__bool__", "__eq__", "__hash__", "__sizeof__"),
)


def trapped() -> Any:
    """An instance of a class of its own, armed: harmless as long as it is only looked at."""
    members: dict[str, Any] = {name: _trap(name) for name in _TRAPS}
    members |= {name: property(_trap(name)) for name in ("__class__", "loud")}
    members |= {"legs": 4, "bark": _bark, "__doc__": "Harmless.", "__module__": "__main__"}
    one = Watching("Trapped", (), members)()
    object.__getattribute__(one, "__dict__")["name"] = "Rex"
    touched.clear()
    return one
