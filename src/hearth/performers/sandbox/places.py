"""Where keys, tokens and doors to other programs usually lie, whether they are there or not."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hearth.daemon.home import hearth_home, socket_path
from hearth.performers.interpreter.runtime import runtime_folder

_IN_HOME: Final = (
    # keys, and the logins of tools
    ".ssh",
    ".gnupg",
    ".pki",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".boto",
    ".s3cfg",
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".terraform.d",
    ".terraformrc",
    ".vault-token",
    ".password-store",
    ".age",
    ".bitcoin",
    ".electrum",
    ".1password",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".huggingface",
    ".cache/huggingface/token",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/git/credentials",
    ".config/gcloud",
    ".config/doctl",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/containers",
    ".config/pip",
    ".config/uv/credentials",
    ".config/hcloud",
    ".config/heroku",
    ".config/stripe",
    ".config/netlify",
    ".config/configstore",
    ".config/io.datasette.llm",
    ".config/opencode",
    ".config/goose",
    ".config/solana",
    ".config/rbw",
    ".config/fly",
    ".fly",
    ".wrangler",
    ".config/.wrangler",
    ".railway",
    ".supabase",
    ".databrickscfg",
    ".snowflake",
    ".snowsql",
    ".kaggle",
    ".tsh",
    ".step",
    ".putty",
    ".aliyun",
    ".bluemix",
    ".mc",
    ".lpass",
    ".foundry/keystores",
    ".ethereum",
    ".aider.conf.yml",
    ".continue",
    ".local/share/opencode",
    ".local/share/com.vercel.cli",
    ".env",
    ".secrets",
    ".config/github-copilot",
    ".config/Bitwarden",
    ".config/keybase",
    ".config/1Password",
    ".config/systemd",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/containers",
    ".local/share/uv/credentials",
    # people's browsers, mail and chats
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".config/Slack",
    ".config/discord",
    ".config/Signal",
    ".config/Element",
    ".config/Code/User/globalStorage",
    ".config/Cursor/User/globalStorage",
    ".local/share/TelegramDesktop",
    ".local/share/evolution",
    ".var/app",
    "snap",
    # what shells read first, where people set their keys; commands of agents do without
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".config/fish",
    # what people typed
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".ash_history",
    ".sh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".viminfo",
    ".ipython",
    ".jupyter",
    ".local/share/fish",
    ".local/share/jupyter/runtime",
    ".local/state/bash",
    ".local/state/zsh",
    # the screen
    ".Xauthority",
    ".ICEauthority",
    ".vnc",
)
_OF_THE_MACHINE: Final = (
    # Of use only to a daemon that is run by root.
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/var/lib/docker",
    "/var/lib/kubelet",
    "/var/spool/cron",
    "/var/log/journal",
    "/var/run",
)
RUNTIME: Final = "/run"
"""Where programs have their sockets: all of it is hidden, but for `SEEN_OF_RUNTIME`."""
SEEN_OF_RUNTIME: Final = (
    # Names of hosts are looked up with these, and on NixOS all programs are below the others.
    "/run/systemd/resolve/resolv.conf",
    "/run/systemd/resolve/stub-resolv.conf",
    "/run/resolvconf/resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/current-system",
    "/run/booted-system",
    "/run/opengl-driver",
)
_HOST_KEYS: Final = "/etc/ssh"
_NAMED: Final = (
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "GNUPGHOME",
    "NETRC",
    "PGPASSFILE",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "HISTFILE",
    "NPM_CONFIG_USERCONFIG",
    "TF_CLI_CONFIG_FILE",
    "CODEX_HOME",
    "CLAUDE_CONFIG_DIR",
)
"""Variables that say where one of them lies on this machine."""
_DOORS: Final = ("SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST")
"""Variables that name the socket of a program that does things in the person's name."""
_NEEDED: Final = ("/usr", "/etc", "/bin", "/lib", "/dev", "/proc", "/sys", "/tmp", "/var/tmp")  # noqa: S108 - named, not used
_CACHES: Final = (
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".gradle",
    ".m2/repository",
    "go/pkg",
)


def private_places(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What no program of an agent has to see, whoever runs the daemon; absolute, not all exist."""
    found = list(_OF_THE_MACHINE)
    for home in _homes(environ):
        found += [f"{home}/{one}" for one in _IN_HOME]
    named = [environ[name].rstrip("/") for name in _NAMED if name in environ]
    for name in _DOORS:
        value = environ.get(name, "")
        if not value.startswith(("/", "unix:")):
            continue  # `tcp://…` is no file
        # `unix:path=/…,guid=…`, `unix:///…`, `/…:pid:1`
        place = value[value.find("/") :].partition(",")[0].partition(":")[0]
        named.append("/" + place.lstrip("/") if place.startswith("/") else "")
    found += [one for one in named if _may_be_hidden(one, environ)]
    found += _host_keys()
    return tuple(dict.fromkeys(found))


def hearth_places(home: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What is hearth's own: home, sockets, interpreters, and settings, which may hold keys."""
    settings = environ.get("XDG_CONFIG_HOME", "")
    found = [home, hearth_home(environ), str(Path(socket_path(home, environ)).parent)]
    found.append(str(runtime_folder(Path(home))))
    found += [f"{one}/.config/hearth" for one in _homes(environ)]
    if settings.startswith("/"):
        found.append(f"{settings}/hearth")
    return tuple(dict.fromkeys(found))


def hearth_programs() -> tuple[str, ...]:
    """Where hearth itself and its Python are installed: wherever that is, they must be seen."""
    package = str(Path(__file__).parents[2])
    return tuple(dict.fromkeys((sys.prefix, sys.base_prefix, package)))


def caches(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What build tools keep in the home: read by programs of agents, who may write a copy."""
    found = [f"{home}/{one}" for home in _homes(environ) for one in _CACHES]
    named = [environ[one] for one in ("XDG_CACHE_HOME", "UV_CACHE_DIR") if one in environ]
    found += [one.rstrip("/") for one in named if _may_be_hidden(one.rstrip("/"), environ)]
    return tuple(dict.fromkeys(found))


def _may_be_hidden(place: str, environ: Mapping[str, str]) -> bool:
    """Whether what a variable names can go without taking half of the machine with it."""
    if not place.startswith("/") or place.startswith(("/dev/", "/proc/")):
        return False  # `KUBECONFIG=/dev/null` says that there is none
    needed = (*_homes(environ), *_NEEDED)
    return not any(one == place or one.startswith(f"{place}/") for one in needed)


def _homes(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The home by the variable, and by the system's own book: they may differ."""
    named, written = environ.get("HOME", ""), os.path.expanduser(f"~{_user()}")  # noqa: PTH111 - as text
    return tuple(dict.fromkeys(one.rstrip("/") for one in (named, written) if one.startswith("/")))


def _user() -> str:
    # Imported here: a machine without a book of its users has no such module.
    import pwd  # noqa: PLC0415 - as the comment says

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as somebody who is not in the book
        return ""


def _host_keys() -> Iterator[str]:
    try:
        names = os.listdir(_HOST_KEYS)  # noqa: PTH208 - names are enough
    except OSError:  # no server of this kind, or not ours to see
        return
    for name in names:
        if name.endswith("_key"):
            yield f"{_HOST_KEYS}/{name}"
