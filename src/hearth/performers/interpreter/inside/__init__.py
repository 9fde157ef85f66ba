"""What runs inside an interpreter's process: its guardian, its kernel, its template.

It runs in the project's Python (3.10 or newer), where hearth is not installed: it may import the
standard library, ipykernel with what that stands on, and its siblings. The daemon reads the
journal with it; nothing else imports it.
"""
