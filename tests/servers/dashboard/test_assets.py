"""What pages are made of."""

import base64
import json
import re
from hashlib import sha256
from importlib.resources import files

import pytest

from hearth.servers.dashboard import assets as module
from hearth.servers.dashboard.assets import ADDRESS, SCRIPTS, STYLES, AssetsMissing, assets
from hearth.servers.dashboard.expressions import EXPRESSIONS

STATIC = files("hearth.servers.dashboard") / "static"


def test_the_policy_names_the_hashes_of_our_scripts_and_no_others() -> None:
    found = assets()
    allowed = re.search(r"script-src ([^;]+)", found.policy)
    assert allowed is not None
    hashes = [
        f"'sha256-{base64.b64encode(sha256(one.content).digest()).decode()}'"
        for one in (found.app, found.datastar, found.line)
    ]
    assert allowed[1].split() == [*hashes, "'unsafe-eval'"]
    assert "unsafe-inline" not in found.policy
    assert "require-trusted-types-for 'script'; trusted-types default" in found.policy


def test_what_may_be_compiled_is_in_the_script_and_nothing_else_is() -> None:
    script = assets().app.content.decode()
    assert json.dumps([one.compiled for one in EXPRESSIONS], separators=(",", ":")) in script
    assert module.PLACE not in script


def test_every_script_and_style_is_in_in_its_order() -> None:
    for names, whole in ((SCRIPTS[1:], assets().app), (STYLES, assets().style)):
        places = [whole.content.index((STATIC / name).read_bytes()) for name in names]
        assert places == sorted(places)
    served = {*SCRIPTS, *STYLES, *module.ICONS, "datastar.js", "line.js", "licences.txt"}
    assert {one.name for one in STATIC.iterdir() if one.is_file()} == served


def test_no_script_makes_markup_of_text_or_asks_anybody_else() -> None:
    for name in (*SCRIPTS, "line.js"):
        source = (STATIC / name).read_text("utf-8")
        for way in ("insertAdjacentHTML", "document.write", "eval(", "new Function", "://"):
            assert way not in source, f"{way} in {name}"
    for name in STYLES:
        source = (STATIC / name).read_text("utf-8")
        assert "@import" not in source
        assert "://" not in source


def test_an_address_is_another_when_the_content_is() -> None:
    one = module._asset("x.js", b"1", "text/javascript")
    other = module._asset("x.js", b"2", "text/javascript")
    assert one.path != other.path
    assert one.path.startswith(ADDRESS)
    assert one.path.endswith("-x.js")
    assert assets().by_path[assets().app.path] is assets().app
    assert re.fullmatch(r"[0-9a-f]{12}", assets().build)


def test_a_package_that_was_not_built_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssetsMissing, match=r"nothing\.js"):
        module._read("nothing.js")
    monkeypatch.setattr(module, "PLACE", "not there")
    with pytest.raises(AssetsMissing, match="no place"):
        module._script("policy.js")


def test_licences_are_shipped() -> None:
    words = assets().licences.content.decode()
    assert "Star Federation" in words
    assert "Apache License" in words
