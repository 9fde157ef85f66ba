"""The HTTP door: a small surface over the three verbs, guarded, on loopback and a unix socket.

Sees api, resolving, credentials, daemon and the words; only serving puts it together with the
engine.
"""
