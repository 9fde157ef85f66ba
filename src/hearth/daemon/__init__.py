"""Where the daemon of a home is, and how it is started, supervised and found.

Imports the standard library alone, and little of it; everything else may import it.
"""
