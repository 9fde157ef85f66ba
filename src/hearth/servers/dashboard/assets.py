"""What pages are made of: scripts, styles and pictures, all our own, each known by its hash.

The policy of a page names the hashes of its scripts, so no other script can be run by it, and the
only texts that it may compile are the expressions of `expressions`.
"""

import gzip
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import msgspec

from hearth.servers.dashboard.expressions import EXPRESSIONS

SCRIPTS: Final = (
    *("policy.js", "act.js", "stream.js", "timeline.js", "panes.js"),
    *("composer.js", "palette.js", "sidebar.js"),
)
"""One script, in this order: what stands first is there for those behind it."""
STYLES: Final = (
    *("tokens.css", "base.css", "timeline.css", "composer.css", "sidebar.css", "panels.css"),
)
ICONS: Final = ("icon-idle.svg", "icon-running.svg", "icon-needs.svg", "icon-bad.svg")
PLACE: Final = "/* the expressions */[]"
"""Where the list of what may be compiled is put into the policy."""
ADDRESS: Final = "/dashboard/assets/"

_JAVASCRIPT: Final = "text/javascript; charset=utf-8"


class AssetsMissing(Exception):
    """The package was not built: the browser's half of Datastar is not there."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file."""

    name: str
    content: bytes
    kind: str
    packed: bytes

    @property
    def path(self) -> str:
        """Its address: another one whenever its content is."""
        return f"{ADDRESS}{sha256(self.content).hexdigest()[:16]}-{self.name}"

    @property
    def integrity(self) -> str:
        """Its hash, as policies and script elements want it."""
        return f"sha256-{b64encode(sha256(self.content).digest()).decode()}"


@dataclass(frozen=True, slots=True)
class Assets:
    """All files of the pages."""

    app: Asset
    datastar: Asset
    line: Asset
    style: Asset
    icons: Mapping[str, Asset]
    licences: Asset
    by_path: Mapping[str, Asset]
    policy: str
    """The Content-Security-Policy of every page."""

    @property
    def build(self) -> str:
        """Names this state of the files: a page of another one must be loaded anew."""
        whole = f"{self.app.path}{self.style.path}{self.datastar.path}{self.line.path}"
        return sha256(whole.encode()).hexdigest()[:12]


@cache
def assets() -> Assets:
    """The files of this installation. AssetsMissing."""
    app = _asset("app.js", b"\n".join(_script(name) for name in SCRIPTS), _JAVASCRIPT)
    datastar = _asset("datastar.js", _read("datastar.js"), _JAVASCRIPT)
    line = _asset("line.js", _read("line.js"), _JAVASCRIPT)
    style = _asset(
        "style.css", b"\n".join(_read(name) for name in STYLES), "text/css; charset=utf-8"
    )
    icons = {name: _asset(name, _read(name), "image/svg+xml") for name in ICONS}
    licences = _asset("licences.txt", _read("licences.txt"), "text/plain; charset=utf-8")
    every = (app, datastar, line, style, licences, *icons.values())
    by_path = {one.path: one for one in every} | {f"{ADDRESS}{one.name}": one for one in every}
    return Assets(
        app=app,
        datastar=datastar,
        line=line,
        style=style,
        icons=icons,
        licences=licences,
        by_path=by_path,
        policy=_policy(app, datastar, line),
    )


def _policy(*scripts: Asset) -> str:
    rules = {
        "default-src": "'none'",
        # Expressions are compiled, and the policy for trusted types says which.
        "script-src": " ".join((*(f"'{one.integrity}'" for one in scripts), "'unsafe-eval'")),
        "worker-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "frame-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "default",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _script(name: str) -> bytes:
    source = _read(name)
    if name == "policy.js":
        known = msgspec.json.encode([one.compiled for one in EXPRESSIONS])
        if source.count(PLACE.encode()) != 1:
            raise AssetsMissing(f"{name} has no place for the expressions")
        return source.replace(PLACE.encode(), known)
    return source


def _asset(name: str, content: bytes, kind: str) -> Asset:
    return Asset(name, content, kind, gzip.compress(content, 9, mtime=0))


def _read(name: str) -> bytes:
    try:
        return (files("hearth.servers.dashboard") / "static" / name).read_bytes()
    except FileNotFoundError:
        raise AssetsMissing(f"{name} is not there; `make` puts it in place") from None
