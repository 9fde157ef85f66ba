"""Language servers of projects: what is wrong with the files that agents write, told as they write.

Imports core, what tools are, how paths are judged, and the connection that checks cells too.
Imported by app.
"""
