"""What the Model Context Protocol asks of a server, whatever the server is about.

It stands on the low-level server of the official SDK and knows nothing of sessions. Two eras are
served: the earlier one, with a handshake and a connection (up to 2025-11-25), and the one in which
each request stands for itself (2026-07-28). `wiring.Wire` puts everything onto a server; a tool
meets it as `caller.Caller` (whom it answers: what they can, how far it is, what it asks them) and
as `tasks.Tasks` (what takes long).

Importing anything here imports the SDK, which takes a second: do it in a thread, when first needed.
"""
