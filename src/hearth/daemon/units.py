"""What systemd and launchd need to run the daemon of a home, as text to be put in place."""

import os
import plistlib
import sys
from typing import Final

from hearth.daemon.home import START_LOG
from hearth.daemon.supervising import LONGEST_PAUSE, WRONG_USAGE

LABEL: Final = "dev.hearth.daemon"

_SYSTEMD: Final = """\
# hearth for one person. Put it into ~/.config/systemd/user/hearth.service, then:
#   systemctl --user daemon-reload && systemctl --user enable --now hearth
# To have it run while you are not logged in: loginctl enable-linger

[Unit]
Description=hearth: live, durable sessions shared by people and AI agents
Documentation=man:systemd.service(5)
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
ExecReload=/bin/kill -HUP $MAINPID
Environment={home}
Environment={path}
Restart=on-failure
RestartSec=1
RestartSteps=5
RestartMaxDelaySec={longest:g}
# What no restart would mend: a wrong option, a daemon that runs already.
RestartPreventExitStatus={usage}
# Interpreters outlive their daemon, and the next one takes them up.
KillMode=process
TimeoutStopSec=30
# A cell that takes too much memory costs its own interpreter, not all sessions.
OOMPolicy=continue
LimitCORE=0
# Cells run as you and see your files. What they never need is to become somebody else;
# take this line out if yours call sudo.
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def systemd_unit(home: str, executable: str = sys.executable, path: str | None = None) -> str:
    """A unit for systemd's user manager that runs the daemon of this home."""
    return _SYSTEMD.format(
        command=_run(_absolute(executable), "-m", "hearth", "--server"),
        home=_quoted(f"HEARTH_HOME={home}"),
        path=_quoted(f"PATH={_path(path)}"),
        longest=LONGEST_PAUSE,
        usage=WRONG_USAGE,
    )


def launchd_plist(home: str, executable: str = sys.executable, path: str | None = None) -> str:
    """An agent for launchd that runs the daemon of this home.

    It belongs into ~/Library/LaunchAgents; `launchctl bootstrap gui/$UID FILE` starts it.
    """
    agent = {
        "Label": LABEL,
        "ProgramArguments": [_absolute(executable), "-m", "hearth", "--server"],
        "EnvironmentVariables": {"HEARTH_HOME": home, "PATH": _path(path)},
        "WorkingDirectory": home,
        "RunAtLoad": True,
        # Stopped on purpose, it stays stopped.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 5,
        # Interpreters outlive their daemon, and the next one takes them up.
        "AbandonProcessGroup": True,
        "ProcessType": "Interactive",
        "ExitTimeOut": 30,
        "StandardOutPath": f"{home}/{START_LOG}",
        "StandardErrorPath": f"{home}/{START_LOG}",
    }
    return plistlib.dumps(agent, sort_keys=False).decode()


def _absolute(executable: str) -> str:
    # Not resolved: by the link in it an environment's Python knows which environment it is.
    return os.path.abspath(executable)  # noqa: PTH100 - Path.resolve would follow the link


def _path(path: str | None) -> str:
    return path if path is not None else os.environ.get("PATH", os.defpath)


def _run(*words: str) -> str:
    """As systemd reads a command back: a dollar is a variable there."""
    return " ".join(_quoted(word.replace("$", "$$")) for word in words)


def _quoted(word: str) -> str:
    """As systemd reads a value back: a percent sign is its own otherwise."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if escaped != word or set(word) & set(" '\t") else word
