"""Finds out what paths, commands and code need permission for. Decides nothing, runs nothing.

Imports core and what `tools.tool` says that a call wants. Imported by tools and by app.
"""
