"""Interpreters: where cells run.

May import core.vocabulary; is imported by app.
"""
