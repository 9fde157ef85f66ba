"""Trust is granted to what was looked at, and to nothing else."""

from pathlib import Path

from tests.contracts.scenes import ANN

from hearth.servers.http.around import TrustShown
from hearth.serving.trusting import ShownTrust
from hearth.settings.trust import TrustBook


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "below").mkdir(parents=True)
    (root / "hearth.jsonc").write_text("{}")
    (root / ".hearthrc.py").write_text("x = 1")
    return root


async def test_what_was_looked_at_can_be_trusted(tmp_path: Path) -> None:
    root = project(tmp_path)
    trust = ShownTrust(TrustBook(tmp_path / "trust.json"))
    looked = await trust.look(str(root / "below"))
    assert looked.root == str(root)
    assert set(looked.files) == {str(root / "hearth.jsonc"), str(root / ".hearthrc.py")}
    assert not looked.trusted
    granted = await trust.grant(looked.root, looked.digest, ANN)
    assert isinstance(granted, TrustShown)
    assert granted.trusted
    assert (await trust.look(str(root))).trusted


async def test_what_has_changed_since_is_not_trusted(tmp_path: Path) -> None:
    root = project(tmp_path)
    trust = ShownTrust(TrustBook(tmp_path / "trust.json"))
    looked = await trust.look(str(root))
    (root / ".hearthrc.py").write_text("x = 2")
    why = await trust.grant(looked.root, looked.digest, ANN)
    assert isinstance(why, str)
    assert "hint: " in why
    assert not (await trust.look(str(root))).trusted


async def test_what_cannot_be_read_is_not_trusted_and_has_no_digest(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / "hearth.jsonc").write_text("{ broken")
    trust = ShownTrust(TrustBook(tmp_path / "trust.json"))
    looked = await trust.look(str(root))
    assert (looked.digest, looked.trusted) == ("", False)


async def test_trust_that_cannot_be_written_down_is_not_granted(tmp_path: Path) -> None:
    root = project(tmp_path)
    (tmp_path / "file").touch()
    trust = ShownTrust(TrustBook(tmp_path / "file" / "trust.json"))
    looked = await trust.look(str(root))
    why = await trust.grant(looked.root, looked.digest, ANN)
    assert isinstance(why, str)
    assert "cannot be written" in why
