"""Asks models: provider wires, streams, keys, and the scripted model that needs none.

Imports core, how the tools for files tell pictures apart, and third parties, httpx2 only when first
used. Imported by app alone.
"""
