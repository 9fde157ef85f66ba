"""Which files must not be changed by agents, and which may hold secrets, by their names."""

from typing import Final

_SECRET_NAMES: Final = frozenset(
    {
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        ".dockerconfigjson",
        ".terraformrc",
        ".yarnrc.yml",
        ".databrickscfg",
        ".secret",
        ".secrets",
        ".vault_pass",
        "auth.json",
        "kubeconfig",
        ".boto",
        ".s3cfg",
        ".vault-token",
        "credentials",
        "credentials.json",
        "credentials.toml",
        "client_secret.json",
        "secrets.json",
        "secrets.toml",
        "secrets.yaml",
        "secrets.yml",
        "service-account.json",
        "token.json",
    }
)
_SECRET_ENDINGS: Final = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".kdb",
    ".ppk",
    ".asc",
    ".gpg",
    ".tfvars",
    ".tfstate",
    ".env",
    ".p8",
    ".ovpn",
)
_COPY_ENDINGS: Final = ("~", ".bak", ".backup", ".old", ".orig", ".save", ".swp")
"""What editors and people put behind the name of a file that they keep a copy of."""
_SECRET_STARTS: Final = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env", ".envrc")
_SECRET_FOLDERS: Final = frozenset(
    {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".secrets"}
)
_OPEN_ENDINGS: Final = (".pub", ".example", ".sample", ".template", ".dist", ".md", ".py", ".pyi")
"""What ends so is made to be shown, whatever the rest of its name is."""

_GIT_RUNS: Final = frozenset(
    {"hooks", "config", "config.worktree", "commondir", "gitdir", "attributes"}
)
"""What git runs, or is told by what to run."""

_SETTINGS: Final = frozenset({"hearth.jsonc", ".hearthrc.py"})
_OWN_FOLDER: Final = ".hearth"


def may_hold_secrets(path: str) -> bool:
    """Whether a path, by its name, is of a file that people keep keys or passwords in."""
    *folders, name = path.lower().split("/")
    while name.endswith(_COPY_ENDINGS):
        name = name.rpartition("." if name[-1] != "~" else "~")[0]
    if name.endswith(_OPEN_ENDINGS):
        return False
    if name in _SECRET_NAMES or name.endswith(_SECRET_ENDINGS):
        return True
    if name.startswith(_SECRET_STARTS):
        return True
    return not _SECRET_FOLDERS.isdisjoint(folders)


def guard_of(path: str, *, is_directory: bool) -> str:
    """Why nobody but a person may write there, and what to do instead; "" if there is no reason.

    A path that is not there yet is no directory.
    """
    parts = path.split("/")
    if parts[-1] in _SETTINGS:
        return f"{parts[-1]} decides what agents may do: ask the person to change it"
    if _OWN_FOLDER in parts:
        return ".hearth is hearth's own: use add_knowledge for knowledge, or ask the person"
    if ".git" not in parts:
        return ""
    inside = parts[parts.index(".git") + 1 :]
    if not inside:
        return "" if is_directory else "a .git file says where git finds its hooks: use git itself"
    if _tells_git_what_to_run(inside):
        return f".git/{'/'.join(inside)} decides what git runs: ask the person to change it"
    return ""


def _tells_git_what_to_run(inside: list[str]) -> bool:
    """Of a path below `.git`: also of the repositories of modules and worktrees in it."""
    match inside:
        case ["hooks" | "config" | "config.worktree" | "commondir" | "gitdir", *_]:
            return True
        case ["info", "attributes"]:
            return True
        case ["modules" | "worktrees", *below]:
            return not _GIT_RUNS.isdisjoint(below)
        case _:
            return False


def holds_guarded(path: str) -> bool:
    """Whether what is guarded lies below this folder, by its name."""
    parts = path.split("/")
    if ".git" not in parts:
        return False
    inside = parts[parts.index(".git") + 1 :]
    return not inside or inside[0] in {"modules", "worktrees", "info"}
