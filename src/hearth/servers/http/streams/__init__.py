"""Server-sent events: the log and what is going on, to however many who follow.

Sees api, core.vocabulary and what lies beside it in servers/http; the door mounts its routes.
"""
