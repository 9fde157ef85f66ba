"""`hearth mcp`: MCP over stdin and stdout, bridged to the daemon. The standard library alone.

It knows of MCP only what a transport must; tools and sessions are the daemon's. Imported by the
command line when it is asked for; the SDK is never imported here: it would take longer than all.
"""
