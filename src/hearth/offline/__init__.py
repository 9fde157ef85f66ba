"""What the command line does by itself, without a daemon: settings, the log, a look at everything.

May import everything but serving, demo and the engine's composition root; only `__main__` imports
it.
"""
