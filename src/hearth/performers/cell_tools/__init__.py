"""Tools of MCP servers for code in interpreters: who listens to it, and what is said to it.

The other half, which runs in the interpreter, is `performers/interpreter/inside/tool*.py`.
"""
