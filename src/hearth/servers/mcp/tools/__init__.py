"""The tools that programs of others have of hearth's sessions: one table, and what answers each.

Nothing here knows the library that speaks the protocol: a tool takes a `Call` and gives `Said`.
"""
