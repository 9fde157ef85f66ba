"""What people are asked about agents, what agents may do, and what they did to files.

Sees api, resolving, core.vocabulary, core.views and what lies beside it in servers/http; the door
mounts its routes.
"""
