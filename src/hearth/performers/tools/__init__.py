"""Runs the tools that agents call, apart from those that the session carries out itself.

Imports core and settings. Imported by app, and by prefix, which declares the tools to models.
"""
