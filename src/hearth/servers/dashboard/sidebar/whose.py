"""Whose desk a request is about, and who may change it."""

from starlette.requests import Request

from hearth.credentials.standing import Standing
from hearth.servers.http.answers import Trouble
from hearth.servers.http.asked import Declined, credential_of, person_of
from hearth.servers.http.declining import NEEDS_PERSON


def desk_of(request: Request) -> str:
    """The name under which the desk of whoever asks is kept.

    That of a token which was given out is never the person's, whatever the token is called.
    """
    credential = credential_of(request)
    if credential.standing is Standing.PERSON:
        return credential.name
    return f"{credential.standing}:{credential.name}"


def own_desk(request: Request) -> str:
    """The same, if whoever asks may change it: a person, and in nobody else's name. Declined."""
    person_of(request)
    if credential_of(request).standing is not Standing.PERSON:
        what = "how the dashboard is arranged is for the person alone"
        raise Declined(Trouble(403, "not_allowed", what, NEEDS_PERSON))
    return desk_of(request)
