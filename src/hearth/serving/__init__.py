"""The process of the daemon: puts the engine, its doors and its settings together and runs them.

May import everything below it; only `__main__` imports it.
"""
