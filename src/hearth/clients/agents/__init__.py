"""What every client tells of agents: what they ask for, what they did to files, what they plan.

Imports the standard library alone, and little of it; the command line and the REPL import it.
"""
