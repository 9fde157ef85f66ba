"""Doors inside the daemon. They see api, core.vocabulary and core.views, and nothing else.

Only app puts them together with the engine.
"""
