"""Providers that are pretended, strictly: servers that speak each real wire from a script.

They import msgspec and nothing of hearth, so that a mistake of ours is never made twice. Imported
by tests and measurements; `python -m tests.providers` is one in a process of its own.
"""
