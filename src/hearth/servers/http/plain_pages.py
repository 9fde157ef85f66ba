"""What a browser is shown instead of a page: where to sign in, or why there is nothing.

Without scripts and with a style of its own: whoever sees it may not have anything else.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final

from starlette.responses import Response
from starlette.types import Scope

from hearth.servers.http.answers import Trouble

SIGN_IN: Final = 401

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:18vh auto;padding:0 1rem;"
    "color:#2b2420;background:#fbf8f4}a{color:#9c3d10}code{font-family:ui-monospace,monospace}"
    "input,button{font:inherit;padding:.5rem .75rem;width:100%;box-sizing:border-box;"
    "margin-top:.5rem;border:1px solid #8a7d72;border-radius:6px}button{background:#9c3d10;"
    "color:#fff;border-color:#9c3d10}@media(prefers-color-scheme:dark){body{color:#ece5de;"
    "background:#1b1714}a{color:#f0a173}input{background:#26201c;color:#ece5de}}"
)
_SIGN_IN: Final = (
    "<p>In a terminal of this machine, <code>hearth open</code> gives you a link with a code. It "
    "is good once, and for a minute.</p>"
    '<form method="get" action="/login"><label for="code">Code, or the whole link</label>'
    '<input id="code" name="code" required maxlength="300" autocomplete="off" '
    'spellcheck="false" autofocus><button>Sign in</button></form>'
)
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'sha256-"
        f"{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


def is_for_people(scope: Scope) -> bool:
    """Whether a person's browser wants a page here, rather than a program an answer."""
    path = scope["path"]
    is_page = path in {"/", "/dashboard", "/docs", "/login"} or path.startswith("/dashboard/s/")
    if scope["method"] != "GET" or not is_page:
        return False
    accepts = [value for name, value in scope["headers"] if name == b"accept"]
    return any(b"text/html" in one for one in accepts)


def in_words(trouble: Trouble) -> Response:
    """A page that says what is wrong and what would help."""
    is_unknown = trouble.status == SIGN_IN
    title = "Sign in" if is_unknown else "Not here"
    hint = "" if is_unknown or not trouble.hint else f"<p>{escape(trouble.hint)}</p>"
    rest = _SIGN_IN if is_unknown else '<p><a href="/dashboard">To the sessions</a></p>'
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · hearth'
        '</title><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{title}</h1>"
        f"<p>{escape(trouble.message)}</p>{hint}{rest}</main></body></html>"
    )
    headers = {**_HEADERS, **trouble.headers}
    return Response(page.encode(errors="replace"), trouble.status, headers, media_type="text/html")
