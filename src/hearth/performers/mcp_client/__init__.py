"""MCP servers of others: started or reached, shared, supervised, and their tools for agents.

What imports the protocol's library takes a second and much memory. So it is in modules that are
imported in a thread when the first server is needed: `speaking` and what it imports.
"""
