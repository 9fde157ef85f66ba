import pytest

from hearth.core.rules.granting import too_wide
from hearth.core.rules.patterns import escape
from hearth.core.vocabulary.permitting import Grant

HOME = "/home/me"


@pytest.mark.parametrize(
    ("permission", "pattern"),
    [
        ("execute", "git checkout main"),
        ("execute", "git switch <words>"),
        ("execute", "git commit -m <word>"),
        ("execute", "npm run build"),
        ("execute", "pytest <words> -q"),
        ("execute", "python -m pytest <words>"),
        ("execute", "mkdir *"),
        ("execute", "rm -rf dist"),
        ("execute", "sudo systemctl restart nginx"),
        ("execute", escape("echo *")),
        ("execute", escape("rm <words>")),
        ("read", ".env"),
        ("write", "src/a.py"),
        ("write", "src/*"),
        ("external_directory", "/etc/*"),
        ("external_directory", "/home/me/other/*"),
        ("network", "example.org"),
        ("network", "*.example.org"),
        ("some_tool", "project-*"),
    ],
)
def test_what_is_narrow_may_be_granted(permission: str, pattern: str) -> None:
    assert too_wide(Grant(permission, pattern), HOME) == ""


@pytest.mark.parametrize(
    ("permission", "pattern"),
    [
        ("execute", "*"),
        ("execute", ""),
        ("execute", " *"),
        ("execute", "?*"),
        ("execute", "* *"),
        ("execute", "g*"),
        ("execute", "git *"),
        ("execute", "git  *"),
        ("execute", "git -C *"),
        ("execute", "git push *"),
        ("execute", "git push --force *"),
        ("execute", "git reset --hard *"),
        ("execute", "git * status"),
        ("execute", "rm *"),
        ("execute", "/bin/rm *"),
        ("execute", "\\rm *"),
        ("execute", "r\\m -rf *"),
        ("execute", "sudo *"),
        ("execute", "sudo ls *"),
        ("execute", "bash -c *"),
        ("execute", "python3.11 *"),
        ("execute", "python -m *"),
        ("execute", "python -m http.server *"),
        ("execute", "python -c pytest *"),
        ("execute", "env X=1 *"),
        ("execute", "X=1 make *"),
        ("execute", "npm run *"),
        ("execute", "docker run *"),
        ("execute", "<words> <words>"),
        ("execute", "rm <words>"),
        ("execute", "pytest <words> *"),
        ("execute", "pytest -p <word>"),
        ("execute", "pytest ? <words>"),
        ("write", "a <words>"),
        ("external_directory", "/srv <words>"),
        ("network", "a <words>"),
        ("*", "ls"),
        ("exec*", "ls"),
        ("", "ls"),
        ("read", "*"),
        ("read", "*.py"),
        ("write", "?"),
        ("write", "./*"),
        ("external_directory", "/*"),
        ("external_directory", "//*"),
        ("external_directory", "/home/*"),
        ("external_directory", "/home/me/*"),
        ("external_directory", "/home/*/x/*"),
        ("network", "*"),
        ("network", "*.org"),
        ("network", "*example.org"),
        ("some_tool", "*"),
        ("some_tool", "?"),
    ],
)
def test_what_is_wide_or_destructive_may_not(permission: str, pattern: str) -> None:
    assert too_wide(Grant(permission, pattern), HOME)


DANGEROUS = [
    "rm", "rmdir", "unlink", "shred", "dd", "truncate", "mv", "cp", "ln", "install", "rsync",
    "patch", "tar", "unzip", "chmod", "chown", "chgrp", "chattr", "setfacl", "mkfs", "fdisk",
    "parted", "wipefs", "mount", "umount", "swapoff", "kill", "pkill", "killall", "shutdown",
    "reboot", "systemctl", "service", "launchctl", "crontab", "at", "iptables", "nft", "ip",
    "useradd", "userdel", "usermod", "passwd", "tee", "sudo", "su", "doas", "pkexec", "runuser",
    "setpriv", "env", "nohup", "nice", "ionice", "timeout", "time", "stdbuf", "setsid",
    "chroot", "unshare", "nsenter", "bwrap", "xargs", "parallel", "find", "fd", "watch", "entr",
    "script", "expect", "ssh", "scp", "sftp", "telnet", "nc", "ncat", "socat", "eval", "exec",
    "source", "command", "builtin", ".", "bash", "sh", "zsh", "fish", "dash", "ksh", "csh",
    "tcsh", "busybox", "setarch", "linux64", "prlimit", "taskset", "chrt", "numactl",
    "fakeroot", "faketime", "chronic", "valgrind", "hyperfine", "firejail", "dbus-run-session",
    "direnv", "mise", "rr", "strace", "ltrace", "gdb", "lldb", "python", "python2", "python3",
    "python3.11", "pypy", "ipython", "perl", "ruby", "node", "nodejs", "php", "lua", "Rscript",
    "awk", "gawk", "java", "julia", "ghc", "elixir", "erl", "ts-node", "tsx", "tclsh8.6", "npx",
    "uvx", "osascript", "pwsh", "psql", "mysql", "sqlite3", "sed", "ed", "ex", "vi", "vim",
    "nvim", "emacs", "less", "more", "man", "curl", "wget", "hearth", "tmux", "screen", "make",
    "just", "task", "ninja", "cmake", "ctest", "bazel", "mvn", "gradle", "npm", "yarn", "pnpm",
    "bun", "deno", "tox", "nox", "rake", "rg", "sort", "uniq", "tree", "xmllint", "gcc", "cc",
    "ag", "pandoc", "openssl", "ffmpeg", "7z", "yq", "jq", "date", "xdg-open", "code",
    "emacsclient", "git", "cargo", "go", "docker", "podman", "kubectl", "terraform", "helm",
    "gh", "aws", "gcloud", "az", "apt", "brew", "pip", "uv", "poetry", "nix", "frobnicate",
]  # fmt: skip
SECOND = [
    "git push", "git reset", "git clean", "git rebase", "git checkout", "git restore", "git rm",
    "git config", "git submodule", "git fetch", "git pull", "git clone", "git ls-remote",
    "git archive", "git grep", "git log", "git diff", "git show", "git apply", "git am",
    "git remote add", "git stash", "git branch", "git tag", "git bisect", "git difftool",
    "git worktree add", "make test", "npm test", "npm run build", "npm run dev", "npm install",
    "yarn run test", "pnpm run test", "mvn test", "gradle test", "go build", "go run",
    "go generate", "cargo run", "cargo install", "cargo publish", "docker run", "docker ps",
    "docker compose up", "kubectl get", "kubectl delete", "terraform apply", "gh api",
    "gh pr merge", "pip install", "uv run", "uv sync", "poetry install", "apt install",
    "python -m", "python -m http.server", "ruff format", "ruff check --fix", "just test",
    "dotnet build", "deno test", "bun test", "nix build", "poetry run", "uv run python",
    "bundle exec",
]  # fmt: skip


@pytest.mark.parametrize("name", [*DANGEROUS, *SECOND])
def test_nothing_dangerous_is_granted_with_any_arguments(name: str) -> None:
    for rest in ("*", "-x *", "x *", "<words>", "-x <word>", "x <words>", "-- <words>"):
        assert too_wide(Grant("execute", f"{name} {rest}"), HOME), rest
    assert not too_wide(Grant("execute", f"{name} x"), HOME)


def test_whose_home_it_is_need_not_be_known() -> None:
    assert too_wide(Grant("external_directory", "/*"))
    assert too_wide(Grant("external_directory", "/home/me/*"), HOME)
    assert not too_wide(Grant("external_directory", "/home/me/*"))
