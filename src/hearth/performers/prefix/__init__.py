"""Prepares what stands before every request of a turn: the model, the system text, the tools.

Imports core, settings, tools and what is known of models. Imported by app; `knowledge` by tools.
"""
