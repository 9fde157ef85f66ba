"""A short session played in the terminal, so that the path of every command can be seen.

Imports app and the scripted interpreter; nothing imports it.
"""
