"""The closed set of words every door, rule, performer and log row uses.

Data only. Imports msgspec; may be imported by anyone.
"""
