"""What editors expect: commands by POST, and signals that show what came of them.

Sees api, resolving, core.vocabulary, core.views and what lies beside it in servers/http; the door
mounts its routes.
"""
