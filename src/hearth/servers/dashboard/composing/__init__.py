"""The head of a session's page and the place where people write: what can be done now, and how.

Pure functions of views; nothing here asks anybody, apart from `copying`.
"""
