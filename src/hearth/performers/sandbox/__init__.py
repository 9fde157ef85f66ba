"""What contains the programs that agents have run: a sandbox, a clean environment, redaction.

Imports core, and what `interpreter.inside` knows of processes. Imported by tools, interpreter,
offline and app.
"""
