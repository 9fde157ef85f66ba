import pytest

from hearth.performers.judging.python_effects import Kind
from hearth.performers.judging.python_methods import method_effect, writes_itself


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("to_csv", Kind.WRITE),
        ("savefig", Kind.WRITE),
        ("write_parquet", Kind.WRITE),
        ("save_pretrained", Kind.WRITE),
        ("system", Kind.SHELL),
        ("Popen", Kind.PROGRAM),
        ("create_subprocess_exec", Kind.ARGUMENTS),
        ("urlopen", Kind.NETWORK),
        ("run_cell", Kind.OPAQUE),
    ],
)
def test_some_methods_are_known_by_their_name(name: str, kind: Kind) -> None:
    effect = method_effect(name)

    assert effect is not None
    assert effect.kind is kind


@pytest.mark.parametrize("name", ["head", "append", "write", "run", "get", "to_dict", "save_state"])
def test_names_that_say_nothing_are_not(name: str) -> None:
    assert method_effect(name) is None
    assert not writes_itself(name)


def test_methods_of_paths_write_what_they_are_methods_of() -> None:
    for name in ("write_text", "unlink", "mkdir", "touch"):
        assert writes_itself(name)
        assert method_effect(name) is None
