"""The room of the sessions: the sidebar, the page of all sessions, and how each person has it.

Sees api, core.vocabulary, core.views and servers/http; the dashboard's pages and streams use it.
"""
