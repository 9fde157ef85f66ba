"""Which variables are secrets: by how they are called, or by what they hold.

Light to import: a daemon uses it before it has imported anything else.
"""

import re

_SECRET_WORDS = frozenset(
    [
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "certificate",
        "cookie",
        "cookies",
        "cred",
        "credential",
        "credentials",
        "creds",
        "dsn",
        "jwt",
        "key",
        "keys",
        "kubeconfig",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "pat",
        "private",
        "pwd",
        "secret",
        "secrets",
        "signature",
        "token",
        "tokens",
        "webhook",
    ]
)
_SECRET_ENDINGS = re.compile(
    r"(api|access|account|auth|client|deploy|encryption|license|master|private|secret|signing|ssh)"
    r"keys?$|(token|secret|password|passwd|passphrase|credential|cookie)s?$|^auth(entication|z)?$"
)
_SECRET_PAIRS = re.compile(r"(^|_)(session_?id|connection_?string|service_account)(_|$)")
_HARMLESS = frozenset(
    ["PWD", "OLDPWD", "KEYBOARD", "KEYMAP", "KEYTIMEOUT", "HISTCONTROL", "TOKENIZERS_PARALLELISM"]
)
_PROVIDERS = re.compile(
    r"^(ANTHROPIC|OPENAI|AZURE_OPENAI|DEEPSEEK|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|XAI|COHERE|"
    r"TOGETHER|FIREWORKS|PERPLEXITY|AWS|HF|HUGGINGFACE)_.*(KEY|TOKEN|SECRET|CREDENTIALS)"
)
LOGIN = re.compile(r"\w://[^/\s:@]*:([^/\s@]+)@")
DSN = re.compile(r"(?i)\bpassword\s*=\s*('[^']+'|[^\s;&]+)")
_LOOKS_LIKE_A_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(sk|rk|pk)[-_][A-Za-z0-9_-]{16,}|"
    r"\b(gh[oprsu]_|github_pat_|glpat-|gldt-|xox[abeprs]-|hf_|npm_|pypi-|dop_v1_|shpat_|ya29\.|"
    r"SG\.|dckr_pat_|lin_api_|tskey-|AGE-SECRET-KEY-)[A-Za-z0-9._-]{10,}|"
    r"\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|"
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\."
)


def is_secret(name: str, value: str) -> bool:
    """Whether a variable is one by its name, or by what it says."""
    if name in _HARMLESS:
        return False
    return bool(
        _has_secret_name(name)
        or LOGIN.search(value)
        or DSN.search(value)
        or _LOOKS_LIKE_A_KEY.search(value)
    )


def _has_secret_name(name: str) -> bool:
    if _PROVIDERS.match(name.upper()):
        return True
    # `githubToken` is two words, and GITHUB_TOKEN too.
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    words = re.split(r"[^a-z]+", plain)
    return bool(
        _SECRET_WORDS.intersection(words)
        or any(_SECRET_ENDINGS.search(word) for word in words)
        or _SECRET_PAIRS.search(plain)
    )
