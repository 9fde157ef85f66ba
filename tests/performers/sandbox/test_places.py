"""Where keys usually lie is known."""

import os
from pathlib import Path

import starlette

from hearth.performers.sandbox import places
from hearth.performers.sandbox.places import caches, hearth_places, hearth_programs, private_places


def test_keys_logins_and_histories_of_a_home_are_private() -> None:
    found = private_places({"HOME": "/home/somebody"})
    for name in (".ssh", ".aws", ".netrc", ".config/gh", ".bash_history", ".mozilla", ".zshrc"):
        assert f"/home/somebody/{name}" in found
    assert "/etc/shadow" in found


def test_what_variables_name_is_private_too() -> None:
    found = private_places(
        {
            "HOME": "/home/somebody",
            "KUBECONFIG": "/srv/kube/config",
            "SSH_AUTH_SOCK": "/var/agent/one",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/srv/bus,guid=abc",
            "DOCKER_HOST": "unix:///srv/docker.sock",
        }
    )
    for place in ("/srv/kube/config", "/var/agent/one", "/srv/bus", "/srv/docker.sock"):
        assert place in found


def test_a_variable_cannot_take_half_of_the_machine_away() -> None:
    found = private_places(
        {
            "HOME": "/home/somebody",
            "HISTFILE": "/dev/null",
            "XDG_RUNTIME_DIR": "/home",
            "GNUPGHOME": "/",
            "NETRC": "relative",
            "KUBECONFIG": "/etc/",
            "DOCKER_HOST": "tcp://elsewhere:2375",
        }
    )
    assert not {"/dev/null", "/home", "/", "", "relative", "/etc", "/elsewhere"} & set(found)


def test_what_is_hearths_own_is_known_wherever_it_is() -> None:
    found = hearth_places("/srv/hearth", {"HOME": "/home/somebody", "XDG_CONFIG_HOME": "/srv/conf"})
    for place in ("/srv/hearth", "/home/somebody/.config/hearth", "/srv/conf/hearth"):
        assert place in found
    assert any("/hearth-" in one for one in found)
    deep = f"/srv/{'x' * 120}"
    assert any(one.endswith(".d") for one in hearth_places(deep, {"HOME": "/home/somebody"}))


def test_caches_are_those_of_the_home_and_those_that_are_named() -> None:
    found = caches({"HOME": "/home/somebody", "UV_CACHE_DIR": "/srv/uv", "XDG_CACHE_HOME": "/"})
    assert {"/home/somebody/.cache", "/srv/uv"} <= set(found)
    assert "/" not in found
    assert "" not in found


def test_what_hearth_itself_runs_from_is_known() -> None:
    found = [Path(one) for one in hearth_programs()]
    for needed in (places.__file__, starlette.__file__, os.__file__):
        assert any(Path(needed).is_relative_to(one) for one in found)
    assert all(one.is_absolute() and len(one.parts) > 1 for one in found)
