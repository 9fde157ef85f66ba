"""The tools for files: reading, writing, editing, listing and searching, without following links.

Imports core, judging, and what a tool is. Imported by app.
"""
