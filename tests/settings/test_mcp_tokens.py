from pathlib import Path

import pytest

from hearth.settings.mcp_tokens import FILE, Login, McpTokens

URL = "https://x.example/mcp"


def test_what_a_login_gave_is_kept_by_address_for_its_owner_alone(tmp_path: Path) -> None:
    kept = McpTokens(tmp_path)
    assert kept.login(URL) == Login()
    kept.keep_client(URL, {"client_id": "c"})
    kept.keep_tokens(URL, {"access_token": "hush"})
    kept.keep_metadata(URL, {"token_endpoint": "t"})
    found = McpTokens(tmp_path).login(URL)
    assert found.tokens == {"access_token": "hush"}
    assert found.client == {"client_id": "c"}
    assert found.metadata == {"token_endpoint": "t"}
    assert found.stored_at > 0
    assert McpTokens(tmp_path).login("https://other.example/mcp") == Login()
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert "hush" not in repr(found)


def test_who_logs_out_is_forgotten(tmp_path: Path) -> None:
    kept = McpTokens(tmp_path)
    kept.keep_tokens(URL, {"access_token": "hush"})
    assert kept.forget(URL)
    assert not kept.forget(URL)
    assert "hush" not in (tmp_path / FILE).read_text()


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 5}'])
def test_a_broken_file_holds_no_login_and_is_written_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    (tmp_path / FILE).chmod(0o600)
    kept = McpTokens(tmp_path)
    assert kept.login(URL) == Login()
    assert "log in again" in str(kept.problem())
    kept.keep_tokens(URL, {"access_token": "hush"})
    assert kept.login(URL).tokens
    assert kept.problem() is None


def test_a_file_that_others_can_read_holds_no_login(tmp_path: Path) -> None:
    kept = McpTokens(tmp_path)
    kept.keep_tokens(URL, {"access_token": "hush"})
    (tmp_path / FILE).chmod(0o644)
    assert kept.login(URL) == Login()
    assert "others could read it" in str(kept.problem())
