"""Runs sessions: one mailbox each, decide → append → evolve → wake → perform.

May import api, log and core; is imported by app alone.
"""
