"""Runs commands for agents, and the jobs that go on when a call has come back.

Imports core, settings, the judges and the sandbox. Imported by app.
"""
