import pytest

from hearth.performers.judging.shell.repository_settings import doubtful


@pytest.mark.parametrize(
    "settings",
    [
        b"",
        b"[core]\n\tfilemode = true\n; a comment\n# another\n\n",
        b"[core]\r\n\tfilemode = true\r\n",
        b"[CORE]\n\tFileMode = true\n",
        b'[branch "feature/x"]\n\tremote = origin\n\tmerge = refs/heads/x\n',
        b"[user]\n\tname = J\xfcrgen\n",
        b"[core]\n\tfsmonitor = false\n\tbare\n",
        b"[advice]\n\tanything = false\n",
    ],
)
def test_what_git_itself_writes_is_harmless(settings: bytes) -> None:
    assert doubtful(settings) == ""


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (b"[core]\n\tpager = x\n", "pager = x"),
        (b"[core]\n\tfilemode = true\n\tPAGER=x", "PAGER=x"),
        (b'[diff "x"]\n\ttextconv = y\n', "textconv = y"),
        (b"[a] [core] pager = x", "[a] [core] pager = x"),
        (b"[core]\n\tfilemode = 1 \\\n", "\tfilemode = 1 \\"),
        (b"[core]\n\0", "\0"),
    ],
)
def test_anything_else_is_told_as_it_is_written(settings: bytes, found: str) -> None:
    assert doubtful(settings) == found
