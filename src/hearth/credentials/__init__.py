"""Tokens, one-time codes and cookies: by what somebody is known who comes through a door.

Imports core and daemon; is imported by servers, offline and whoever puts a daemon together.
"""
