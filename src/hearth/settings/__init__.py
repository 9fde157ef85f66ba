"""What people set in files: read strictly, refused with file, key and line.

May import core; is imported by performers, the daemon and whatever composes them.
"""
