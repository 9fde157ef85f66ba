"""What a real daemon says of its agents: how they are contained and what they may do."""

from pathlib import Path

import pytest
from tests.serving.processes import place, talking

from hearth.settings.grants import FILE

pytestmark = pytest.mark.slow

BOOK = """{"version": 1, "given": 1, "grants": [{"id": "g1", "permission": "execute",
"pattern": "make *", "root": "%s", "at": "2026-01-01T00:00:00Z", "by": "ann"}]}"""


@pytest.mark.promise("DP-PERM-14", "DP-LSP-05")
def test_a_daemon_tells_what_agents_may_do_and_what_contains_them(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text('[project]\nname = "p"\nversion = "1"\n')
    with place(tmp_path) as here:
        here.set(permissions={"execute": {"git push *": "deny"}}, interpreter={"spares": 0})
        found = here.start()
        (here.home / FILE).write_text(BOOK % project)
        (here.home / FILE).chmod(0o600)
        with talking(found) as client:
            info = client.get("/api/daemon-info").json()
            assert (info["permissionMode"], info["approvals"]) == ("ask", 0)
            assert info["sandbox"]["on"] or info["sandbox"]["why"]
            assert info["languageServers"] == client.get("/language-servers").json()["servers"]
            (grant,) = client.get("/grants").json()["grants"]
            assert (grant["pattern"], grant["root"]) == ("make *", str(project))

            def verdict(command: str) -> str:
                body = {"command": command, "directory": str(project)}
                said = client.post("/permissions/explain", json=body).json()
                assert said["root"] == str(project)
                return str(said["verdict"])

            assert verdict("git status && ls") == "allow"
            assert verdict("git push origin") == "deny"
            assert verdict(f"cat {here.home}/daemon.json") == "deny"
            assert verdict("rm -rf build") == "ask"
            assert client.delete("/grants/g1").status_code == 204
            assert client.get("/grants").json() == {"grants": [], "problem": ""}
            place_ = "/language-servers/diagnostics"
            shown = client.get(place_, params={"directory": str(project)}).json()
            assert shown == {"root": str(project), "files": []}
