"""What is wrong with code that nobody has run: syntax, undefined names, types.

Never executes the code. May import core.vocabulary; is imported by the interpreter's performer.
"""
