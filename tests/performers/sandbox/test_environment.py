"""Programs get an environment without keys and doors."""

import pytest

from hearth.core.rules.secrecy import is_secret
from hearth.performers.sandbox.environment import scrubbed, secrets_of

KEY = "sk-ant-" + "a1B2" * 8


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SESSION_TOKEN",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "SECRET_KEY",
        "DJANGO_SECRET",
        "githubToken",
        "apikey",
        "STRIPE_APIKEY",
        "NPM_CONFIG__AUTH",
        "AUTH_HEADER",
        "PRIVATE_KEY",
        "COOKIE",
        "PHPSESSION_COOKIES",
        "SESSION_ID",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "SENTRY_DSN",
        "SLACK_WEBHOOK_URL",
        "JWT",
        "VAULT_TOKENS",
        "SSHKEY",
        "AZURE_STORAGE_CONNECTION_STRING",
        "KEY",
        "TOKEN",
        "KUBECONFIG",
        "SSH_PASSPHRASE",
        "HF_TOKEN",
    ],
)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert scrubbed({name: "something"}) == {}
    assert is_secret(name, "")


@pytest.mark.parametrize(
    "name",
    [
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "LD_PRELOAD",
        "GIT_ASKPASS",
        "XAUTHORITY",
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_ls%%",
        "HEARTH_HOME",
        "HEARTH_DATABASE_URL",
        "JPY_PARENT_PID",
        "DOCKER_HOST",
    ],
)
def test_doors_are_closed(name: str) -> None:
    assert scrubbed({name: "/somewhere"}) == {}


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TERM",
        "COLORTERM",
        "TZ",
        "PWD",
        "OLDPWD",
        "VIRTUAL_ENV",
        "PYTHONPATH",
        "CONDA_PREFIX",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "TOKENIZERS_PARALLELISM",
        "OMP_NUM_THREADS",
        "CUDA_VISIBLE_DEVICES",
        "LD_LIBRARY_PATH",
        "MPLBACKEND",
        "EDITOR",
        "PAGER",
        "NODE_ENV",
        "GOPATH",
        "CARGO_HOME",
        "CI",
        "KEYBOARD",
        "MONKEYTYPE_TRACE",
        "PASSENGER",
        "XDG_CACHE_HOME",
        "SSL_CERT_FILE",
        "http_proxy",
        "DISPLAY",
        "COMPASS",
    ],
)
def test_what_everyday_programs_need_stays(name: str) -> None:
    assert scrubbed({name: "/usr/bin:/bin"}) == {name: "/usr/bin:/bin"}


@pytest.mark.parametrize(
    "value",
    [
        KEY,
        "ghp_" + "a" * 36,
        "AKIA" + "ABCD" * 4,
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
        "postgres://me:hunter22@db/x",
        "https://user:pa%20ss@proxy:3128",
        "host=db user=me password=hunter22",
        "Server=db;Password=hunter22;",
        "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
        "xoxb-1234567890-abc",
    ],
)
def test_a_secret_is_known_by_what_it_says(value: str) -> None:
    assert scrubbed({"HARMLESS": value, "OTHER": "x"}) == {"OTHER": "x"}


@pytest.mark.parametrize(
    "value", ["postgres://me@db/x", "https://example.org/a:b@c", "sk-short", "a:b@c", "en_US.UTF-8"]
)
def test_ordinary_values_are_no_secrets(value: str) -> None:
    assert scrubbed({"HARMLESS": value}) == {"HARMLESS": value}


def test_what_a_person_wants_to_keep_is_kept_but_nothing_of_hearths() -> None:
    given = {
        "GITHUB_TOKEN": "x",
        "AWS_PROFILE": "x",
        "AWS_SESSION_TOKEN": "x",
        "SSH_AUTH_SOCK": "x",
        "NPM_TOKEN": "x",
        "HEARTH_TOKEN": "x",
    }
    kept = scrubbed(given, ("GITHUB_TOKEN", "AWS_*", "SSH_*", "*HEARTH*"))
    assert set(kept) == {"GITHUB_TOKEN", "AWS_PROFILE", "AWS_SESSION_TOKEN", "SSH_AUTH_SOCK"}


def test_secrets_are_the_values_and_the_passwords_in_them() -> None:
    found = secrets_of(
        {
            "API_KEY": KEY,
            "DATABASE": "postgres://me:hunter%2222@db/x",
            "CONNECTION": "host=db password='my secret'",
            "SHORT_TOKEN": "abc",
            "MODE_KEY": "production",
            "KEY_FILE": "/home/me/key.pem",
            "HARMLESS": "nothing at all",
            "SSH_AUTH_SOCK": "/run/agent",
        }
    )
    assert found == (KEY, "hunter%2222", 'hunter"22', "my secret")
