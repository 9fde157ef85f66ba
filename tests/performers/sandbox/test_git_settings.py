"""Settings of git that can have a program run are known, however they are written."""

import time

import pytest

from hearth.performers.sandbox.git_settings import doubtful_settings, hooks_paths

USUAL = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
# what a person wrote
[remote "origin"]
\turl = https://example.org/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"] remote = origin
\tmerge = refs/heads/main
"""


@pytest.mark.parametrize("config", ["", USUAL, USUAL.replace("\n", "\r\n"), "[core]\n\tbare\n"])
def test_what_every_repository_says_is_not_doubted(config: str) -> None:
    assert doubtful_settings(config) == []


@pytest.mark.parametrize(
    ("config", "doubtful"),
    [
        ("[core] fsmonitor = evil", "core.fsmonitor"),
        ("[CORE]\nFsMonitor=evil", "core.fsmonitor"),
        ("[include]\npath = evil", "include.path"),
        ('[includeIf "gitdir:/"]\npath = evil', "includeif.path"),
        ('[remote "o"]\nuploadpack = evil', "remote.uploadpack"),
        ('[filter "x"]\nsmudge = evil', "filter.smudge"),
        ("[core]\nsshCommand=evil\n; [user]\n", "core.sshcommand"),
        ("[core]\neol = a\\\\\n\tfsmonitor = evil", "core.fsmonitor"),
        ("# words \\\n[core]\nfsmonitor = evil", "core.fsmonitor"),
        ('[ne"w', '[ne"w'),
        ("[a] [core] fsmonitor = evil", "[core] fsmonitor = evil"),
        ('[a "]"] [core] fsmonitor = evil', "[core] fsmonitor = evil"),
        ("\ufeff[core] fsmonitor = evil", "?[core] fsmonitor = evil"),
        ("[core]\rfsmonitor = evil", "[core]?fsmonitor = evil"),
        ("[core]\x0bfsmonitor = evil", "[core]?fsmonitor = evil"),
        ("[user]\nname = a\\\n\temail = b", "name = a\\"),
    ],
)
def test_what_git_might_run_is_doubted(config: str, doubtful: str) -> None:
    assert doubtful in doubtful_settings(config)


def test_a_folder_for_hooks_is_found_where_it_is_named() -> None:
    config = '[core]\n\thooksPath = ".husky"\n[core] HOOKSPATH=other\n[x]\nnot = hookspath\n'
    assert hooks_paths(config) == [".husky", "other"]


@pytest.mark.parametrize("piece", ["\n", " ", "[a", "hookspath = x ", '[a "', "\\\n", "\t="])
def test_nothing_that_is_written_takes_long(piece: str) -> None:
    config = piece * (64 * 1024 // len(piece))
    began = time.process_time()
    doubtful_settings(config)
    hooks_paths(config)
    assert time.process_time() - began < 2.0
