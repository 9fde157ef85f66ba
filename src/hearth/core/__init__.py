"""The pure core: words, rules and views.

May import msgspec and an allow-list of the standard library; everything else may import it.
"""
