import json
from dataclasses import replace
from pathlib import Path

import pytest

from hearth.settings.mcp import ServerSpec
from hearth.settings.mcp_approvals import FILE, McpApprovals

MINE = ServerSpec("a", "x")
THEIRS = ServerSpec("a", "x", ("y",), {"T": "hush"}, is_project=True, root="/project")


def test_the_persons_own_servers_need_no_approval(tmp_path: Path) -> None:
    assert McpApprovals(tmp_path).is_approved(MINE)
    assert not (tmp_path / FILE).exists()


def test_a_projects_server_is_approved_as_it_is_and_no_other(tmp_path: Path) -> None:
    approvals = McpApprovals(tmp_path)
    assert not approvals.is_approved(THEIRS)
    approvals.approve(THEIRS)
    assert McpApprovals(tmp_path).is_approved(THEIRS)
    others = [
        replace(THEIRS, args=()),
        replace(THEIRS, env={"T": "other"}),
        replace(THEIRS, name="b"),
        replace(THEIRS, root="/elsewhere"),
    ]
    assert not any(map(approvals.is_approved, others))
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert "hush" not in (tmp_path / FILE).read_text()


def test_an_approval_is_taken_back(tmp_path: Path) -> None:
    approvals = McpApprovals(tmp_path)
    approvals.approve(THEIRS)
    approvals.approve(replace(THEIRS, name="b"))
    assert approvals.revoke("/project", "a")
    assert not approvals.is_approved(THEIRS)
    assert approvals.is_approved(replace(THEIRS, name="b"))
    assert not approvals.revoke("/project", "a")
    assert not approvals.revoke("/elsewhere", "a")


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 2}', '{"approved": 5}'])
def test_a_broken_file_approves_nothing_and_is_kept(tmp_path: Path, content: str) -> None:
    file = tmp_path / FILE
    file.write_text(content)
    file.chmod(0o600)
    approvals = McpApprovals(tmp_path)
    assert not approvals.is_approved(THEIRS)
    assert "no server of a project is approved" in str(approvals.problem())
    approvals.approve(THEIRS)
    assert approvals.is_approved(THEIRS)
    assert approvals.problem() is None
    assert (tmp_path / f"{FILE}.broken").read_text() == content


def test_a_file_that_others_can_write_to_approves_nothing(tmp_path: Path) -> None:
    approvals = McpApprovals(tmp_path)
    approvals.approve(THEIRS)
    (tmp_path / FILE).chmod(0o666)
    assert not approvals.is_approved(THEIRS)
    assert "others could write" in str(approvals.problem())
    assert json.loads((tmp_path / FILE).read_text())["approved"]
