"""The REPL: a terminal that is attached to a live session, with everybody else who is.

May import api, resolving, daemon and core's words and views; is imported by the command line alone.
"""
