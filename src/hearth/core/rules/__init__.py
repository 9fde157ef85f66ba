"""What may happen and what follows from it, as pure functions and literal tables.

Imports core.vocabulary alone; is imported by views, the log's tools and the engine.
"""
