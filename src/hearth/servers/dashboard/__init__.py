"""The dashboard: pages for people, drawn by the daemon and moved by streams of patches.

Sees api, core.vocabulary, core.views and servers/http; the HTTP door mounts its routes.
"""
