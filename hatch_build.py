"""Brings the browser's half of Datastar into the package while it is built.

It comes out of a wheel of the package registry, is known by its hash, and gets six small mends: an
expression that throws must neither freeze the page nor keep the rest of a patch from being bound.
Nothing of it is committed here; its licences are shipped beside it.
"""

import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WHEELS = {
    "starhtml==0.7.0": "3515ac3a21f1be7ce3e724b45440ed2be20d3afcdb60f92f6ebbfaec883d3ea2",
    "datastar-py==1.0.3": "38ce441fcd866249662e610d315857bde046e74c3b989a6993e31da88a0a5139",
}
SCRIPT = "starhtml/static/js/datastar-core.js"
TAKEN = "31c8c9efb895beadeba5f73407c3ca60201dee321c5dea56c182817b475bde9f"
MADE = "45fa5a1b36091a6830cfa13d795c1229e71cdaa72335c8c9bf65aa01a3b6d76b"
LICENCES = (
    ("Datastar, (c) Star Federation", "datastar_py-1.0.3.dist-info/licenses/LICENSE.md"),
    ("StarHTML, from whose package it is taken", "starhtml-0.7.0.dist-info/licenses/NOTICE"),
    ("StarHTML's licence", "starhtml-0.7.0.dist-info/licenses/LICENSE"),
)
MENDS = (
    ("i=l=>{N(),r(l),P()}", "i=l=>{N();try{r(l)}finally{P()}}"),
    (
        "n=()=>{N(),e(),P()};n=Y(n,t);let r=0",
        "n=()=>{N();try{e()}finally{P()}};n=Y(n,t);let r=0",
    ),
    ("r=()=>{N(),n(),P()}", "r=()=>{N();try{n()}finally{P()}}"),
    ("n=()=>{N(),t(),P()}", "n=()=>{N();try{t()}finally{P()}}"),
    (
        "r.add(i),st(n,i,n.dataset[s],t)}",
        "r.add(i);try{st(n,i,n.dataset[s],t)}catch(E_){console.error(E_)}}",
    ),
    ("}else st(t,o,c)}}", "}else try{st(t,o,c)}catch(E_){console.error(E_)}}}"),
)
HEADER = "// Changed for hearth: what throws in an expression is contained (hatch_build.py).\n"
STATIC = Path("src/hearth/servers/dashboard/static")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg] # whatever it builds
    """Runs before a wheel or an editable installation is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See that the script is there, and the one we know."""
        del version
        folder = Path(self.root) / STATIC
        script, licences = folder / "datastar.js", folder / "licences.txt"
        if not _is_made(script) or not licences.exists():
            source, texts = _fetched()
            script.write_text(source, "utf-8")
            licences.write_text(texts, "utf-8")
        build_data["artifacts"] += [str(STATIC / script.name), str(STATIC / licences.name)]


def mended(source: str) -> str:
    """The script with our changes. ValueError if it is not the one they are for."""
    if sha256(source.encode()).hexdigest() != TAKEN:
        raise ValueError(f"{SCRIPT} is another than the one that is known here")
    for old, new in MENDS:
        if source.count(old) != 1:
            raise ValueError(f"{old} is not there once")
        source = source.replace(old, new)
    source, _, _ = source.partition("//# sourceMappingURL")
    return HEADER + source


def _is_made(script: Path) -> bool:
    return script.exists() and sha256(script.read_bytes()).hexdigest() == MADE


def _fetched() -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.txt")
        lines = [f"{name} --hash=sha256:{digest}" for name, digest in WHEELS.items()]
        wanted.write_text("\n".join(lines), "utf-8")
        subprocess.run(  # noqa: S603 - our own words
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
                *("--only-binary=:all:", "--python-version", "3.13", "--require-hashes"),
                *("-r", str(wanted), "-d", folder),
            ],
            check=True,
        )
        found: dict[str, str] = {}
        for wheel in Path(folder).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                for name in (SCRIPT, *(one for _, one in LICENCES)):
                    if name in archive.namelist():
                        found[name] = archive.read(name).decode()
    texts = "\n\n".join(f"{title}\n\n{found[name].strip()}" for title, name in LICENCES)
    return mended(found[SCRIPT]), texts + "\n"
