"""Fetches pages for agents: from where it was allowed, by the address that was looked at, as text.

Imports core, what a tool is, where the daemon is, and httpx2 when it is first used. Imported by
app.
"""
