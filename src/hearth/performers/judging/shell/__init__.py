"""What a line for the shell would do, found out by reading it twice and running nothing.

Imports core, `judging.paths` and tree-sitter. Imported by judging and tools.
"""
