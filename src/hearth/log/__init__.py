"""The append-only log: one Protocol, three stores.

May import core; is imported by the engine and by whatever composes it.
"""
