"""Doors outside the daemon, which they speak to over HTTP. They see api, words, views and daemon.

Nothing but `hearth.__main__` imports them.
"""
