"""`hearth demo`: a turn of an agent in a session of its own, played in the terminal without a key.

Imports app and the doors' ways of showing things; only `hearth.__main__` imports it.
"""
