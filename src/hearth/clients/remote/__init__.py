"""The three verbs over HTTP and server-sent events, for clients outside the daemon.

Sees api, core.vocabulary, core.views and daemon; the REPL and other clients build on it.
"""
