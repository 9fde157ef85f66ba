"""hearth: live, durable sessions shared by people and AI agents.

Imports nothing, so that `hearth status` answers in a blink.
"""
