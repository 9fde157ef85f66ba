"""Keeps the files of projects as they are before agents change them, and goes back to them.

Imports core, log, settings and what says where a session works. Imported by app, and by whoever
judges calls.
"""
