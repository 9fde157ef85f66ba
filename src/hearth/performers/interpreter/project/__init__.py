"""A project as an interpreter needs it: its packages, its own Python, and how that is rebuilt.

May import core.vocabulary and settings; is imported by the interpreter's performer.
"""
